import type { CallRef, Observation } from "../activity/observation.ts";
import type { Event } from "../model.ts";
import type { Writable } from "../writable.ts";

/** A tool call as a mark in time. */
export interface CallMark {
  readonly at: number;
  readonly kind: "read" | "edit" | "check";
  readonly label: string;
  readonly endedAt?: number;
  readonly ok?: boolean;
}

/** Something that happened to the agent, not to its list. */
export interface Happening {
  readonly at: number;
  readonly what: "asked" | "compacted" | "failed" | "list refused";
}

/** What an agent did, beside its list. */
export interface Story {
  readonly calls: readonly CallMark[];
  readonly happenings: readonly Happening[];
  /** Calls that are older than those that are kept. */
  readonly left: number;
}

/** More than a screen has places for. */
const MAX_CALLS = 2_000;
const MAX_HAPPENINGS = 500;

type Started = Writable<CallMark> & {
  readonly id: string;
};

/** Takes in what was observed, in order. */
export function newStory() {
  const calls: Started[] = [];
  const happenings: Happening[] = [];
  let left = 0;
  const happen = (happening: Happening): void => {
    happenings.push(happening);
    if (happenings.length > MAX_HAPPENINGS) happenings.shift();
  };
  const openCall = ({ callId, name }: CallRef): Started | undefined =>
    calls.findLast(({ id, endedAt }) => id === (callId ?? name) && endedAt === undefined);
  return {
    /** Whether the open call that an end is about is a check. */
    isCheck: (call: CallRef): boolean => openCall(call)?.kind === "check",
    note(seen: Observation): void {
      const { at } = seen;
      switch (seen.type) {
        case "tool.started": {
          const { callId, name, label, edits, check } = seen;
          const kind = check !== undefined ? "check" : edits ? "edit" : "read";
          calls.push({ id: callId ?? name, at, kind, label });
          if (calls.length > MAX_CALLS) {
            calls.shift();
            left++;
          }
          return;
        }
        case "tool.completed":
        case "tool.failed": {
          const call = openCall(seen);
          if (!call) return;
          call.endedAt = at;
          call.ok =
            seen.type === "tool.completed" &&
            (seen.exitCode ?? 0) === 0 &&
            seen.result !== "failed";
          return;
        }
        case "turn.started":
          happen({ at, what: "asked" });
          return;
        case "session.compacted":
          happen({ at, what: "compacted" });
          return;
        case "turn.failed":
          happen({ at, what: "failed" });
          return;
        case "list.refused":
          if (!seen.partial) happen({ at, what: "list refused" });
          return;
        default:
          return;
      }
    },
    story: (): Story => ({ calls: calls.map(({ id: _, ...call }) => call), happenings, left }),
  };
}

/** What hosts reported with the events of a list. */
export function storyOf(events: Iterable<Event>): Story {
  const { note, story } = newStory();
  for (const { changes } of events)
    for (const change of changes)
      if (change.type === "observed") for (const seen of change.observations) note(seen);
  return story();
}
