import type { Outcome, Rejection, Todo, Track, UnseenEdit } from "../core/model.ts";
import { cutBytes, forModel } from "../core/safe-text.ts";
import { progressOf } from "../core/view.ts";

const MARKS: Readonly<Record<Todo["status"], string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]",
  blocked: "[!]",
};

/** The list as a model reads it back: seed 000's form. */
export function renderTodos(todos: readonly Todo[], lineOf = renderTodo): string {
  if (todos.length === 0) return "No todos.";
  return [...todos.map(lineOf), "", renderCount(todos)].join("\n");
}

export function renderTodo(todo: Todo): string {
  const line = `${MARKS[todo.status]} ${forModel(todo.text)}`;
  if (todo.status === "in_progress" && todo.activeText !== undefined)
    return `${line} <- ${forModel(todo.activeText)}`;
  if (todo.status === "blocked" && todo.blocker !== undefined)
    return `${line} (${forModel(todo.blocker)})`;
  return line;
}

export function renderCount(todos: readonly Todo[]): string {
  const { completed, total } = progressOf(todos);
  return `(${completed}/${total} completed)`;
}

/** A line of the native tool: the id comes first, it is what the model sends back. */
export function renderNumbered(todo: Todo): string {
  const line = `${todo.id}. ${renderTodo(todo)}`;
  if (todo.status !== "in_progress") return line;
  // The notes of the active todo are what its author needs now.
  const notes = (todo.notes ?? []).slice(-MAX_NOTES);
  return [line, ...notes.map((note) => `   > ${cutBytes(forModel(note), 240)}`)].join("\n");
}

/** One todo in few bytes. */
export function renderBrief(todo: Todo, max: number): string {
  return cutBytes(`${todo.id}. ${MARKS[todo.status]} ${forModel(todo.text)}`, max);
}

export function renderRefusal(rejected: readonly Rejection[]): string {
  const shown = rejected.slice(0, 5).map(({ message }) => message);
  const more = rejected.length - shown.length;
  if (more > 0) shown.push(`… and ${more} more.`);
  return `Nothing was changed. ${shown.join(" ")}`;
}

const MAX_NOTICES = 6;
const MAX_SHOWN = 60;
const MAX_NOTES = 5;

/** What a person did to the list since the model last saw it; empty when nothing. */
export function renderNotice(outcome: Outcome): string {
  const { unseen, unseenOrder } = outcome.before;
  // Without an event it is not recorded that the model was told: it is told the next time.
  if (!outcome.event || outcome.duplicate || (unseen.length === 0 && !unseenOrder)) return "";
  const kept = new Set(outcome.event?.kept?.map((edit) => edit.id));
  const said = unseen
    .slice(0, MAX_NOTICES)
    .map((edit) => `${describeEdit(edit, outcome.before)}${kept.has(edit.id) ? " (kept)" : ""}`);
  if (unseen.length > MAX_NOTICES)
    said.push(`${unseen.length - MAX_NOTICES} more changes, the list below has them all`);
  if (unseenOrder) said.push(`put the list in another order: ${orderOf(outcome.before.todos)}`);
  const why = kept.size > 0 ? " Your write did not know of it and did not undo it." : "";
  const notice = `The user changed the list: ${said.join("; ")}.${why}`;
  return unseen.length > MAX_NOTICES ? `${notice}\n${renderShort(outcome.after.todos)}` : notice;
}

function orderOf(todos: readonly Todo[]): string {
  const ids = todos.slice(0, MAX_SHOWN).map((todo) => todo.id);
  return [...ids, ...(todos.length > MAX_SHOWN ? ["…"] : [])].join(", ");
}

/** All of a list in few bytes; of a very long one the beginning, and that there is more. */
function renderShort(todos: readonly Todo[]): string {
  const lines = todos.slice(0, MAX_SHOWN).map((todo) => renderBrief(todo, 100));
  if (todos.length > MAX_SHOWN) lines.push(`… and ${todos.length - MAX_SHOWN} more.`);
  return lines.join("\n");
}

const VERBS: Readonly<Record<Todo["status"], string>> = {
  pending: "put back",
  in_progress: "started",
  completed: "completed",
  cancelled: "dropped",
  blocked: "blocked",
};

function describeEdit(edit: UnseenEdit, track: Track): string {
  const name = (text: string) => `"${cutBytes(forModel(text), 60)}"`;
  const now = track.todos.find((todo) => todo.id === edit.id);
  if (edit.removed || !now) return `removed ${name(edit.knownText)}`;
  if (edit.added) return `added ${name(now.text)}`;
  const parts: string[] = [];
  if (edit.status !== undefined) parts.push(`${VERBS[now.status]} ${name(now.text)}`);
  if (edit.set?.text !== undefined)
    parts.push(`renamed ${name(edit.knownText)} to ${name(now.text)}`);
  if (edit.notes) {
    const notes = edit.notes.slice(-MAX_NOTES).map((note) => `"${cutBytes(forModel(note), 240)}"`);
    parts.push(`noted on ${name(now.text)}: ${notes.join(", ")}`);
  }
  if (parts.length === 0) parts.push(`edited ${name(now.text)}`);
  return parts.join(", ");
}
