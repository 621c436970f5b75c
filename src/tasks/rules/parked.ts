import type { Task, TaskEvent } from "../model.ts";

/** What no event says, and is so all the same. */
export interface DerivedEvent extends Omit<TaskEvent, "seq"> {
  readonly derived: true;
}

export type ToldEvent = TaskEvent | DerivedEvent;

/** That the lease of the last attempt ran out, of a task that stands as failed for it. */
export function parkedBySilence(task: Task): DerivedEvent | undefined {
  const { id, status, lapsed, reason } = task;
  if (status !== "failed" || !lapsed) return undefined;
  const { owner, at } = lapsed;
  const set = { status, owner, ...(reason !== undefined && { reason }), finishedAt: at };
  return { at, type: "failed", task: id, by: "system", via: "lease", set, derived: true };
}

/** Events with what is derived where it belongs by its time. */
export function toldEvents(
  events: readonly TaskEvent[],
  derived: readonly DerivedEvent[],
): readonly ToldEvent[] {
  const told: ToldEvent[] = [...events];
  for (const each of derived) {
    const before = told.findLastIndex(({ at }) => at <= each.at);
    told.splice(before + 1, 0, each);
  }
  return told;
}
