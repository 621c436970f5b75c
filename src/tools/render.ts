import { blockerText, noteLines, progressText } from "../core/guidance/todo-text.ts";
import {
  describeEdits,
  hasUnseenEdits,
  type PlanUpdate,
  planUpdateOf,
} from "../core/guidance/user-edits.ts";
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
import { shortTodoLine, todoLine } from "../core/views/todo-line.ts";
import { isFinished, progressOf } from "../core/views/view.ts";

/** The list in the format of TodoWrite: `[>] Fix it <- Fixing it`, one todo on each line, then `(1/3 completed)`. */
export function renderTodos(todos: readonly Todo[]): ModelText {
  if (todos.length === 0) return modelText`No todos.`;
  const { completed, total } = progressOf(todos);
  const lines = todos.map((todo) => todoLine(todo, (text) => line(text)));
  return joinText([...lines, NO_TEXT, modelText`(${completed}/${total} completed)`], "\n");
}

/** Longer than any text that a policy accepts: the list is the model's memory. */
const MAX_TEXT = 6_000;

/** One line of the operations tool. */
export function renderQuoted(todo: Todo): ModelText {
  return todoLine(todo, (text) => quote(text, MAX_TEXT));
}

/** The list in the format of `todos`: `3 [>] "Fix it" <- "Fixing it"`, then `1 of 3 done.` */
export function renderNumbered(todos: readonly Todo[]): ModelText {
  if (todos.length === 0) return modelText`The list is empty.`;
  return joinText([...todos.map(numberedTodo), renderProgress(todos)], "\n");
}

function numberedTodo(todo: Todo): ModelText {
  const { status, activeText } = todo;
  const isActive = status === "in_progress";
  const active =
    isActive && activeText !== undefined
      ? modelText` <- ${quote(activeText, MAX_TEXT)}`
      : blockerText(todo, true);
  const link = taskLinkOf(todo);
  const task = link ? modelText` (task ${line(link.task)})` : NO_TEXT;
  const text = shortTodoLine(todo, (each) => quote(each, MAX_TEXT));
  const first = modelText`${line(todo.id)} ${text}${active}${task}`;
  return joinText([first, ...(isActive ? noteLines(todo) : [])], "\n");
}

/** `1 of 3 done.` Of a finished list also how much is verified. */
export function renderProgress(todos: readonly Todo[]): ModelText {
  const { completed, total, verified } = progressOf(todos);
  return isFinished(todos)
    ? modelText`${progressText(completed, total, verified)} The list is finished.`
    : modelText`${completed} of ${total} done.`;
}

/** One todo of `todos` in at most `max` bytes. */
export function renderBrief(todo: Todo, max: number): ModelText {
  const id = line(todo.id);
  const width = max - id.length - ` [x] ""`.length;
  return modelText`${id} ${shortTodoLine(todo, (text) => quote(text, width, byteLength))}`;
}

/** Why a call was refused as a whole. */
export function renderRefusal(
  rejected: readonly Pick<Rejection, "message">[],
  most = 5,
): ModelText {
  const shown = rejected.slice(0, most).map(({ message }) => message);
  const more = rejected.length - shown.length;
  if (more > 0) shown.push(modelText`\u2026 and ${more} more.`);
  return joinText([...shown, modelText`Nothing was changed.`], " ");
}

const MAX_EDITS = 6;
const MAX_SHOWN = 60;

/** User edits since the model last saw the list; empty without any. */
export function renderUserEdits(outcome: Outcome, ids = false): ModelText {
  const { before, event } = outcome;
  // Without an event, it would not be recorded that the model has seen the edits: they come with the next answer.
  if (!event || outcome.duplicate) return NO_TEXT;
  const leftOut = leftOutText(outcome);
  if (!hasUnseenEdits(before)) return leftOut;
  const kept = new Set(event.kept?.map((edit) => edit.id));
  const all = describeEdits(before, { ids });
  // A mark tells kept edits from others; if all of them were kept, one sentence does.
  const isMixed = kept.size > 0 && kept.size < all.length;
  const edits = isMixed ? describeEdits(before, { ids, kept }) : all;
  const shown = edits.slice(0, MAX_EDITS);
  const more = edits.length - shown.length;
  if (more > 0) shown.push(modelText`${more} more changes, see the list below`);
  const which = isMixed ? modelText`the changes marked (kept)` : all.length === 1 ? "it" : "them";
  const why = kept.size > 0 ? modelText` Your call did not overwrite ${which}.` : NO_TEXT;
  const plan = planUpdateOf(before);
  const parts = [
    ...(plan ? planLines(plan) : []),
    ...(shown.length > 0
      ? [modelText`The user changed your list before this call: ${joinText(shown, "; ")}.${why}`]
      : []),
    ...(leftOut === "" ? [] : [leftOut]),
    ...(more > 0 ? [renderShort(outcome.after.todos)] : []),
  ];
  return joinText(parts, "\n");
}

function planLines({ decision, comments, steps }: PlanUpdate): readonly ModelText[] {
  const next =
    decision === undefined
      ? modelText`The user commented on your plan:`
      : decision === "rejected"
        ? modelText`The user rejected your plan. Revise it and propose it again.`
        : steps === 0
          ? modelText`The user approved your plan. Write its steps as your todos and start.`
          : modelText`The user approved your plan. Its ${steps} steps are now your todos; start with the first one.`;
  return [next, ...comments];
}

/** Todos of the user that the model knew and left out of its list. */
function leftOutText({ event, before }: Outcome): ModelText {
  const unseen = new Set(before.unseen.map(({ id }) => id));
  const left = (event?.kept ?? []).filter(({ id, added }) => added && !unseen.has(id));
  if (left.length === 0) return NO_TEXT;
  const names = left
    .slice(0, MAX_EDITS)
    .map(({ id, knownText }) => modelText`${shortQuote(knownText)} (${line(id)})`);
  if (left.length > MAX_EDITS) names.push(modelText`${left.length - MAX_EDITS} more`);
  const them = left.length === 1 ? "it" : "them";
  return modelText`Kept ${joinText(names, ", ")}: the user added ${them}. Leaving ${them} out does not remove ${them}.`;
}

/** The list in few bytes; only the start of a very long one. */
function renderShort(todos: readonly Todo[]): ModelText {
  const lines = todos.slice(0, MAX_SHOWN).map((todo) => renderBrief(todo, 100));
  if (todos.length > MAX_SHOWN) lines.push(modelText`\u2026 and ${todos.length - MAX_SHOWN} more.`);
  return joinText(lines, "\n");
}
