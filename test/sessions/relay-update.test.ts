import { describe, expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import { emptyTrack, evolve } from "../../src/core/evolve.ts";
import type { Change, Event } from "../../src/core/model.ts";
import type { RelayHead } from "../../src/sessions/remote/connection.ts";
import { type LocalTrack, relayUpdateOf } from "../../src/sessions/remote/relay-update.ts";

const id = { session: "s", agent: "main" };
const NOON = 1_800_000_000_000;
const HOUR = 3_600_000;

function eventsAt(...times: readonly number[]): readonly Event[] {
  return times.map((at, index) => {
    const n = String(index + 1);
    const added: Change = {
      type: "todo.added",
      todo: { id: n, text: `todo ${n}`, status: "pending" },
    };
    return { seq: index + 1, key: `k${n}`, at, by: "agent", via: "test", changes: [added] };
  });
}

function localTrack(happened: readonly Event[], past: readonly Event[] = happened): LocalTrack {
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
    readEvents: async () => past,
  };
}

/** The update without events received live. */
async function sentOf(sending: LocalTrack, head?: RelayHead) {
  const update = await relayUpdateOf(sending, head, []);
  return { update, keys: update?.events.map(({ key }) => key), anew: update?.replacesHistory };
}

test("sends the whole history after the clock was set back", async () => {
  const events = eventsAt(NOON, NOON + 60_000, NOON - HOUR, NOON - HOUR + 1_000);
  expect(await sentOf(localTrack(events.slice(0, 3)))).toMatchObject({
    keys: ["k1", "k2", "k3"],
    anew: true,
  });
  const { update } = await sentOf(localTrack(events.slice(0, 2)));
  expect(await sentOf(localTrack(events.slice(0, 3)), update)).toMatchObject({
    keys: ["k3"],
    anew: false,
  });
  // Also if the last event is not shared.
  const [one, two, three] = events as [Event, Event, Event];
  const seen: Event = { ...three, changes: [{ type: "observed", observations: [] }] };
  expect(await sentOf(localTrack([one, two, seen]))).toMatchObject({
    keys: ["k1", "k2"],
  });
});

test("leaves events that are added during the read to the next update", async () => {
  const events = eventsAt(NOON, NOON - HOUR, NOON - HOUR + 1_000);
  expect(await sentOf(localTrack(events.slice(0, 2), events))).toMatchObject({
    keys: ["k1", "k2"],
  });
});

test("sends all events of a full read that finds more than the scan", async () => {
  const fullRead = eventsAt(NOON, NOON + 1_000, NOON + 2_000);
  const [first, , last] = fullRead as [Event, Event, Event];
  const counted = [first, { ...last, seq: 2 }];
  expect(await sentOf(localTrack(counted, fullRead))).toMatchObject({
    keys: ["k1", "k2", "k3"],
  });
});

