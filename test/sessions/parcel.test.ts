import { expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack, evolve } from "../../src/core/evolve.ts";
import type { Change, Event } from "../../src/core/model.ts";
import type { Head } from "../../src/sessions/remote/connection.ts";
import { parcelOf, type Sending } from "../../src/sessions/remote/parcel.ts";

const id = { session: "s", agent: "main" };
const NOON = 1_800_000_000_000;
const HOUR = 3_600_000;

function eventsAt(...times: readonly number[]): readonly Event[] {
  return times.map((at, place) => {
    const n = String(place + 1);
    const added: Change = {
      type: "todo.added",
      todo: { id: n, text: `todo ${n}`, status: "pending" },
    };
    return { seq: place + 1, key: `k${n}`, at, by: "agent", via: "test", changes: [added] };
  });
}

function sendingOf(happened: readonly Event[], past: readonly Event[] = happened): Sending {
  const track = happened.reduce(evolve, emptyTrack(id));
  const live = {
    ...id,
    agentType: "codex",
    track,
    activity: emptyActivity(),
    ended: false,
    compactions: 0,
    skipped: {},
  };
  return {
    id,
    state: { live, updatedAt: track.updatedAt },
    past: async () => past,
  };
}

/** What is sent where nothing was heard live. */
async function sentOf(sending: Sending, head?: Head) {
  const parcel = await parcelOf(sending, head, []);
  return { parcel, keys: parcel?.events.map(({ key }) => key), anew: parcel?.anew };
}

test("a clock that was set back takes nothing from the history of a list", async () => {
  const events = eventsAt(NOON, NOON + 60_000, NOON - HOUR, NOON - HOUR + 1_000);
  expect(await sentOf(sendingOf(events.slice(0, 3)))).toMatchObject({
    keys: ["k1", "k2", "k3"],
    anew: true,
  });
  const { parcel } = await sentOf(sendingOf(events.slice(0, 2)));
  expect(await sentOf(sendingOf(events.slice(0, 3)), parcel)).toMatchObject({
    keys: ["k3"],
    anew: false,
  });
  // Also where the last that happened is not sent.
  const [one, two, three] = events as [Event, Event, Event];
  const seen: Event = { ...three, changes: [{ type: "observed", observations: [] }] };
  expect(await sentOf(sendingOf([one, two, seen]))).toMatchObject({
    keys: ["k1", "k2"],
  });
});

test("what happens while the past is read belongs to the next parcel", async () => {
  const events = eventsAt(NOON, NOON - HOUR, NOON - HOUR + 1_000);
  expect(await sentOf(sendingOf(events.slice(0, 2), events))).toMatchObject({
    keys: ["k1", "k2"],
  });
});

test("a past that knows of more than was counted is sent up to its end", async () => {
  const closely = eventsAt(NOON, NOON + 1_000, NOON + 2_000);
  const [first, , last] = closely as [Event, Event, Event];
  const counted = [first, { ...last, seq: 2 }];
  expect(await sentOf(sendingOf(counted, closely))).toMatchObject({
    keys: ["k1", "k2", "k3"],
  });
});
