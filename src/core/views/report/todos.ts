import { trackVersions } from "../../evolve.ts";
import type { Event, Todo } from "../../model.ts";
import { transitionsOf } from "../history.ts";
import type { ReportedTrack, ReportWindow } from "./model.ts";

/** A todo that changed in the window. `removed` todos are no longer on the list. */
export interface ChangedTodo {
  readonly todo: Todo;
  readonly removed?: true;
}

/**
 * The todos of a track that changed in the window, each once: those of the current list, of lists that were
 * finished before it, and removed ones.
 */
export function changedTodos(
  { merged: { track }, events = [] }: ReportedTrack,
  window: ReportWindow,
): readonly ChangedTodo[] {
  const isIn = (at: number | undefined) => isWithin(at, window);
  const moved = transitionsOf(events).filter(({ at }) => isIn(at));
  // Ids of a list that was read only in part may differ from those of its history, texts do not.
  const texts = new Set(moved.map(({ text }) => text));
  const ids = new Set(moved.map(({ todo }) => todo));
  const current = track.todos.filter((todo) => timesOf(todo).some(isIn) || texts.has(todo.text));
  const known = new Set(track.todos.map(({ text }) => text));
  const past = pastTodos(events).filter(
    ({ todo, removed, removedAt }) =>
      !known.has(todo.text) &&
      (removed ? isIn(removedAt) : timesOf(todo).some(isIn) || ids.has(todo.id)),
  );
  return [
    ...past.map(({ todo, removed }) => ({ todo, ...(removed && { removed }) })),
    ...current.map((todo) => ({ todo })),
  ];
}

export function isWithin(at: number | undefined, { since, until }: ReportWindow): boolean {
  return at !== undefined && at >= since && at <= until;
}

function timesOf({ createdAt, startedAt, finishedAt, check, proof }: Todo) {
  return [createdAt, startedAt, finishedAt, check?.at, proof?.at];
}

interface PastTodo extends ChangedTodo {
  readonly removedAt?: number;
}

/** Todos that a list no longer has: removed, or closed before the next list started. */
function pastTodos(events: readonly Event[]): readonly PastTodo[] {
  const id = { session: "", agent: "" };
  const past: PastTodo[] = [];
  let before: readonly Todo[] = [];
  let index = -1;
  for (const { todos } of trackVersions(id, events)) {
    const event = events[index++];
    const isNewList = event?.changes.some(({ type }) => type === "list.started");
    const ids = new Set(todos.map((todo) => todo.id));
    for (const todo of before)
      if (!ids.has(todo.id))
        past.push(
          isNewList ? { todo } : { todo, removed: true, ...(event && { removedAt: event.at }) },
        );
    before = todos;
  }
  return past;
}
