import type { Todo, Track } from "../../core/model.ts";
import { cutBytes, oneLine } from "../../core/text/escape.ts";
import { currentOf, isFinished, nextOf, progressOf } from "../../core/views/view.ts";

export { type ListForm, listForm, todoForm } from "../../core/views/json.ts";

function named({ id, text }: Todo): string {
  return `${id} ${cutBytes(oneLine(text), 60)}`;
}

/** The state of a list in one line. */
export function listLine({ todos }: Pick<Track, "todos">): string {
  if (todos.length === 0) return "The list is empty.";
  const { completed, total } = progressOf(todos);
  const current = currentOf(todos);
  const next = nextOf(todos);
  const parts = [
    `${completed} of ${total} completed`,
    ...(current ? [`now ${named(current)}`] : []),
    ...(next ? [`next ${named(next)}`] : []),
    ...(isFinished(todos) ? ["the list is finished"] : []),
  ];
  return parts.join("; ");
}
