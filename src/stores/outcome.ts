import { WaymarkError } from "../core/error.ts";
import { evolve } from "../core/evolve.ts";
import type { Decision, Event, Outcome, Rejection, Track } from "../core/model.ts";

/** The outcome of a commit whose key was used before. */
export function duplicateOutcome(event: Event, now: Track): Outcome {
  const rejected = event.rejected ?? [];
  return { ok: rejected.length === 0, duplicate: true, event, rejected, before: now, after: now };
}

function refusedOutcome(rejected: readonly Rejection[], now: Track): Outcome {
  return { ok: false, duplicate: false, rejected, before: now, after: now };
}

/** Applies a decision to a track. The store then writes the event, if there is one. */
export function outcomeOf(before: Track, key: string, decision: Decision): Outcome {
  if (!decision.ok) return refusedOutcome(decision.rejected, before);
  const { event } = decision;
  if (event.seq !== before.version + 1 || event.key !== key)
    throw new WaymarkError(
      "bad_event",
      `The event "${event.key}" with number ${event.seq} does not follow version ${before.version} of ` +
        `track ${before.session}/${before.agent} under key "${key}". Nothing was stored. \`decide\` must ` +
        "return the next event of the given track, with the key of the commit.",
    );
  const rejected = event.rejected ?? [];
  return {
    ok: rejected.length === 0,
    duplicate: false,
    event,
    rejected,
    before,
    after: evolve(before, event),
  };
}
