import type { Task, TaskEvent, TaskEventType } from "../model.ts";

/** An event that is computed, not stored. */
export interface DerivedEvent extends Omit<TaskEvent, "seq"> {
  readonly derived: true;
}

export type ShownEvent = TaskEvent | DerivedEvent;

/** The verb for an event in a history. */
export function eventVerb(type: TaskEventType): string {
  return type === "retried" ? "failed, will be retried" : type;
}

/** The failure of a task whose last attempt ended with an expired lease. */
export function expiryEvent(task: Task): DerivedEvent | undefined {
  const { id, status, lapsed, reason } = task;
  if (status !== "failed" || !lapsed) return undefined;
  const { owner, at } = lapsed;
  const set = { status, owner, ...(reason !== undefined && { reason }), finishedAt: at };
  return { at, type: "failed", task: id, by: "system", via: "lease", set, derived: true };
}

/** Merges derived events into stored ones by time. */
export function withDerived(
  events: readonly TaskEvent[],
  derived: readonly DerivedEvent[],
): readonly ShownEvent[] {
  // From the end: each derived event follows the last event that is not later.
  const waiting = [...derived].sort((a, b) => a.at - b.at);
  const shown: ShownEvent[] = [];
  for (const event of events.toReversed()) {
    for (let next = waiting.at(-1); next && next.at >= event.at; next = waiting.at(-1)) {
      shown.push(next);
      waiting.pop();
    }
    shown.push(event);
  }
  return [...shown, ...waiting.reverse()].reverse();
}

/**
 * The same for pages of events. A derived event is held back until the next page has only later
 * events. Events more than a page apart are in order, unless the clock of the store was set back.
 */
export async function* withDerivedPages(
  pages: AsyncIterable<readonly TaskEvent[]>,
  derived: readonly DerivedEvent[],
): AsyncGenerator<readonly ShownEvent[]> {
  const waiting = [...derived].sort((a, b) => a.at - b.at);
  let page: readonly TaskEvent[] = [];
  for await (const next of pages) {
    const from = next.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
    const later = waiting.findIndex(({ at }) => at >= from);
    const due = waiting.splice(0, later === -1 ? waiting.length : later);
    yield withDerived(page, due);
    page = next;
  }
  yield withDerived(page, waiting);
}
