import { STATUSES, type Status } from "../model.ts";

/**
 * Other spellings of our statuses, without case, spaces, hyphens and underscores: models choose freely
 * if a tool accepts any string. Markdown markers are not listed, because they differ by agent.
 */
const SPELLINGS: Readonly<Record<Status, readonly string[]>> = {
  pending: ["notstarted", "todo", "open", "new", "planned", "queued", "waiting"],
  in_progress: [
    "active",
    "doing",
    "started",
    "ongoing",
    "working",
    "workingon",
    "running",
    "current",
    "wip",
  ],
  completed: [
    "complete",
    "done",
    "closed",
    "finished",
    "resolved",
    "fixed",
    "checked",
    "success",
    "successful",
    "succeeded",
    "passed",
    "implemented",
    "merged",
    "shipped",
    "verified",
    "true",
    "yes",
    "✓",
    "✔",
    "✔️",
    "✅",
    "☑",
    "☑️",
  ],
  cancelled: [
    "canceled",
    "abandoned",
    "abandon",
    "dropped",
    "skipped",
    "deleted",
    "removed",
    "obsolete",
    "rejected",
    "wontdo",
    "wontfix",
    "won'tdo",
    "won'tfix",
    "notneeded",
  ],
  blocked: ["onhold", "stuck"],
};

const BY_SPELLING: ReadonlyMap<string, Status> = new Map(
  STATUSES.flatMap((status) =>
    [folded(status), ...SPELLINGS[status]].map((spelling) => [spelling, status] as const),
  ),
);

function folded(raw: string): string {
  return raw
    .toLowerCase()
    .replace(/[\s_-]+/g, "")
    .replace(/^todostatus/, "");
}

/** The result of `parseStatus`. */
export interface ParsedStatus {
  readonly status: Status;
  /** The original spelling, if it is not ours. */
  readonly rawStatus?: string;
}

/** Maps any spelling to a status. An unknown one counts as pending and is kept as `rawStatus`. */
export function parseStatus(raw: unknown): ParsedStatus {
  if (typeof raw === "boolean") return { status: raw ? "completed" : "pending" };
  if (typeof raw !== "string") return { status: "pending" };
  // The common case.
  if (STATUSES.includes(raw as Status)) return { status: raw as Status };
  return { status: BY_SPELLING.get(folded(raw)) ?? "pending", rawStatus: raw };
}
