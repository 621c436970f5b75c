import { patch } from "../evolve.ts";
import type { Patch, Todo, Track, UnseenEdit } from "../model.ts";
import { same } from "../values.ts";
import { moved, type WorkingList } from "./apply.ts";

/**
 * Puts back what a person did since the agent last saw the list, where the agent's write would
 * undo it. Returns the edits that had to be put back.
 */
export function protectEdits(working: WorkingList, track: Track): readonly UnseenEdit[] {
  if (working.list !== track.list) return [];
  const kept = track.unseen.filter((edit) => restore(working, track, edit));
  if (track.unseenOrder) restoreOrder(working, track);
  return kept;
}

/**
 * Puts back todos that a person added and the agent left out of a list that it wrote as a whole: it
 * may drop them by name or by status, not by omission. Returns them.
 */
export function keepAdded(working: WorkingList, track: Track): readonly UnseenEdit[] {
  if (working.list !== track.list) return [];
  const there = new Set([...working.todos.map(({ id }) => id), ...working.removed]);
  const left = track.todos.filter(({ id, addedBy }) => addedBy === "user" && !there.has(id));
  for (const todo of left) putBack(working, track, todo);
  return left.map(({ id, text, status }) => ({
    id,
    knownText: text,
    knownStatus: status,
    added: true,
  }));
}

function putBack(working: WorkingList, track: Track, todo: Todo): void {
  const place = track.todos.indexOf(todo);
  working.todos.splice(Math.min(place, working.todos.length), 0, todo);
}

function restore(working: WorkingList, track: Track, edit: UnseenEdit): boolean {
  const index = working.todos.findIndex((todo) => todo.id === edit.id);
  const todo = working.todos[index];
  if (edit.removed) return working.refused.includes(edit.id);
  const mine = track.todos.find((known) => known.id === edit.id);
  if (!mine) return false;
  if (!todo) {
    putBack(working, track, mine);
    return true;
  }
  const wanted = withEdit(todo, mine, edit);
  if (wanted === todo) return false;
  working.todos[index] = wanted;
  if (wanted.status === "in_progress" && todo.status !== "in_progress") {
    working.todos = working.todos.map((other) =>
      other.status === "in_progress" && other.id !== edit.id ? moved(other, "pending") : other,
    );
  }
  return true;
}

function withEdit(todo: Todo, mine: Todo, edit: UnseenEdit): Todo {
  // What the agent does not know of, it cannot have meant to change.
  const theirs = [...(edit.added ? ["text", "phase"] : []), ...Object.keys(edit.set ?? {})];
  const lost = theirs.filter(
    (field) => field !== "status" && !same(todo[field as keyof Todo], mine[field as keyof Todo]),
  );
  const undone = edit.status !== undefined && todo.status !== mine.status;
  // Finishing what the person started is going on with it, not undoing it.
  const goesOn = mine.status === "in_progress" && todo.status === "completed";
  const restored = undone && !goesOn ? { ...moved(todo, mine.status), ...blockerOf(mine) } : todo;
  if (lost.length === 0) return restored;
  const set = Object.fromEntries(lost.map((field) => [field, mine[field as keyof Todo] ?? null]));
  return patch(restored, set as Patch);
}

function blockerOf(todo: Todo): Pick<Todo, "blocker"> {
  return todo.blocker === undefined ? {} : { blocker: todo.blocker };
}

/** The person's order for what they ordered; what the agent added stays behind. */
function restoreOrder(working: WorkingList, track: Track): void {
  const places = new Map(track.todos.map((todo, place) => [todo.id, place]));
  const place = (todo: Todo) => places.get(todo.id) ?? track.todos.length;
  working.todos = working.todos.toSorted((a, b) => place(a) - place(b));
}
