import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyTrack, evolve } from "../../src/core/evolve.ts";
import { decide } from "../../src/core/list/decide.ts";
import { DEFAULT_POLICY } from "../../src/core/list/policy.ts";
import type { Event, Op, Track } from "../../src/core/model.ts";
import { trackKey } from "../../src/core/text/ids.ts";
import { applyFeedChange, feedChanges } from "../../src/core/views/changes.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";

const ID = { session: "s", agent: "main" };

function joined(track: Track, more: Partial<MergedTrack> = {}): MergedTrack {
  return { track, hosted: true, state: "idle", findings: [], updatedAt: 1, ...more };
}

function write(track: Track, ops: readonly Op[]): Event {
  const decision = decide(
    track,
    {
      key: `k${track.version}`,
      at: track.version + 1,
      by: "agent",
      via: "test",
      ops,
    },
    DEFAULT_POLICY,
  );
  if (!decision.ok) throw new Error(decision.rejected[0]?.message);
  return decision.event;
}

const texts = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 6 });

test("converges on the current state whatever updates were lost", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(texts, fc.boolean(), fc.boolean()), { maxLength: 12 }),
      (writes) => {
        let track = emptyTrack(ID);
        let received: MergedTrack | undefined;
        let board: ReadonlyMap<string, MergedTrack> = new Map();
        let pending: Event[] = [];
        for (const [todos, lost, wait] of writes) {
          const event = write(track, [{ op: "replace", todos: todos.map((text) => ({ text })) }]);
          track = evolve(track, event);
          if (!lost) pending.push(event);
          if (wait) continue;
          const now = joined(track, { state: "working", updatedAt: track.version });
          for (const change of feedChanges(received, pending, now))
            board = applyFeedChange(board, change);
          received = now;
          pending = [];
          expect(board.get(trackKey(ID))).toEqual(now);
        }
      },
    ),
  );
});

test("sends the next event as an event, and a whole track after a gap", () => {
  const one = write(emptyTrack(ID), [{ op: "add", todos: [{ text: "one" }] }]);
  const first = evolve(emptyTrack(ID), one);
  const two = write(first, [{ op: "add", todos: [{ text: "two" }] }]);
  const second = evolve(first, two);
  const types = (events: readonly Event[]) =>
    feedChanges(joined(first), events, joined(second)).map(({ type }) => type);
  expect(types([two])).toEqual(["event", "status"]);
  expect(types([one, two])).toEqual(["event", "status"]);
  expect(types([])).toEqual(["opened"]);
  expect(feedChanges(undefined, [one], joined(first))).toEqual([
    { type: "opened", track: joined(first) },
  ]);
});

test("distinguishes a new version with the same todos", () => {
  const one = write(emptyTrack(ID), [{ op: "add", todos: [{ text: "one" }] }]);
  const first = evolve(emptyTrack(ID), one);
  const second = evolve(first, { ...one, seq: 2, key: "k2", changes: [] });
  expect(second.todos).toEqual(first.todos);
  expect(feedChanges(joined(first), [], joined(second))).toEqual([
    { type: "opened", track: joined(second) },
  ]);
});

test("sends a list again whose times were converted, or that lost a field", () => {
  const one = write(emptyTrack(ID), [{ op: "add", todos: [{ text: "one" }] }]);
  const first = evolve(emptyTrack(ID), one);
  const later = { ...first, updatedAt: first.updatedAt + 4_000 };
  expect(feedChanges(joined(first), [], joined(later))).toEqual([
    { type: "opened", track: joined(later) },
  ]);
  const located = { ...first, cwd: "/work" };
  expect(feedChanges(joined(located), [], joined(first))).toEqual([
    { type: "opened", track: joined(first) },
  ]);
});

test("applies an event once, and none after a gap", () => {
  const one = write(emptyTrack(ID), [{ op: "add", todos: [{ text: "one" }] }]);
  const first = evolve(emptyTrack(ID), one);
  const two = write(first, [{ op: "add", todos: [{ text: "two" }] }]);
  const second = evolve(first, two);
  const three = write(second, [{ op: "add", todos: [{ text: "three" }] }]);
  const types = feedChanges(joined(first), [two, two], joined(second)).map(({ type }) => type);
  expect(types).toEqual(["event", "status"]);
  const after = (known: Track, event: Event) => {
    const board = applyFeedChange(new Map(), { type: "opened", track: joined(known) });
    return applyFeedChange(board, { type: "event", id: ID, event }).get(trackKey(ID))?.track;
  };
  expect(after(first, two)).toEqual(second);
  expect(after(second, two)).toEqual(second);
  expect(after(first, three)).toEqual(first);
});

test("removes closed tracks and ignores unknown ones", () => {
  const track = joined(emptyTrack(ID));
  const board = applyFeedChange(new Map(), { type: "opened", track });
  expect([...applyFeedChange(board, { type: "gone", id: ID })]).toEqual([]);
  const other = { session: "other", agent: "main" };
  const [status] = feedChanges(track, [], track);
  if (status?.type !== "status") throw new Error("no status");
  const strange = { ...status, status: { ...status.status, id: other } };
  expect([...applyFeedChange(board, strange)]).toEqual([...board]);
});
