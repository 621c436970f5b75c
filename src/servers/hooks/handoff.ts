import type { Handoff } from "../../core/handoff/handoff.ts";
import { handoffText } from "../../core/handoff/text.ts";
import type { Reminder, TrackId } from "../../core/model.ts";
import { takeOffer } from "../../home/handoff/offers.ts";
import type { Tracker } from "../../tracker.ts";
import type { TrackTarget } from "./input.ts";

/**
 * Continues a list that is offered to this agent in its directory. Returns the first message for the model; undefined if
 * nothing is offered, or if the session has a list of its own.
 */
export async function acceptOffer(
  home: string,
  tracker: Tracker,
  { id, origin }: TrackTarget,
  now: number,
): Promise<Reminder | undefined> {
  const { agentType, cwd } = origin;
  const list = tracker.list(id, origin);
  if (cwd === undefined || (await list.read()).todos.length > 0) return undefined;
  const handoff = takeOffer(home, { agentType, cwd, session: id.session }, now);
  return handoff && acceptHandoff(tracker, { id, origin }, handoff);
}

/** Continues a list in another session and records it with both. */
export async function acceptHandoff(
  tracker: Tracker,
  { id, origin }: TrackTarget,
  handoff: Handoff,
): Promise<Reminder> {
  const text = handoffText(handoff, true);
  const reminder: Reminder = { kind: "recovery", text, isMeta: true };
  const list = tracker.list(id, origin);
  await list.observe([], { handoff, moment: "start", given: reminder, via: "waymark handoff" });
  const { session, agent } = handoff.from;
  const former: TrackId = { session, agent };
  // A session that is known only from its transcript has no track of ours.
  if ((await tracker.list(former).read()).version > 0)
    await tracker.list(former).observe([], { passedTo: id, via: "waymark handoff" });
  return reminder;
}
