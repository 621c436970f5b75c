import { STATUSES, type Status } from "./model.ts";

/** How other agents spell our statuses. Markdown markers are not here: they differ by agent. */
const SPELLINGS: Readonly<Record<string, Status>> = {
  ...Object.fromEntries(STATUSES.map((status) => [status, status])),
  not_started: "pending",
  todo: "pending",
  open: "pending",
  todo_status_pending: "pending",
  inprogress: "in_progress",
  active: "in_progress",
  doing: "in_progress",
  todo_status_in_progress: "in_progress",
  complete: "completed",
  done: "completed",
  closed: "completed",
  todo_status_completed: "completed",
  canceled: "cancelled",
  abandoned: "cancelled",
  abandon: "cancelled",
  dropped: "cancelled",
  todo_status_cancelled: "cancelled",
};

export interface ReadStatus {
  readonly status: Status;
  /** The spelling that came, where it is not ours. */
  readonly rawStatus?: string;
}

/** Maps any spelling; one that nobody knows is kept and counts as pending. */
export function readStatus(raw: unknown): ReadStatus {
  if (typeof raw === "boolean") return { status: raw ? "completed" : "pending" };
  if (typeof raw !== "string") return { status: "pending" };
  // Most write it as we do.
  if (STATUSES.includes(raw as Status)) return { status: raw as Status };
  const folded = raw
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  const status = Object.hasOwn(SPELLINGS, folded) ? SPELLINGS[folded] : undefined;
  return { status: status ?? "pending", rawStatus: raw };
}
