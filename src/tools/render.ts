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
  return `${todo.id}. ${renderTodo(todo)}`;
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

/** What a person did to the list since the model last saw it; empty when nothing. */
export function renderNotice(outcome: Outcome): string {
  const { unseen, unseenOrder } = outcome.before;
  // Without an event it is not recorded that the model was told: it is told the next time.
  if (!outcome.event || outcome.duplicate || (unseen.length === 0 && !unseenOrder)) return "";
  const kept = new Set(outcome.event?.kept?.map((edit) => edit.id));
  const said = unseen
    .slice(0, MAX_NOTICES)
    .map((edit) => `${describeEdit(edit, outcome.before)}${kept.has(edit.id) ? " (kept)" : ""}`);
  if (unseen.length > MAX_NOTICES) said.push(`${unseen.length - MAX_NOTICES} more changes`);
  if (unseenOrder) said.push("put the list in another order");
  const why = kept.size > 0 ? " Your write did not know of it and did not undo it." : "";
  return `The user changed the list: ${said.join("; ")}.${why}`;
}

const VERBS: Readonly<Record<Todo["status"], string>> = {
  pending: "reopened",
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
  if (edit.notes) parts.push(`noted on ${name(now.text)}: ${name(edit.notes.at(-1) ?? "")}`);
  if (parts.length === 0) parts.push(`edited ${name(now.text)}`);
  return parts.join(", ");
}
