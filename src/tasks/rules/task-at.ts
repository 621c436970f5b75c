import type { Task } from "../model.ts";

/** Stored as claimed, but the lease expired. */
export function isExpired(task: Task, now: number): boolean {
  return task.status === "claimed" && task.leaseUntil !== undefined && task.leaseUntil <= now;
}

/**
 * The task at a point in time. Expiry is not stored: every reader sees the task as open again, or
 * as failed when it has used up its attempts.
 */
export function taskAt(task: Task, now: number): Task {
  if (!isExpired(task, now)) return task;
  const { owner = "", lease, leaseUntil: at = now, claimedAt, ...rest } = task;
  const lapsed = { owner, at };
  if (task.attempts < task.maxAttempts) return { ...rest, status: "open", lapsed };
  const reason = `${owner} was inactive in attempt ${task.attempts} of ${task.maxAttempts}.`;
  return { ...rest, status: "failed", owner, reason, finishedAt: at, lapsed };
}

export function isClosed({ status }: Task): boolean {
  return status === "done" || status === "failed" || status === "cancelled";
}

/** By priority, then age. */
export function compareUrgency(a: Task, b: Task): number {
  return a.priority - b.priority || a.createdAt - b.createdAt || numberOf(a) - numberOf(b);
}

/**
 * The order of ready tasks. With aging, a task gains a step of priority for every `aging`
 * milliseconds since its creation. All tasks age alike, so their order does not depend on the time.
 */
export function urgencyOrder(aging: number | undefined): (a: Task, b: Task) => number {
  if (aging === undefined) return compareUrgency;
  const rank = ({ createdAt, priority }: Task) => createdAt + priority * aging;
  return (a, b) => rank(a) - rank(b) || compareUrgency(a, b);
}

export function numberOf({ id }: Pick<Task, "id">): number {
  return Number(id.slice(1));
}

/**
 * The epoch of the last claim if it was made by this owner. An expired claim counts until the task
 * is claimed again.
 */
export function ownEpoch(task: Task | undefined, owner: string): number | undefined {
  const isOwn = task?.owner === owner || task?.lapsed?.owner === owner;
  return isOwn ? task?.epoch : undefined;
}
