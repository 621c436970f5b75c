import type { Task } from "../model.ts";

/** The claim is there on paper, and its lease has run out. */
export function isLapsed(task: Task, now: number): boolean {
  return task.status === "claimed" && task.leaseUntil !== undefined && task.leaseUntil <= now;
}

/**
 * The task as it stands at a moment. A lease that ran out leaves no trace in the store: whoever
 * looks sees the task open again, or parked as failed when it has used up its attempts.
 */
export function standing(task: Task, now: number): Task {
  if (!isLapsed(task, now)) return task;
  const { owner = "", lease, leaseUntil: at = now, claimedAt, ...rest } = task;
  const lapsed = { owner, at };
  if (task.attempts < task.maxAttempts) return { ...rest, status: "open", lapsed };
  const reason = `${owner} fell silent; that was attempt ${task.attempts} of ${task.maxAttempts}.`;
  return { ...rest, status: "failed", owner, reason, finishedAt: at, lapsed };
}

export function isClosed({ status }: Task): boolean {
  return status === "done" || status === "failed" || status === "cancelled";
}

/** By priority, then age. */
export function compareUrgency(a: Task, b: Task): number {
  return a.priority - b.priority || a.createdAt - b.createdAt || numberOf(a) - numberOf(b);
}

export function numberOf({ id }: Pick<Task, "id">): number {
  return Number(id.slice(1));
}
