import { describe, expect, test } from "vitest";
import { emptyTrack } from "../../src/core/evolve.ts";
import { diff } from "../../src/core/list/diff.ts";
import type { Event, Todo, Track } from "../../src/core/model.ts";
import type { StreamEvent } from "../../src/core/stream/events.ts";
import type { LiveTrack } from "../../src/core/stream/fold.ts";
import type { Catalog } from "../../src/sessions/transcripts/catalog.ts";
import type { TranscriptUpdate } from "../../src/sessions/transcripts/follow.ts";
import { listsBefore, mergedUpdates } from "../../src/sessions/transcripts/updates.ts";

const KEY = 'codex ["s","main"]';
const id = { session: "s", agent: "main" };

const todo = (number: string, more: Partial<Todo> = {}): Todo => ({
  id: number,
  text: `Do ${number}`,
  status: "pending",
  createdAt: 1,
  movedBy: "agent",
  ...more,
});
const trackOf = (...todos: readonly Todo[]): Track => ({
  ...emptyTrack(id),
  version: 1,
  updatedAt: 5,
  todos,
});

/** Agents of several files, by key. */
const rosterOf = (tracks: Readonly<Record<string, Track>>, files = 2) =>
  ({
    track: (key: string) =>
      tracks[key] && { live: liveOf(tracks[key]), units: Array.from({ length: files }) },
  }) as unknown as Catalog;
const liveOf = (track: Track) => ({ ...id, agentType: "codex", track }) as unknown as LiveTrack;

const eventOf = (more: object = {}) =>
  ({
    type: "todo_list",
    eventId: "e",
    sessionId: "s",
    agentId: "main",
    agentType: "codex",
    timestamp: 5,
    items: [],
    ...more,
  }) as unknown as StreamEvent;
const CHANGE: Event = { seq: 3, key: "k", at: 5, by: "agent", via: "codex", changes: [] };
const updateOf = (event: StreamEvent, more: Partial<TranscriptUpdate> = {}): TranscriptUpdate => {
  const own = trackOf(todo("own"));
  return { event, live: liveOf(own), change: CHANGE, before: own, after: own, ...more };
};

describe("the lists before a source is read", () => {
  test("are those of the agents that wrote lists, as far as they are known", () => {
    const track = trackOf(todo("1"));
    const roster = rosterOf({ [KEY]: track, 'codex ["s","b"]': track });
    const updates = [
      updateOf(eventOf()),
      updateOf(eventOf({ agentId: "b", type: "message" })),
      updateOf(eventOf({ agentId: "unknown" })),
    ];
    expect(listsBefore(updates, roster)).toStrictEqual(new Map([[KEY, track]]));
  });
});

describe("updates of a list that several sources have", () => {
  const STEP = eventOf({ stepwise: true, tool: "t" });
  const was = trackOf(todo("1"));
  const now = trackOf(
    todo("1", { ref: "x" }),
    todo("2", { blockedBy: ["1", "3", "9"], startedAt: 2 }),
    todo("3", { status: "completed" }),
  );

  test("are reported as they are if the agent wrote the list whole", () => {
    const updates = [updateOf(eventOf()), updateOf(eventOf({ type: "message" }))];
    expect(mergedUpdates(updates, false, new Map(), rosterOf({ [KEY]: now }))).toBe(updates);
  });

  test("are reported as they are without a change, another file, or a known agent", () => {
    const unchanged = [updateOf(STEP, { change: undefined })];
    const step = [updateOf(STEP)];
    const several = rosterOf({ [KEY]: now });
    expect(mergedUpdates(unchanged, false, new Map(), several)).toEqual(unchanged);
    expect(mergedUpdates(step, false, new Map(), rosterOf({ [KEY]: now }, 1))).toEqual(step);
    expect(mergedUpdates(step, false, new Map(), rosterOf({}))).toEqual(step);
  });

  test("have the merged list, with the agent's own ids, once", () => {
    const message = updateOf(eventOf({ type: "message" }));
    const whole = updateOf(eventOf());
    const updates = [updateOf(STEP), message, whole, updateOf(STEP)];
    const found = mergedUpdates(updates, false, new Map([[KEY, was]]), rosterOf({ [KEY]: now }));
    expect(found).toStrictEqual([
      message,
      whole,
      {
        event: eventOf({
          tool: "t",
          items: [
            { id: "x", text: "Do 1", status: "pending" },
            { id: "2", text: "Do 2", status: "pending", blockedBy: ["x", "3", "9"] },
            { id: "3", text: "Do 3", status: "completed" },
          ],
        }),
        live: liveOf(now),
        change: { ...CHANGE, changes: diff(was, now) },
        before: was,
        after: now,
      },
    ]);
  });

  test("of a document are parts as well, and new if the list was unknown", () => {
    const [found, ...others] = mergedUpdates(
      [updateOf(eventOf())],
      true,
      new Map(),
      rosterOf({ [KEY]: now }),
    );
    expect(others).toEqual([]);
    expect(found?.before).toStrictEqual(emptyTrack(liveOf(now)));
    expect(found?.change?.changes.filter(({ type }) => type === "todo.added")).toHaveLength(3);
  });

  test("are left out if the merged list did not change", () => {
    const before = new Map([[KEY, now]]);
    expect(mergedUpdates([updateOf(STEP)], false, before, rosterOf({ [KEY]: now }))).toEqual([]);
  });

  test("are separate by agent", () => {
    const other = eventOf({ stepwise: true, agentId: "b" });
    const roster = rosterOf({ [KEY]: now, 'codex ["s","b"]': now });
    const found = mergedUpdates([updateOf(STEP), updateOf(other)], false, new Map(), roster);
    expect(found.map(({ event }) => event.agentId)).toEqual(["main", "b"]);
  });
});
