import type { Observation } from "../../core/activity/observation.ts";

/** Gives calls that were observed without an id one: ACP has no calls without. */
export interface CallIds {
  /** The observation with an id, where it is about a call; an end that no start is known of has none. */
  identify(seen: Observation, newId: () => string): Observation;
}

/** More calls than run at once; a start that never ended must not be kept for ever. */
const MAX_OPEN = 256;

/** Ends belong to the oldest open call of their name, as everywhere in Waymark. */
export function openCallIds(): CallIds {
  let open: { readonly name: string; readonly id: string }[] = [];
  const placeOf = (name: string | undefined) =>
    name === undefined ? 0 : open.findIndex((call) => call.name === name);
  return {
    identify(seen, newId) {
      switch (seen.type) {
        case "tool.started": {
          if (seen.callId !== undefined) return seen;
          const callId = newId();
          open.push({ name: seen.name, id: callId });
          if (open.length > MAX_OPEN) open.shift();
          return { ...seen, callId };
        }
        case "tool.completed":
        case "tool.failed": {
          if (seen.callId !== undefined) return seen;
          const place = placeOf(seen.name);
          const [call] = place === -1 ? [] : open.splice(place, 1);
          return call ? { ...seen, callId: call.id } : seen;
        }
        case "turn.completed":
        case "turn.failed":
        case "turn.cancelled":
        case "session.ended":
          // What is still open will not end any more.
          open = [];
          return seen;
        default:
          return seen;
      }
    },
  };
}
