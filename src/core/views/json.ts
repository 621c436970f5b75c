import type { RefusedWrite, Todo, Track } from "../model.ts";
import { currentOf, isFinished, nextOf, type Progress, progressOf } from "./view.ts";

/** A time in ISO 8601; null if it is out of range, as in some records of other programs. */
export function isoTime(at: number): string | null {
  return at > 0 && at <= 8.64e15 ? new Date(at).toISOString() : null;
}

/** The JSON form of a list. */
export interface ListForm {
  readonly session: string;
  readonly agent: string;
  readonly todos: readonly Todo[];
  readonly progress: Progress;
  readonly current: Todo | null;
  readonly next: Todo | null;
  readonly finished: boolean;
  readonly version: number;
  /** Present if the agent's last list write was refused. */
  readonly refused?: Omit<RefusedWrite, "at"> & { readonly at: string | null };
  /** The agent's explanation of its last list write. */
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
    ...(refused && { refused: { ...refused, at: isoTime(refused.at) } }),
    ...(explanation !== undefined && { explanation }),
  };
}
