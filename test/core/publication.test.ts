import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Proof } from "../../src/core/checks/proof.ts";
import { emptyTrack, evolve } from "../../src/core/evolve.ts";
import { decide } from "../../src/core/list/decide.ts";
import { DEFAULT_POLICY } from "../../src/core/list/policy.ts";
import type { Event, Track } from "../../src/core/model.ts";
import { trackKey } from "../../src/core/text/ids.ts";
import { applyFeedChange, openPublication } from "../../src/core/views/changes.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";

interface Sourced extends MergedTrack {
  readonly file?: object;
  readonly relay?: object;
}

const open = () =>
  openPublication<Sourced>(
    ({ file, relay }) => [file, relay],
    ({ file: _, relay: __, ...shown }) => shown,
  );

function added(track: Track, text: string): Event {
  const at = track.version + 1;
  const ops = [{ op: "add" as const, todos: [{ text: `${text} ${at}` }] }];
  const write = { key: `k${at}`, at, by: "agent" as const, via: "test", ops };
  const decision = decide(track, write, DEFAULT_POLICY);
  if (!decision.ok) throw new Error(decision.rejected[0]?.message);
  return decision.event;
}

function trackOf(session: string, ...texts: readonly string[]): Track {
  return texts.reduce(
    (track, text) => evolve(track, added(track, text)),
    emptyTrack({ session, agent: "main" }),
  );
}

const merged = (track: Track, more: Partial<Sourced> = {}): Sourced => ({
  track,
  hosted: true,
  state: "working",
  findings: [],
  updatedAt: 1,
  ...more,
});

const proof: Proof = {
  check: "test",
  command: "npm test",
  ok: true,
  exitCode: 0,
  at: 1,
  durationMs: 1,
  tree: "t",
} as Proof;
const proven = (more: Partial<Proof> = {}): Partial<Sourced> => {
  const track = trackOf("s", "one", "two");
  const [first, ...rest] = track.todos;
  if (!first) throw new Error("no todo");
  return { track: { ...track, todos: [{ ...first, proof: { ...proof, ...more } }, ...rest] } };
};
const muted = { kind: "looping", message: "m", key: "k" } as const;
const finding = {
  kind: "generic_repeat",
  level: "warning",
  label: "l",
  count: 1,
  message: "m",
} as const;

describe("a published track", () => {
  const track = trackOf("s", "one", "two");
  const changesFrom = (before: Partial<Sourced>, after: Partial<Sourced>) => {
    const publication = open();
    publication.update([merged(track, before)]);
    return publication.update([merged(track, after)]);
  };
  const [one, other] = [{}, {}];
  const waiting = { kind: "question", text: "Which?", since: 1 } as const;
  const steps: Readonly<Record<string, readonly [Partial<Sourced>, Partial<Sourced>]>> = {
    "a state": [{}, { state: "idle" }],
    "a request": [{}, { waiting }],
    "the kind of a request": [{ waiting }, { waiting: { ...waiting, kind: "plan" } }],
    "a later update": [{}, { updatedAt: 2 }],
    "a finding": [{}, { findings: [finding] }],
    "the archive": [{}, { archived: {} }],
    "the time of archiving": [{ archived: { at: 1 } }, { archived: { at: 2 } }],
    "automatic archiving instead of the user's": [{ archived: { at: 1 } }, { archived: {} }],
    "the end of the archive": [{ archived: {} }, {}],
    "a mute": [{}, { muted: [muted] }],
    "a second mute": [{ muted: [muted] }, { muted: [muted, { ...muted, kind: "stalled" }] }],
    "the kind of a mute": [{ muted: [muted] }, { muted: [{ ...muted, kind: "stalled" }] }],
    "the end of a mute": [{ muted: [muted] }, { muted: [{ ...muted, until: 9 }] }],
    "a mute until a change": [{ muted: [muted] }, { muted: [{ ...muted, untilChange: true }] }],
    "the agent's file": [{ file: one }, { file: other }],
    "the other machine": [{ relay: one }, { relay: other }],
    "a source that is gone": [{ file: one }, {}],
  };

  test.each(Object.entries(steps))("is published again after a change of %s", (_, [from, to]) => {
    const { file: _file, relay: _relay, track: own, ...shown } = merged(track, to);
    const { mode, openedAt } = own;
    expect(changesFrom(from, to)).toStrictEqual([
      {
        type: "status",
        status: { id: { session: "s", agent: "main" }, ...shown, about: { mode, openedAt } },
      },
    ]);
    expect(changesFrom(from, { ...from })).toEqual([]);
    expect(changesFrom(to, { ...to })).toEqual([]);
  });

  test.each([
    ["a proof", {}, proven()],
    ["the time of a proof", proven(), proven({ at: 2 })],
    ["its result", proven(), proven({ ok: false })],
    ["its acceptance", proven(), proven({ accepted: true })],
    ["edits after it", proven(), proven({ staleEdits: 2 })],
    ["the list", {}, { track: trackOf("s", "one", "two", "three") }],
  ])("is published again as a whole after a change of %s", (_, from, to) => {
    expect(changesFrom(from, to)).toEqual([{ type: "opened", track: merged(track, to) }]);
    expect(changesFrom(to, { ...to })).toEqual([]);
  });

  test("is not published again for what only time changes", () => {
    const since = { findings: [finding], stallsAt: 5, waiting };
    expect(
      changesFrom(since, {
        findings: [{ ...finding, count: 2, message: "later" }],
        stallsAt: 6,
        waiting: { ...waiting },
      }),
    ).toEqual([]);
  });

  test("is published without its sources", () => {
    const [change] = open().update([merged(track, { file: one, relay: other })]);
    expect(change).toStrictEqual({ type: "opened", track: merged(track) });
  });
});

