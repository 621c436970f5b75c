import { editsOf, hasNews, planNewsOf } from "../core/guidance/user-edits.ts";
import { shortQuote } from "../core/list/target.ts";
import { taskLinkOf } from "../core/list/task-link.ts";
import type { Outcome, Rejection, Todo } from "../core/model.ts";
import { byteLength } from "../core/text/escape.ts";
import {
  joinText,
  line,
  type ModelText,
  modelText,
  NO_TEXT,
  quote,
} from "../core/text/model-text.ts";
import { todoInShort, todoLine } from "../core/views/todo-line.ts";
import { progressOf } from "../core/views/view.ts";

/** The list as a model reads it back: seed 000's form, in which texts have no quotation marks. */
export function renderTodos(
  todos: readonly Todo[],
  lineOf = (todo: Todo) => todoLine(todo, (text) => line(text)),
): ModelText {
  if (todos.length === 0) return modelText`No todos.`;
  return joinText([...todos.map(lineOf), NO_TEXT, renderCount(todos)], "\n");
}

/** Longer than any text that a policy accepts: the list is the model's memory. */
const MAX_TEXT = 6_000;

export function renderQuoted(todo: Todo): ModelText {
  return todoLine(todo, (text) => quote(text, MAX_TEXT));
}

export function renderCount(todos: readonly Todo[]): ModelText {
  const { completed, total } = progressOf(todos);
  return modelText`(${completed}/${total} completed)`;
}

/** A line of the native tool: the id comes first, it is what the model sends back. */
export function renderNumbered(todo: Todo): ModelText {
  const link = taskLinkOf(todo);
  const task = link ? modelText` (task ${line(link.task)})` : NO_TEXT;
  const first = modelText`${line(todo.id)}. ${renderQuoted(todo)}${task}`;
  if (todo.status !== "in_progress") return first;
  // The notes of the active todo are what its author needs now.
  const notes = (todo.notes ?? []).slice(-MAX_NOTES);
  return joinText([first, ...notes.map((note) => modelText`   > ${quote(note)}`)], "\n");
}

/** One todo in at most `max` bytes. */
export function renderBrief(todo: Todo, max: number): ModelText {
  const id = line(todo.id);
  const room = max - id.length - `. [x] ""`.length;
  return modelText`${id}. ${todoInShort(todo, (text) => quote(text, room, byteLength))}`;
}

export function renderRefusal(
  rejected: readonly Pick<Rejection, "message">[],
  most = 5,
): ModelText {
  const shown = rejected.slice(0, most).map(({ message }) => message);
  const more = rejected.length - shown.length;
  if (more > 0) shown.push(modelText`\u2026 and ${more} more.`);
  return modelText`Nothing was changed. ${joinText(shown, " ")}`;
}

const MAX_EDITS = 6;
const MAX_SHOWN = 60;
const MAX_NOTES = 5;

/** What a person did since the model last saw the list; empty when nothing. */
export function renderUserEdits(outcome: Outcome): ModelText {
  const { before } = outcome;
  // Without an event it is not recorded that the model was told: it is told the next time.
  if (!outcome.event || outcome.duplicate) return NO_TEXT;
  const keeping = keptWords(outcome);
  if (!hasNews(before)) return keeping;
  const kept = new Set(outcome.event.kept?.map((edit) => edit.id));
  const edits = editsOf(before, kept);
  const said = edits.slice(0, MAX_EDITS);
  const more = edits.length > MAX_EDITS;
  if (more)
    said.push(modelText`${edits.length - MAX_EDITS} more changes, the list below has them all`);
  const why = kept.size > 0 ? " Your write did not know of it and did not undo it." : "";
  const parts = [
    ...planNewsOf(before).map((news) => modelText`The user ${news}.`),
    ...(said.length > 0
      ? [modelText`The user changed the list: ${joinText(said, "; ")}.${why}`]
      : []),
    ...(keeping === "" ? [] : [keeping]),
    ...(more ? [renderShort(outcome.after.todos)] : []),
  ];
  return joinText(parts, "\n");
}

/** Todos of the user that the model knew of and left out of its list. */
function keptWords({ event, before }: Outcome): ModelText {
  const unseen = new Set(before.unseen.map(({ id }) => id));
  const left = (event?.kept ?? []).filter(({ id, added }) => added && !unseen.has(id));
  if (left.length === 0) return NO_TEXT;
  const names = left
    .slice(0, MAX_EDITS)
    .map(({ id, knownText }) => modelText`${shortQuote(knownText)} (${line(id)})`);
  if (left.length > MAX_EDITS) names.push(modelText`${left.length - MAX_EDITS} more`);
  const them = left.length === 1 ? "it" : "them";
  return modelText`Kept ${joinText(names, ", ")}: the user added ${them}. Leaving ${them} out does not drop ${them}.`;
}

/** All of a list in few bytes; of a very long one the beginning, and that there is more. */
function renderShort(todos: readonly Todo[]): ModelText {
  const lines = todos.slice(0, MAX_SHOWN).map((todo) => renderBrief(todo, 100));
  if (todos.length > MAX_SHOWN) lines.push(modelText`\u2026 and ${todos.length - MAX_SHOWN} more.`);
  return joinText(lines, "\n");
}
