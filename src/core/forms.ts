import type { Todo, Track } from "./model.ts";
import { currentOf, isFinished, nextOf, type Progress, progressOf } from "./view.ts";

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
