import type { Change, Decision, Event, Rejection, Track } from "../core/model.ts";
import { modelText } from "../core/text/model-text.ts";

/** When the events of the suite happen: the number of the event counted from here. */
export const START = 1_700_000_000_000;

export type Judge = (track: Track) => Decision;

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

/** Adds one todo; the first event of a track also says where it runs. */
export function adds(key: string, text: string, cwd = "/home/someone/project"): Judge {
  return (track) => {
    const opened: Change[] = track.version === 0 ? [{ type: "track.opened", cwd }] : [];
    const id = String(track.nextId);
    return keep(track, key, [
      ...opened,
      { type: "todo.added", todo: { id, text, status: "pending" } },
    ]);
  };
}

export function changesNothing(key: string): Judge {
  return (track) => keep(track, key, []);
}

export const REFUSAL: Rejection = { code: "too_many", message: modelText`The list is full.` };

export function refuses(): Judge {
  return () => ({ ok: false, rejected: [REFUSAL] });
}

/** Keeps an event, yet refuses a part of what was asked. */
export function refusesPart(key: string): Judge {
  return (track) => keep(track, key, [], { rejected: [REFUSAL] });
}

export function neverAsked(): Judge {
  return () => {
    throw new Error("the judge was asked although it must not be");
  };
}
