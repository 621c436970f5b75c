import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sessionUsage } from "../../src/core/activity/session-usage.ts";
import {
  addUsage,
  focusAt,
  NO_USAGE,
  quarterOf,
  type TrackUsage,
  type Usage,
  withFocus,
  withOtherUsage,
  withTodoIds,
  withUsage,
} from "../../src/core/activity/usage.ts";
import type { Todo } from "../../src/core/model.ts";
import type { StreamEvent } from "../../src/core/stream/events.ts";
import {
  emptyLiveTrack,
  foldScanned,
  foldStream,
  type LiveTrack,
} from "../../src/core/stream/fold.ts";
import { sized } from "../full.ts";

const QUARTER = 15 * 60_000;

const todo = (id: string, status: Todo["status"], text = `Todo ${id}`): Todo => ({
  id,
  text,
  status,
  createdAt: 0,
  movedBy: "agent",
});

const tokens = (input: number, output = 0): Usage => ({ ...NO_USAGE, input, output, requests: 1 });

const totalOf = (parts: TrackUsage["parts"]): Usage =>
  parts.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);

test("adds every count", () => {
  const first = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 5, requests: 6 };
  const second = {
    input: 10,
    output: 20,
    cacheRead: 30,
    cacheWrite: 40,
    reasoning: 50,
    requests: 60,
  };
  expect(addUsage(first, second)).toEqual({
    input: 11,
    output: 22,
    cacheRead: 33,
    cacheWrite: 44,
    reasoning: 55,
    requests: 66,
  });
  expect(addUsage(NO_USAGE, first)).toEqual(first);
});

describe("usage of a track", () => {
  test("is split by quarter of an hour, todo and model", () => {
    const list = [todo("1", "completed"), todo("2", "in_progress"), todo("3", "in_progress")];
    let usage = withUsage(undefined, { at: 10, model: "a", usage: tokens(1) }, []);
    usage = withUsage(usage, { at: 20, model: "a", usage: tokens(2) }, list);
    usage = withUsage(usage, { at: QUARTER, model: "b", usage: tokens(4) }, list);
    usage = withUsage(usage, { at: 30, model: "a", usage: tokens(8) }, list);
    expect(usage.parts).toEqual([
      { at: 0, model: "a", usage: tokens(1) },
      { at: 0, todo: "2", model: "a", usage: { ...tokens(10), requests: 2 } },
      { at: QUARTER, todo: "2", model: "b", usage: tokens(4) },
    ]);
    expect(usage.texts).toEqual({ 2: "Todo 2" });
  });

  test("keeps the sums when old quarters of an hour are combined", () => {
    let usage: TrackUsage | undefined;
    for (let count = 0; count < 1_000; count++)
      usage = withUsage(
        usage,
        { at: count * QUARTER, usage: tokens(count) },
        count % 3 ? [todo(String(count % 5), "in_progress")] : [],
      );
    expect(usage?.parts.length).toBeLessThanOrEqual(400);
    expect(totalOf(usage?.parts ?? [])).toEqual({ ...NO_USAGE, input: 499_500, requests: 1_000 });
    expect(usage?.parts.at(-1)).toMatchObject({ at: 999 * QUARTER, usage: tokens(999) });
  });

  test("stays bounded and exact with any number of todos and models", () => {
    let usage: TrackUsage | undefined;
    for (let count = 0; count < 1_500; count++)
      usage = withFocus(
        withUsage(
          usage,
          { at: count % 7, model: `model ${count % 600}`, usage: tokens(1, count) },
          [todo(String(count), "in_progress")],
        ),
        count,
        [todo(String(count), "in_progress")],
      );
    expect(usage?.parts.length).toBeLessThanOrEqual(400);
    expect(Object.keys(usage?.texts ?? {}).length).toBeLessThanOrEqual(700);
    expect(totalOf(usage?.parts ?? [])).toMatchObject({ input: 1_500, requests: 1_500 });
  });

  test("knows which todo was in progress at a time", () => {
    const started = withUsage(undefined, { at: 100, usage: tokens(1) }, [
      { ...todo("1", "in_progress"), startedAt: 90 },
    ]);
    const later = withFocus(withFocus(started, 200, [todo("2", "in_progress")]), 300, []);
    expect([80, 90, 199, 200, 299, 300].map((at) => focusAt(later, at))).toEqual([
      undefined,
      "1",
      "1",
      "2",
      "2",
      undefined,
    ]);
  });

  test("adds other files of the agent, but not a copy of its own", () => {
    const list = [todo("1", "in_progress")];
    const own = withUsage(undefined, { at: 0, usage: tokens(1) }, list);
    const next = withUsage(undefined, { at: QUARTER, usage: tokens(2) }, list);
    expect(withOtherUsage(own, own, true)).toBe(own);
    expect(totalOf(withOtherUsage(own, next, true)?.parts ?? []).input).toBe(3);
    expect(withOtherUsage(own, own, false)?.parts).toEqual([
      { at: 0, todo: "1", usage: tokens(1) },
      { at: 0, usage: tokens(1) },
    ]);
    expect(withOtherUsage(undefined, own, false)).toBe(own);
  });

  test("can be shown with the ids of another list", () => {
    const usage = withUsage(undefined, { at: 0, usage: tokens(1) }, [todo("1", "in_progress")]);
    const renamed = withTodoIds(usage, (id, text) => (text === "Todo 1" ? "7" : `other-${id}`));
    expect(renamed).toEqual({
      parts: [{ at: 0, todo: "7", usage: tokens(1) }],
      texts: { 7: "Todo 1" },
      focus: [{ at: 0, todo: "7" }],
    });
  });
});

