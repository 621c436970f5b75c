import type { RefusedWrite, Todo, Track } from "../model.ts";
import { currentOf, isFinished, nextOf, type Progress, progressOf } from "./view.ts";

/** A time as ISO 8601. Records of other programs hold any number as a time. */
export function timeForm(at: number): string | null {
  return at > 0 && at <= 8.64e15 ? new Date(at).toISOString() : null;
}

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
  /** The agent's last list write was refused. */
  readonly refused?: Omit<RefusedWrite, "at"> & { readonly at: string | null };
  /** Why the agent wrote the list as it is. */
  readonly explanation?: string;
}

export function listForm(track: Track): ListForm {
  const { session, agent, todos, version, refused, explanation } = track;
  return {
    session,
    agent,
    todos,
    progress: progressOf(todos),
    current: currentOf(todos) ?? null,
    next: nextOf(todos) ?? null,
    finished: isFinished(todos),
    version,
    ...(refused && { refused: { ...refused, at: timeForm(refused.at) } }),
    ...(explanation !== undefined && { explanation }),
  };
}
