import { DEFAULT_LEASE, type Task } from "../model.ts";
import { isClosed, taskAt } from "./task-at.ts";

/** A renewal must gain at least this fraction of the lease: 1/4. */
export const WORTH_RENEWING = 4;

/**
 * The new end of the lease of an owner that was active `ago` milliseconds before now; undefined if
 * that gains too little. An expired lease is renewed as well, if the task was not claimed again.
 */
export function observedLease(task: Task, now: number, ago: number): number | undefined {
  if (task.status !== "claimed" || isClosed(taskAt(task, now))) return undefined;
  const { lease = DEFAULT_LEASE, leaseUntil = 0 } = task;
  const until = now - Math.max(0, Math.floor(ago)) + lease;
  return until > now && until - leaseUntil >= lease / WORTH_RENEWING ? until : undefined;
}
