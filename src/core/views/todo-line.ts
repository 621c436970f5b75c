import type { Todo } from "../model.ts";
import { type ModelText, modelText, quote } from "../text/model-text.ts";

const MARKS = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]",
  blocked: "[!]",
} as const satisfies Readonly<Record<Todo["status"], string>>;

const MAX_TEXT = 240;

type Encode = (text: string, max: number) => ModelText;

/**
 * One line for a todo: mark, text, and after `<-` the active text or the blocker. Encoded texts contain no angle
 * bracket, so no text can contain `<-`.
 */
export function todoLine(todo: Todo, encode: Encode = quote): ModelText {
  const line = shortTodoLine(todo, encode);
  const { status, activeText } = todo;
  if (status === "in_progress" && activeText !== undefined)
    return modelText`${line} <- ${encode(activeText, MAX_TEXT / 2)}`;
  if (status !== "blocked") return line;
  const waits = todo.blocker ?? todo.blockedBy?.join(", ");
  return waits === undefined
    ? line
    : modelText`${line} <- waits for ${encode(waits, MAX_TEXT / 3)}`;
}

/** Mark and text of a todo. */
export function shortTodoLine({ status, text }: Todo, encode: Encode = quote): ModelText {
  return modelText`${MARKS[status]} ${encode(text, MAX_TEXT)}`;
}
