import { WaymarkError } from "../core/error.ts";
import { evolve } from "../core/evolve.ts";
import type { Decision, Event, Outcome, Rejection, Track } from "../core/model.ts";

export function duplicateOutcome(event: Event, now: Track): Outcome {
  const rejected = event.rejected ?? [];
  return { ok: rejected.length === 0, duplicate: true, event, rejected, before: now, after: now };
}

function refusedOutcome(rejected: readonly Rejection[], now: Track): Outcome {
  return { ok: false, duplicate: false, rejected, before: now, after: now };
}

/** What a decision makes of the track. The store keeps the event, if there is one, and answers. */
export function outcomeOf(before: Track, key: string, decision: Decision): Outcome {
  if (!decision.ok) return refusedOutcome(decision.rejected, before);
  const { event } = decision;
  if (event.seq !== before.version + 1 || event.key !== key)
    throw new WaymarkError(
      "bad_event",
      `The event "${event.key}" with number ${event.seq} does not follow version ${before.version} of ` +
        `track ${before.session}/${before.agent} under key "${key}": nothing was kept. A judge must ` +
        "number its event from the track it is given and use the key of the commit.",
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
