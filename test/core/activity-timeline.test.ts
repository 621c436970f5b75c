import { describe, expect, test } from "vitest";
import type { Observation } from "../../src/core/activity/observation.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import type { Change, Event, Todo } from "../../src/core/model.ts";
import { activityTimelineOf, createTimeline } from "../../src/core/views/activity-timeline.ts";
import { burnUpOf, lanesOf } from "../../src/core/views/timeline.ts";

const started = (at: number, callId: string, more: Partial<Observation> = {}): Observation =>
  ({
    type: "tool.started",
    at,
    callId,
    name: "Bash",
    label: callId,
    signature: "s",
    ...more,
  }) as Observation;
const ended = (at: number, callId: string, more: Partial<Observation> = {}): Observation =>
  ({ type: "tool.completed", at, callId, name: "Bash", ...more }) as Observation;

function seen(...observations: readonly Observation[]) {
  const story = createTimeline();
  for (const each of observations) story.add(each);
  return story;
}

describe("calls on the timeline", () => {
  test("have a kind, an end and an outcome", () => {
    const { calls } = seen(
      started(1, "read"),
      started(2, "edit", { edits: true }),
      started(3, "check", { check: "npm test", edits: true }),
      ended(4, "check", { exitCode: 0 }),
      ended(5, "edit", { exitCode: 2 }),
      ended(6, "unknown"),
      started(7, "tests"),
      ended(8, "tests", { result: "failed" }),
      started(9, "lost"),
      { type: "tool.failed", at: 10, callId: "lost", name: "Bash" } as Observation,
    ).timeline();
    expect(calls).toEqual([
      { at: 1, kind: "read", label: "read", callId: "read" },
      { at: 2, kind: "edit", label: "edit", callId: "edit", endedAt: 5, ok: false },
      { at: 3, kind: "check", label: "check", callId: "check", endedAt: 4, ok: true },
      { at: 7, kind: "read", label: "tests", callId: "tests", endedAt: 8, ok: false },
      { at: 9, kind: "read", label: "lost", callId: "lost", endedAt: 10, ok: false },
    ]);
  });

  test("match an end with the latest open call of its id, or of its name if it has no id", () => {
    const { callId: _, ...unnamed } = started(3, "x") as Observation & { callId?: string };
    const story = seen(started(1, "x"), ended(2, "x"), started(3, "x", { check: "npm test" }));
    expect(story.isCheck({ callId: "x", name: "Bash" })).toBe(true);
    expect(story.isCheck({ callId: "y", name: "Bash" })).toBe(false);
    story.add(ended(4, "x"));
    expect(story.isCheck({ callId: "x", name: "Bash" })).toBe(false);
    expect(story.timeline().calls.map(({ endedAt }) => endedAt)).toEqual([2, 4]);
    expect(story.timeline().calls.map(({ ok }) => ok)).toEqual([true, true]);
    const byName = seen(unnamed as Observation);
    byName.add({ type: "tool.completed", at: 9, name: "Bash" } as Observation);
    expect(byName.timeline().calls[0]?.endedAt).toBe(9);
  });

  test("keep the latest 2,000 calls and 500 session events", () => {
    const story = createTimeline();
    for (let at = 1; at <= 2_002; at++) {
      story.add(started(at, `c${at}`));
      if (at <= 501) story.add({ type: "turn.started", at } as Observation);
    }
    const { calls, happenings, left } = story.timeline();
    expect([calls.length, calls[0]?.at, left]).toEqual([2_000, 3, 2]);
    expect([happenings.length, happenings[0]?.at]).toEqual([500, 2]);
  });
});

test("builds the timeline of an agent from the events of its list", () => {
  const observations = [
    { type: "turn.started", at: 1 },
    { type: "session.compacted", at: 2 },
    { type: "turn.failed", at: 3 },
    { type: "list.refused", at: 4, why: "no" },
    { type: "list.refused", at: 5, why: "in part", partial: true },
    { type: "turn.completed", at: 6 },
  ] as Observation[];
  const events = [event(1, { type: "track.opened" }, { type: "observed", observations })];
  expect(activityTimelineOf(events)).toEqual({
    calls: [],
    happenings: [
      { at: 1, what: "asked" },
      { at: 2, what: "compacted" },
      { at: 3, what: "failed" },
      { at: 4, what: "list refused" },
    ],
    left: 0,
  });
});

const ID = { session: "s", agent: "main" };

function event(seq: number, ...changes: readonly Change[]): Event {
  return { seq, key: `k${seq}`, at: seq * 10, by: "agent", via: "test", changes };
}

function added(id: string, status: Todo["status"] = "pending"): Change {
  return { type: "todo.added", todo: { id, text: `Todo ${id}`, status } };
}

function moved(id: string, status: Todo["status"]): Change {
  return { type: "todo.moved", id, from: "pending", to: status };
}

describe("todos on the timeline", () => {
  test("have a span for each period of work", () => {
    expect(emptyTrack(ID).todos).toEqual([]);
    const events = [
      event(1, added("1", "in_progress"), added("2"), added("3")),
      event(2, moved("1", "pending"), moved("2", "in_progress")),
      event(3, moved("1", "in_progress"), moved("2", "completed")),
      event(4, moved("3", "completed")),
    ];
    const lanes = lanesOf(ID, events, 55);
    expect(lanes.map(({ id, spans }) => [id, spans])).toEqual([
      [
        "1",
        [
          { from: 10, to: 20 },
          { from: 30, to: 55 },
        ],
      ],
      ["2", [{ from: 20, to: 30 }]],
      ["3", [{ from: 40, to: 40 }]],
    ]);
    expect(lanes.map(({ closed }) => closed)).toEqual([
      undefined,
      { at: 30, how: "unverified" },
      { at: 40, how: "unverified" },
    ]);
    expect(lanesOf(ID, events, 5)[0]?.spans.at(-1)).toEqual({ from: 30, to: 40 });
  });

  test("end when they are removed or cancelled", () => {
    const events = [
      event(1, added("1", "in_progress"), added("2", "in_progress"), added("3")),
      event(2, { type: "todo.removed", id: "1" } as Change, moved("2", "cancelled")),
      event(3, moved("3", "cancelled")),
    ];
    expect(lanesOf(ID, events, 99)).toEqual([
      { id: "1", text: "Todo 1", spans: [{ from: 10, to: 30 }] },
      {
        id: "2",
        text: "Todo 2",
        spans: [{ from: 10, to: 20 }],
        closed: { at: 20, how: "cancelled" },
      },
    ]);
  });

  test("have one burn-up level per change", () => {
    const events = [
      event(1, added("1"), added("2")),
      event(2, moved("1", "in_progress")),
      event(3, moved("1", "completed")),
      event(4, added("3")),
    ];
    expect(burnUpOf(ID, events)).toEqual([
      { at: 10, total: 2, completed: 0, verified: 0 },
      { at: 30, total: 2, completed: 1, verified: 0 },
      { at: 40, total: 3, completed: 1, verified: 0 },
    ]);
  });
});