describe("the update of a track", () => {
  const events = eventsAt(NOON, NOON + 1_000, NOON + 2_000);
  const two = localTrack(events.slice(0, 2));
  const headOf = async (sending: LocalTrack): Promise<RelayHead> => {
    const update = await relayUpdateOf(sending, undefined, []);
    if (!update) throw new Error("nothing to send");
    return update;
  };

  test("has everything for a server without the track", async () => {
    expect(await relayUpdateOf(two, undefined, [])).toMatchObject({
      id,
      updatedAt: NOON + 1_000,
      version: 2,
      eventCount: 2,
      lastKey: "k2",
      events: [{ key: "k1" }, { key: "k2" }],
      replacesHistory: true,
      state: JSON.stringify(two.state),
    });
  });

  test("is empty if the server is up to date, whatever the order of fields", async () => {
    const head = await headOf(two);
    expect(await relayUpdateOf(two, head, [])).toBeUndefined();
    const { live, updatedAt } = two.state;
    const reversed = Object.fromEntries(Object.entries(live).reverse()) as typeof live;
    expect(await relayUpdateOf({ ...two, state: { updatedAt, live: reversed } }, head, [])).toBe(
      undefined,
    );
  });

  test("has no events if the list did not change", async () => {
    const head = await headOf(two);
    const state = { ...two.state, live: { ...two.state.live, ended: true } };
    expect(await relayUpdateOf({ ...two, state }, head, [])).toMatchObject({
      eventCount: 2,
      lastKey: "k2",
      events: [],
      replacesHistory: false,
    });
  });

  test("has the received events, without reading the history", async () => {
    const head = await headOf(two);
    const three: LocalTrack = {
      ...localTrack(events),
      readEvents: () => Promise.reject(new Error("the history is not needed")),
    };
    expect(await relayUpdateOf(three, head, events)).toMatchObject({
      eventCount: 3,
      lastKey: "k3",
      events: [{ key: "k3" }],
      replacesHistory: false,
    });
  });

  test("is read from the history if some events were not received", async () => {
    const head = await headOf(localTrack(events.slice(0, 1)));
    for (const received of [[], events.slice(1, 2), events.slice(2)])
      expect(await relayUpdateOf(localTrack(events), head, received)).toMatchObject({
        eventCount: 3,
        events: [{ key: "k2" }, { key: "k3" }],
        replacesHistory: false,
      });
  });

  test("is read from the history if events were received out of order, or of another version", async () => {
    const head = await headOf(localTrack(events.slice(0, 1)));
    const [one, two, three] = events as [Event, Event, Event];
    const later: Event = { ...three, seq: 4, key: "k4" };
    const read = { eventCount: 3, lastKey: "k3", events: [{ key: "k2" }, { key: "k3" }] };
    for (const received of [
      [three, two],
      [two, two],
      [three, three],
      [two, later],
      [one, two],
    ])
      expect(await relayUpdateOf(localTrack(events), head, received)).toMatchObject(read);
    // Events after the state that is sent belong to the next update.
    const known: LocalTrack = {
      ...localTrack(events),
      readEvents: () => Promise.reject(new Error("the history is not needed")),
    };
    expect(await relayUpdateOf(known, head, [one, two, three, later])).toMatchObject(read);
  });

  test("replaces a history that this machine no longer has", async () => {
    const head = await headOf(two);
    const other = eventsAt(NOON, NOON + 1_000, NOON + 2_000).map((event) => ({
      ...event,
      key: `other ${event.key}`,
    }));
    expect(await relayUpdateOf(localTrack(other), head, [])).toMatchObject({
      eventCount: 3,
      lastKey: "other k3",
      replacesHistory: true,
    });
  });

  test("starts with the current list if there is no history", async () => {
    const update = await relayUpdateOf(localTrack(events, []), undefined, []);
    expect(update).toMatchObject({ eventCount: 1, replacesHistory: true });
    expect(update?.events[0]).toMatchObject({
      seq: 1,
      at: NOON + 2_000,
      by: "system",
      changes: [{ type: "todo.added" }, { type: "todo.added" }, { type: "todo.added" }],
    });
    expect(update?.lastKey).toBe(update?.events[0]?.key);
  });

  test("has no history without a list", async () => {
    const empty = localTrack([]);
    const first = await relayUpdateOf(empty, undefined, []);
    expect(first).toMatchObject({ eventCount: 0, events: [], replacesHistory: false });
    expect(first?.lastKey).toBeUndefined();
    // The history of a list that no longer exists is removed.
    expect(await relayUpdateOf(empty, await headOf(two), [])).toMatchObject({
      eventCount: 0,
      events: [],
      replacesHistory: true,
    });
  });

  test("leaves out observations and reminders", async () => {
    const [one, twoth] = events as readonly [Event, Event];
    const mixed: Event = {
      ...twoth,
      changes: [{ type: "observed", observations: [] }, ...twoth.changes],
    };
    const update = await relayUpdateOf(localTrack([one, mixed]), undefined, []);
    expect(update?.events.map(({ changes }) => changes.map(({ type }) => type))).toEqual([
      ["todo.added"],
      ["todo.added"],
    ]);
  });
});
