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
  // From the end: each derived event stands after the last event that is not later.
  const waiting = [...derived].sort((a, b) => a.at - b.at);
  const told: ToldEvent[] = [];
  for (const event of events.toReversed()) {
    for (let next = waiting.at(-1); next && next.at >= event.at; next = waiting.at(-1)) {
      told.push(next);
      waiting.pop();
    }
    told.push(event);
  }
  return [...told, ...waiting.reverse()].reverse();
}

/**
 * The same page by page. A derived event waits until the next page has only later events: what is
 * further apart than a page is in order, unless the clock of the store went back.
 */
export async function* toldPages(
  pages: AsyncIterable<readonly TaskEvent[]>,
  derived: readonly DerivedEvent[],
): AsyncGenerator<readonly ToldEvent[]> {
  const waiting = [...derived].sort((a, b) => a.at - b.at);
  let page: readonly TaskEvent[] = [];
  for await (const next of pages) {
    const from = next.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
    const later = waiting.findIndex(({ at }) => at >= from);
    const due = waiting.splice(0, later === -1 ? waiting.length : later);
    yield toldEvents(page, due);
    page = next;
  }
  yield toldEvents(page, waiting);
}