describe("usage of a session", () => {
  const main = (usage: TrackUsage) => ({ track: { agent: "main", openedAt: 0 }, usage });

  test("counts subagents for the todo of their parent when they started", () => {
    let usage = withUsage(undefined, { at: 10, model: "a", usage: tokens(1) }, []);
    usage = withFocus(usage, 100, [todo("1", "in_progress", "Build it")]);
    usage = withFocus(usage, 200, [todo("2", "in_progress", "Test it")]);
    usage = withUsage(usage, { at: 210, model: "a", usage: tokens(2) }, [
      todo("2", "in_progress", "Test it"),
    ]);
    const child = withUsage(undefined, { at: 250, model: "b", usage: tokens(4) }, [
      todo("1", "in_progress", "Own list"),
    ]);
    const sub = (agent: string, parentAgent: string, openedAt: number) => ({
      track: { agent, parentAgent, openedAt },
      usage: child,
    });
    const tracks = [
      main(usage),
      sub("child", "main", 150),
      sub("grandchild", "child", 240),
      sub("early", "main", 50),
      sub("orphan", "unknown", 220),
    ];
    const found = sessionUsage(tracks);
    expect(found.rows.map(({ todo: id, text, usage: { input } }) => [id, text, input])).toEqual([
      ["1", "Build it", 8],
      ["2", "Test it", 6],
    ]);
    expect(found.rows[1]?.models).toEqual([
      { model: "a", usage: tokens(2) },
      { model: "b", usage: tokens(4) },
    ]);
    expect(found.unattributed.input).toBe(5);
    expect(found.total.input).toBe(19);
    expect(sessionUsage([...tracks].reverse())).toEqual(found);
  });

  test("survives agents that name each other as parents", () => {
    const usage = withUsage(undefined, { at: 0, usage: tokens(1) }, []);
    const found = sessionUsage([
      { track: { agent: "a", parentAgent: "b", openedAt: 0 }, usage },
      { track: { agent: "b", parentAgent: "a", openedAt: 0 }, usage },
    ]);
    expect(found.total).toEqual(found.unattributed);
    expect(found.total.requests).toBe(2);
  });

  const AGENTS = ["main", "child", "grandchild"] as const;
  const step = fc.record({
    agent: fc.constantFrom(...AGENTS),
    later: fc.nat(QUARTER),
    list: fc.option(
      fc.array(fc.constantFrom("pending", "in_progress", "completed", "cancelled"), {
        maxLength: 4,
      }),
    ),
    rewritten: fc.boolean(),
    model: fc.constantFrom(undefined, "a", "b"),
    usage: fc.record({
      input: fc.nat(1e6),
      output: fc.nat(1e6),
      cacheRead: fc.nat(1e6),
      cacheWrite: fc.nat(1e6),
      reasoning: fc.nat(1e6),
      requests: fc.nat(3),
    }),
  });

  test("adds up exactly, for any order of list writes, requests and agents", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.boolean(), (steps, scanned) => {
        const fold = scanned ? foldScanned : foldStream;
        const lives = new Map<string, LiveTrack>();
        let timestamp = 1_790_000_000_000;
        let expected = NO_USAGE;
        let lists = 0;
        for (const { agent, later, list, rewritten, model, usage } of steps) {
          timestamp += later;
          if (rewritten) lists++;
          const base = { eventId: `e${timestamp}`, sessionId: "s", agentId: agent };
          const send = (body: object): void => {
            const event = { ...base, agentType: "codex", timestamp, ...body } as StreamEvent;
            const live = lives.get(agent) ?? emptyLiveTrack(event);
            lives.set(agent, live);
            fold(live, event);
          };
          const parentId = AGENTS[AGENTS.indexOf(agent) - 1];
          if (!lives.has(agent)) send({ type: "session.started", ...(parentId && { parentId }) });
          if (list) {
            const items = list.map((status, index) => ({
              text: `List ${lists}, ${index}`,
              status,
            }));
            send({ type: "todo_list", todoId: "l", items });
          }
          send({ type: "usage", ...(model && { model }), usage });
          expected = addUsage(expected, usage);
        }
        const { total, rows, unattributed, models, unattributedModels } = sessionUsage([
          ...lives.values(),
        ]);
        const sum = (all: readonly { readonly usage: Usage }[]) =>
          all.reduce((whole, each) => addUsage(whole, each.usage), NO_USAGE);
        expect(total).toEqual(expected);
        expect(addUsage(sum(rows), unattributed)).toEqual(expected);
        expect(sum(models)).toEqual(expected);
        expect(sum(unattributedModels)).toEqual(unattributed);
        for (const row of rows) {
          expect(sum(row.models)).toEqual(row.usage);
          expect(row.text).toMatch(/^List \d/);
          expect(row.from).toBe(quarterOf(row.from));
        }
      }),
      { numRuns: sized(200, 2_000) },
    );
  });
});
