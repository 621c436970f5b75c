import type { Observation } from "../../core/activity/observation.ts";

/** Assigns ids to calls that were observed without one: ACP requires an id for every call. */
export interface CallIds {
  /** Returns the observation with a call id; the end of a call whose start was not observed gets none. */
  identify(seen: Observation, newId: () => string): Observation;
}

/** More than run at the same time. Bounds the list when calls never end. */
const MAX_OPEN = 256;

/** An end without an id closes the oldest open call with its name, as everywhere in Waymark. */
export function openCallIds(): CallIds {
  let open: { readonly name: string; readonly id: string }[] = [];
  const indexOf = (name: string | undefined) =>
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
          const index = indexOf(seen.name);
          const [call] = index === -1 ? [] : open.splice(index, 1);
          return call ? { ...seen, callId: call.id } : seen;
        }
        case "turn.completed":
        case "turn.failed":
        case "turn.cancelled":
        case "session.ended":
          // Calls that are still open were abandoned.
          open = [];
          return seen;
        default:
          return seen;
      }
    },
  };
}
