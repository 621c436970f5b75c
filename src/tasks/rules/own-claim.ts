import type { Task } from "../model.ts";

/**
 * The epoch of the last claim if it was made by this owner. An expired claim counts until the task
 * is claimed again.
 */
export function ownEpoch(task: Task | undefined, owner: string): number | undefined {
  const isOwn = task?.owner === owner || task?.lapsed?.owner === owner;
  return isOwn ? task?.epoch : undefined;
}
