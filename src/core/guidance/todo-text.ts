import type { Todo } from "../model.ts";
import { joinText, line, type ModelText, modelText, NO_TEXT, quote } from "../text/model-text.ts";
import { shortTodoLine } from "../views/todo-line.ts";

const MAX_BLOCKER = 80;
const MAX_BLOCKERS = 5;
const MAX_NOTES = 5;

export interface TodoTextOptions {
  /** Start with the id, for tools that take it. */
  readonly ids: boolean;
  readonly encode?: (text: string, max: number) => ModelText;
}

/** A todo as reminders show it: `8 [>] "Add the index"`, `9 [!] "Deploy" (blocked: "no key")`. */
export function todoText(todo: Todo, { ids, encode }: TodoTextOptions): ModelText {
  const id = ids ? modelText`${line(todo.id)} ` : NO_TEXT;
  return modelText`${id}${shortTodoLine(todo, encode)}${blockerText(todo, ids)}`;
}

/** Why a todo cannot continue: a reason, or the ids of other todos for tools that take ids. */
export function blockerText({ status, blocker, blockedBy }: Todo, ids: boolean): ModelText {
  if (status !== "blocked") return NO_TEXT;
  if (blocker !== undefined) return modelText` (blocked: ${quote(blocker, MAX_BLOCKER)})`;
  if (blockedBy === undefined || !ids) return NO_TEXT;
  const names = blockedBy
    .slice(0, MAX_BLOCKERS)
    .map((id) => (isId(id) ? line(id) : shortQuote(id)));
  return modelText` (blocked by ${joinText(names, ", ")})`;
}

/** A link that could not be resolved keeps the id that the agent sent. */
function isId(id: string): boolean {
  return /^\d+$/.test(id);
}

function shortQuote(text: string): ModelText {
  return quote(text, MAX_BLOCKER / 4);
}

/** The last notes of a todo, one on each line. */
export function noteLines({ notes = [] }: Todo): readonly ModelText[] {
  return notes.slice(-MAX_NOTES).map((note) => modelText`    note: ${quote(note)}`);
}

/** `7 of 12 done`, and how many of those are verified. */
export function progressText(completed: number, total: number, verified: number): ModelText {
  const proven = completed > 0 ? modelText`, ${verified} verified` : NO_TEXT;
  return modelText`${completed} of ${total} done${proven}.`;
}
