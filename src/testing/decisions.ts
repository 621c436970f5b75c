import type { Change, Decision, Event, Rejection, Track } from "../core/model.ts";
import { modelText } from "../core/text/model-text.ts";

/** The time of event n of the suite is `START + n`. */
export const START = 1_700_000_000_000;

/** The function that a commit calls. */
export type Decide = (track: Track) => Decision;

function keep(
  track: Track,
  key: string,
  changes: readonly Change[],
  more?: Partial<Event>,
): Decision {
  const seq = track.version + 1;
  return {
    ok: true,
    event: { seq, key, at: START + seq, by: "agent", via: "suite", changes, ...more },
  };
}

/** Adds one todo. The first event of a track also sets its directory. */
export function addTodo(key: string, text: string, cwd = "/home/someone/project"): Decide {
  return (track) => {
    const opened: Change[] = track.version === 0 ? [{ type: "track.opened", cwd }] : [];
    const id = String(track.nextId);
    return keep(track, key, [
      ...opened,
      { type: "todo.added", todo: { id, text, status: "pending" } },
    ]);
  };
}

export function noChange(key: string): Decide {
  return (track) => keep(track, key, []);
}

export const REFUSAL: Rejection = { code: "too_many", message: modelText`The list is full.` };

export function refuseAll(): Decide {
  return () => ({ ok: false, rejected: [REFUSAL] });
}

/** Stores an event, but refuses a part of the submission. */
export function refusePart(key: string): Decide {
  return (track) => keep(track, key, [], { rejected: [REFUSAL] });
}

export function neverCalled(): Decide {
  return () => {
    throw new Error("decide must not be called");
  };
}
