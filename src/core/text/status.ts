import { STATUSES, type Status } from "../model.ts";

/**
 * How other agents spell our statuses, without case, spaces, hyphens and underscores. Models choose
 * freely where a tool's status is any string. Markdown markers are not here: they differ by agent.
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

export interface ReadStatus {
  readonly status: Status;
  /** The original spelling, where it is not ours. */
  readonly rawStatus?: string;
}

/** Maps any spelling to a status. An unknown one counts as pending and is kept as `rawStatus`. */
export function readStatus(raw: unknown): ReadStatus {
  if (typeof raw === "boolean") return { status: raw ? "completed" : "pending" };
  if (typeof raw !== "string") return { status: "pending" };
  // Most write it as we do.
  if (STATUSES.includes(raw as Status)) return { status: raw as Status };
  return { status: BY_SPELLING.get(folded(raw)) ?? "pending", rawStatus: raw };
}
