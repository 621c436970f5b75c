import { patch } from "../evolve.ts";
import type { Patch, Todo, Track, UnseenEdit } from "../model.ts";
import { same } from "../values.ts";
import { setStatus, type WorkingList } from "./apply.ts";

/**
 * Restores unseen user edits that the agent's write would undo.
 *
 * @returns the restored edits
 */
export function protectEdits(working: WorkingList, track: Track): readonly UnseenEdit[] {
  if (working.list !== track.list) return [];
  const kept = track.unseen.filter((edit) => restore(working, track, edit));
  if (track.unseenOrder) restoreOrder(working, track);
  return kept;
}

/**
 * Restores todos that the user added and the agent left out of a rewritten list. The agent may drop
 * them by name or by status, but not by omission.
 *
 * @returns the restored todos
 */
export function keepUserTodos(working: WorkingList, track: Track): readonly UnseenEdit[] {
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
  const index = track.todos.indexOf(todo);
  working.todos.splice(Math.min(index, working.todos.length), 0, todo);
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
      other.status === "in_progress" && other.id !== edit.id ? setStatus(other, "pending") : other,
    );
  }
  return true;
}

function withEdit(todo: Todo, mine: Todo, edit: UnseenEdit): Todo {
  // The agent cannot have meant to change what it has not seen.
  const theirs = [...(edit.added ? ["text", "phase"] : []), ...Object.keys(edit.set ?? {})];
  const lost = theirs.filter(
    (field) => field !== "status" && !same(todo[field as keyof Todo], mine[field as keyof Todo]),
  );
  const undone = edit.status !== undefined && todo.status !== mine.status;
  // Completing a todo that the user started does not undo the start.
  const goesOn = mine.status === "in_progress" && todo.status === "completed";
  const restored =
    undone && !goesOn ? { ...setStatus(todo, mine.status), ...blockerOf(mine) } : todo;
  if (lost.length === 0) return restored;
  const set = Object.fromEntries(lost.map((field) => [field, mine[field as keyof Todo] ?? null]));
  return patch(restored, set as Patch);
}

function blockerOf(todo: Todo): Pick<Todo, "blocker"> {
  return todo.blocker === undefined ? {} : { blocker: todo.blocker };
}

/** Restores the user's order; todos that the agent added stay at the end. */
function restoreOrder(working: WorkingList, track: Track): void {
  const positions = new Map(track.todos.map((todo, index) => [todo.id, index]));
  const position = (todo: Todo) => positions.get(todo.id) ?? track.todos.length;
  working.todos = working.todos.toSorted((a, b) => position(a) - position(b));
}
