import type { Outcome, Rejection, Todo } from "../core/model.ts";
import { type Encode, editsOf, hasNews, planNewsOf } from "../core/notice.ts";
import { cutBytes, forModel } from "../core/safe-text.ts";
import { taskLinkOf } from "../core/task-link.ts";
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
  const link = taskLinkOf(todo);
  const line = `${todo.id}. ${renderTodo(todo)}${link ? ` (task ${link.task})` : ""}`;
  if (todo.status !== "in_progress") return line;
  // The notes of the active todo are what its author needs now.
  const notes = (todo.notes ?? []).slice(-MAX_NOTES);
  return [line, ...notes.map((note) => `   > ${cutBytes(forModel(note), 240)}`)].join("\n");
}

/** One todo in few bytes. */
export function renderBrief(todo: Todo, max: number): string {
  return cutBytes(`${todo.id}. ${MARKS[todo.status]} ${forModel(todo.text)}`, max);
}

export function renderRefusal(rejected: readonly Pick<Rejection, "message">[]): string {
  const shown = rejected.slice(0, 5).map(({ message }) => message);
  const more = rejected.length - shown.length;
  if (more > 0) shown.push(`… and ${more} more.`);
  return `Nothing was changed. ${shown.join(" ")}`;
}

const MAX_NOTICES = 6;
const MAX_SHOWN = 60;
const MAX_NOTES = 5;

/** What a person did since the model last saw the list; empty when nothing. */
export function renderNotice(outcome: Outcome): string {
  const { before } = outcome;
  // Without an event it is not recorded that the model was told: it is told the next time.
  if (!outcome.event || outcome.duplicate) return "";
  const encode = (text: string, max: number) => cutBytes(forModel(text), max);
  const keeping = keptWords(outcome, encode);
  if (!hasNews(before)) return keeping;
  const kept = new Set(outcome.event.kept?.map((edit) => edit.id));
  const edits = editsOf(before, encode, kept);
  const said = edits.slice(0, MAX_NOTICES);
  const more = edits.length > MAX_NOTICES;
  if (more) said.push(`${edits.length - MAX_NOTICES} more changes, the list below has them all`);
  const why = kept.size > 0 ? " Your write did not know of it and did not undo it." : "";
  return [
    ...planNewsOf(before, encode).map((news) => `The user ${news}.`),
    ...(said.length > 0 ? [`The user changed the list: ${said.join("; ")}.${why}`] : []),
    ...(keeping === "" ? [] : [keeping]),
    ...(more ? [renderShort(outcome.after.todos)] : []),
  ].join("\n");
}

/** Todos of the user that the model knew of and left out of its list. */
function keptWords({ event, before }: Outcome, encode: Encode): string {
  const unseen = new Set(before.unseen.map(({ id }) => id));
  const left = (event?.kept ?? []).filter(({ id, added }) => added && !unseen.has(id));
  if (left.length === 0) return "";
  const names = left
    .slice(0, MAX_NOTICES)
    .map(({ id, knownText }) => `"${encode(knownText, 60)}" (${id})`);
  if (left.length > MAX_NOTICES) names.push(`${left.length - MAX_NOTICES} more`);
  const them = left.length === 1 ? "it" : "them";
  return `Kept ${names.join(", ")}: the user added ${them}. Leaving ${them} out does not drop ${them}.`;
}

/** All of a list in few bytes; of a very long one the beginning, and that there is more. */
function renderShort(todos: readonly Todo[]): string {
  const lines = todos.slice(0, MAX_SHOWN).map((todo) => renderBrief(todo, 100));
  if (todos.length > MAX_SHOWN) lines.push(`… and ${todos.length - MAX_SHOWN} more.`);
  return lines.join("\n");
}
