import type { Todo, Track } from "../core/model.ts";
import { cutBytes, oneLine } from "../core/safe-text.ts";
import { currentOf, isFinished, nextOf, type Progress, progressOf } from "../core/view.ts";

/** A list as programs are given it. */
export interface ListForm {
  readonly session: string;
  readonly agent: string;
  readonly todos: readonly Todo[];
  readonly progress: Progress;
  readonly current: Todo | null;
  readonly next: Todo | null;
  readonly finished: boolean;
  readonly version: number;
}

export function listForm({ session, agent, todos, version }: Track): ListForm {
  return {
    session,
    agent,
    todos,
    progress: progressOf(todos),
    current: currentOf(todos) ?? null,
    next: nextOf(todos) ?? null,
    finished: isFinished(todos),
    version,
  };
}

function named({ id, text }: Todo): string {
  return `${id} ${cutBytes(oneLine(text), 60)}`;
}

/** How a list stands, in one line. */
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