describe("noted updates", () => {
  test("publish their events in order, once", () => {
    const publication = open();
    const track = trackOf("s", "one");
    publication.update([merged(track)]);
    const second = added(track, "two");
    const third = added(evolve(track, second), "three");
    for (const event of [second, third]) publication.note(track, event);
    const now = merged(evolve(evolve(track, second), third));
    const types = publication
      .update([now])
      .map((each) => ("event" in each ? each.event : each.type));
    expect(types).toEqual([second, third, "status"]);
    expect(publication.update([now])).toEqual([]);
  });

  test("publish a track that looks the same, and no other", () => {
    const publication = open();
    const tracks = [merged(trackOf("a", "one")), merged(trackOf("b", "one"))];
    publication.update(tracks);
    publication.note({ session: "b", agent: "main" }, undefined);
    const changes = publication.update(tracks);
    expect(changes.map((each) => ("status" in each ? each.status.id.session : each.type))).toEqual([
      "b",
    ]);
    expect(publication.update(tracks)).toEqual([]);
  });
});

test("tracks that are no longer there are published as gone, once", () => {
  const publication = open();
  const tracks = ["a", "b", "c"].map((session) => merged(trackOf(session, "one")));
  publication.update(tracks);
  expect(publication.update(tracks.slice(1, 2))).toEqual([
    { type: "gone", id: { session: "a", agent: "main" } },
    { type: "gone", id: { session: "c", agent: "main" } },
  ]);
  expect(publication.update(tracks.slice(1, 2))).toEqual([]);
  expect(publication.update(tracks).map(({ type }) => type)).toEqual(["opened", "opened"]);
});

test("an active track may change when it counts as stalled, any track when a mute ends", () => {
  const may = (more: Partial<Sourced>, now: number) => {
    const publication = open();
    publication.update([
      merged(trackOf("other", "one"), { state: "idle" }),
      merged(trackOf("s"), more),
    ]);
    return publication.mayChange(now);
  };
  expect(open().mayChange(10)).toBe(false);
  expect([9, 10, 11].map((now) => may({ stallsAt: 10 }, now))).toEqual([false, true, true]);
  expect(may({ state: "idle", stallsAt: 10 }, 11)).toBe(false);
  expect(may({}, 0)).toBe(true);
  const mutes = (until?: number) => {
    const own = {
      state: "idle",
      muted: [muted, until === undefined ? muted : { ...muted, until }],
    } as const;
    return [9, 10, 11].map((now) => may(own, now));
  };
  expect(mutes()).toEqual([false, false, false]);
  expect(mutes(10)).toEqual([false, true, true]);
});

test("applying every change gives the published tracks, whatever updates were noted", () => {
  const sessions = ["a", "b", "c"] as const;
  const step = fc.record({
    session: fc.constantFrom(...sessions),
    what: fc.constantFrom("write", "lost", "remove", "state", "nothing"),
    isLater: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const publication = open();
      const tracks = new Map<string, Sourced>();
      let board: ReadonlyMap<string, MergedTrack> = new Map();
      for (const { session, what, isLater } of steps) {
        const known = tracks.get(session) ?? merged(trackOf(session));
        const event = added(known.track, what);
        if (what === "remove") tracks.delete(session);
        else if (what === "state") tracks.set(session, { ...known, state: "idle" });
        else if (what !== "nothing")
          // A source that was read again is another object, though its version may be the same.
          tracks.set(session, { ...known, file: {}, track: evolve(known.track, event) });
        if (what === "write") publication.note(known.track, event);
        if (isLater) continue;
        for (const change of publication.update([...tracks.values()]))
          board = applyFeedChange(board, change);
        const shown = [...tracks.values()].map(({ file: _, ...each }) => each);
        expect([...board.values()].sort(bySession)).toEqual(shown.sort(bySession));
        expect([...board.keys()].sort()).toEqual(
          [...tracks.values()].map((each) => trackKey(each.track)).sort(),
        );
      }
    }),
  );
});

function bySession(a: MergedTrack, b: MergedTrack): number {
  return a.track.session < b.track.session ? -1 : 1;
}
