import type { CallRef, Observation } from "../activity/observation.ts";
import type { Event } from "../model.ts";
import type { Writable } from "../writable.ts";

/** A tool call on the timeline. */
export interface CallMark {
  readonly at: number;
  readonly kind: "read" | "edit" | "check";
  readonly label: string;
  /** The id in the agent's own file, if it has one. */
  readonly callId?: string;
  readonly endedAt?: number;
  readonly ok?: boolean;
}

/** An event of the session that is not a tool call. */
export interface SessionEvent {
  readonly at: number;
  readonly what: "asked" | "compacted" | "failed" | "list refused";
}

/** The activity of an agent besides writing its list. */
export interface ActivityTimeline {
  readonly calls: readonly CallMark[];
  readonly happenings: readonly SessionEvent[];
  /** Number of older calls that were dropped. */
  readonly left: number;
}

/** More than a screen can show. */
const MAX_CALLS = 2_000;
const MAX_HAPPENINGS = 500;

type Started = Writable<CallMark> & {
  readonly id: string;
};

/** Builds a timeline from observations, in order. */
export function createTimeline() {
  const calls: Started[] = [];
  const happenings: SessionEvent[] = [];
  let left = 0;
  const addEvent = (event: SessionEvent): void => {
    happenings.push(event);
    if (happenings.length > MAX_HAPPENINGS) happenings.shift();
  };
  const openCall = ({ callId, name }: CallRef): Started | undefined =>
    calls.findLast(({ id, endedAt }) => id === (callId ?? name) && endedAt === undefined);
  return {
    /** Whether the call that ended is a check. */
    isCheck: (call: CallRef): boolean => openCall(call)?.kind === "check",
    add(seen: Observation): void {
      const { at } = seen;
      switch (seen.type) {
        case "tool.started": {
          const { callId, name, label, edits, check } = seen;
          const kind = check !== undefined ? "check" : edits ? "edit" : "read";
          calls.push({
            id: callId ?? name,
            at,
            kind,
            label,
            ...(callId !== undefined && { callId }),
          });
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
          addEvent({ at, what: "asked" });
          return;
        case "session.compacted":
          addEvent({ at, what: "compacted" });
          return;
        case "turn.failed":
          addEvent({ at, what: "failed" });
          return;
        case "list.refused":
          if (!seen.partial) addEvent({ at, what: "list refused" });
          return;
        default:
          return;
      }
    },
    timeline: (): ActivityTimeline => ({
      calls: calls.map(({ id: _, ...call }) => call),
      happenings,
      left,
    }),
  };
}

/** The timeline of the activity that hosts reported for a list. */
export function activityTimelineOf(events: Iterable<Event>): ActivityTimeline {
  const { add, timeline } = createTimeline();
  for (const { changes } of events)
    for (const change of changes)
      if (change.type === "observed") for (const seen of change.observations) add(seen);
  return timeline();
}
