import { DEFAULT_LEASE, type Task } from "../model.ts";
import { isClosed, standing } from "./standing.ts";

/** What share of a lease a renewal has to win to be worth an event. */
export const WORTH_RENEWING = 4;

/** Until when the lease is good of a holder who was seen `ago` milliseconds before now; nothing when
 * that is no news. A lease that ran out lives again: its holder does, and nobody else came. */
export function observedLease(task: Task, now: number, ago: number): number | undefined {
  if (task.status !== "claimed" || isClosed(standing(task, now))) return undefined;
  const { lease = DEFAULT_LEASE, leaseUntil = 0 } = task;
  const until = now - Math.max(0, Math.floor(ago)) + lease;
  return until > now && until - leaseUntil >= lease / WORTH_RENEWING ? until : undefined;
}
