import { describe, expect, test } from "vitest";
import { LONGEST_DELAY, type QueueChange, type QueueState } from "../../../src/tasks/model.ts";
import { retryDelay } from "../../../src/tasks/rules/queue/retry.ts";
import {
  changedQueue,
  isDelayed,
  isPrunable,
  isStoredDelayed,
} from "../../../src/tasks/rules/queue/state.ts";
import {
  isOutcome,
  MOST_CLOSED,
  MOST_EVENTS,
  OUTCOME_TYPES,
  type Outcome,
  outcomeOf,
  type StatsInput,
  statsOf,
  windowStart,
} from "../../../src/tasks/rules/queue/stats.ts";

const HOUR = 3_600_000;

describe("the delay before a retry", () => {
  test("starts at 30 s, doubles, and ends at an hour", () => {
    const seconds = [0, 1, 2, 3, 7, 8, 9, 1_000].map((attempts) => retryDelay(attempts, 0) / 1_000);
    expect(seconds).toEqual([30, 30, 60, 120, 1_920, 3_600, 3_600, 3_600]);
    expect(retryDelay(1, 0, 10)).toBe(10);
    expect(retryDelay(21, 0, 1)).toBe(2 ** 20);
    expect(retryDelay(22, 0, 1)).toBe(2 ** 20);
  });

  test("has a random tenth", () => {
    expect([0, 0.5, 1].map((random) => retryDelay(1, random))).toEqual([30_000, 31_500, 33_000]);
    expect(retryDelay(1, 0.33, 1)).toBe(1);
  });
});

describe("the queue", () => {
  const change = (state: QueueState, given: unknown, actor?: string) =>
    changedQueue(
      state,
      given as QueueChange,
      { by: "user", via: "test", ...(actor !== undefined && { actor }) },
      9,
    );

  test("is paused with the time, the author and a reason", () => {
    expect(change({}, { paused: {} })).toStrictEqual({ paused: { at: 9, by: "user" } });
    expect(change({}, { paused: { reason: " to\ndeploy " } }, "ann")).toStrictEqual({
      paused: { at: 9, by: "ann", reason: "to deploy" },
    });
  });

  test("keeps its first pause and takes a new reason", () => {
    const paused = { at: 5, by: "ann", reason: "first" };
    expect(change({ paused }, { paused: {} })).toStrictEqual({ paused });
    expect(change({ paused }, { paused: { reason: "second" } })).toStrictEqual({
      paused: { ...paused, reason: "second" },
    });
  });

  test("changes only what is named, and null removes it", () => {
    const state = { paused: { at: 5, by: "ann" }, aging: 7 };
    expect(change(state, {})).toStrictEqual(state);
    expect(change(state, { paused: null })).toStrictEqual({ aging: 7 });
    expect(change(state, { aging: null })).toStrictEqual({ paused: state.paused });
    expect(change(state, { aging: 8 })).toStrictEqual({ ...state, aging: 8 });
    expect(change({}, { aging: 1 })).toStrictEqual({ aging: 1 });
    expect(change({}, { aging: LONGEST_DELAY })).toStrictEqual({ aging: LONGEST_DELAY });
  });

  test.each<[string, unknown]>([
    ["change", null],
    ["change", "pause"],
    ["paused", { paused: true }],
    ["aging", { aging: 0 }],
    ["aging", { aging: 1.5 }],
    ["aging", { aging: LONGEST_DELAY + 1 }],
    ["aging", { aging: "1h" }],
    ["paused.reason", { paused: { reason: 5 } }],
    ["paused.reason", { paused: { reason: " " } }],
    ["paused.reason", { paused: { reason: "x".repeat(501) } }],
    ["paused.reason", { paused: { reason: "a\u001bb" } }],
  ])("refuses an invalid %s", (what, given) => {
    expect(() => change({}, given)).toThrow(TypeError);
    expect(() => change({}, given)).toThrow(`setQueue(change, sender): ${what}`);
  });

  test("accepts a reason of 500 characters, however many code units", () => {
    const reason = "😀".repeat(500);
    expect(change({}, { paused: { reason } }).paused?.reason).toBe(reason);
  });
});

test("a task is delayed until its time, and stored as delayed while it is open", () => {
  expect([8, 9, 10].map((now) => isDelayed({ notBefore: 9 }, now))).toEqual([true, false, false]);
  expect(isDelayed({}, 0)).toBe(false);
  const stored = (status: string, updatedAt: number, notBefore?: number) =>
    isStoredDelayed({ status, updatedAt, ...(notBefore !== undefined && { notBefore }) } as never);
  expect([
    stored("open", 8, 9),
    stored("open", 9, 9),
    stored("claimed", 8, 9),
    stored("open", 0),
  ]).toEqual([true, false, false, false]);
});

test("only done and cancelled tasks are pruned, if they ended before the time", () => {
  const prunable = (status: string, finishedAt?: number) =>
    isPrunable({ status, ...(finishedAt !== undefined && { finishedAt }) } as never, 5);
  expect(
    ["done", "cancelled", "failed", "open", "claimed"].map((each) => prunable(each, 4)),
  ).toEqual([true, true, false, false, false]);
  expect([prunable("done", 5), prunable("done")]).toEqual([false, true]);
});

describe("figures of the queue", () => {
  test("count the events that end an attempt, by the owner of the attempt", () => {
    const types = ["added", "claimed", "done", "failed", "retried", "cancelled"] as const;
    expect(types.filter((type) => isOutcome({ type: type as never }))).toEqual([
      "done",
      "failed",
      "retried",
    ]);
    expect(OUTCOME_TYPES).toBe("'done', 'failed', 'retried'");
    const task = { owner: "ann", labels: ["l"], createdAt: 1, claimedAt: 2 };
    const outcome = (type: string, more = {}) =>
      outcomeOf({ at: 3, type: type as never, actor: "ben" }, { ...task, ...more });
    expect(outcome("done")).toEqual({ ...task, at: 3, isDone: true });
    expect(outcome("failed")).toEqual({ ...task, at: 3, isDone: false });
    expect(outcome("retried")).toEqual({ ...task, at: 3, isDone: false, owner: "ben" });
    expect(outcome("done", { owner: undefined }).owner).toBe("ben");
  });

  test("begin where the newest events are complete", () => {
    const none = { count: 0, firstAt: undefined };
    expect(windowStart(5, none, none)).toBe(5);
    expect(windowStart(5, { count: MOST_EVENTS - 1, firstAt: 9 }, none)).toBe(5);
    expect(windowStart(5, { count: MOST_EVENTS, firstAt: 9 }, none)).toBe(9);
    expect(windowStart(5, { count: MOST_EVENTS, firstAt: undefined }, none)).toBe(5);
    expect(windowStart(5, none, { count: MOST_CLOSED - 1, firstAt: 9 })).toBe(5);
    expect(windowStart(5, none, { count: MOST_CLOSED, firstAt: 8 })).toBe(8);
    expect(windowStart(5, none, { count: MOST_CLOSED, firstAt: undefined })).toBe(5);
  });

  const outcome = (at: number, more: Partial<Outcome> = {}): Outcome => ({
    at,
    isDone: true,
    owner: "ann",
    labels: ["fast"],
    createdAt: at - 100,
    claimedAt: at - 10,
    ...more,
  });
  const input = (more: Partial<StatsInput> = {}): StatsInput => ({
    at: 2 * HOUR,
    since: HOUR,
    queue: {},
    counts: { open: 1 } as never,
    oldestAt: undefined,
    outcomes: [],
    ready: [],
    claimed: [],
    ...more,
  });

  test("of an empty queue are zero", () => {
    expect(statsOf(input())).toStrictEqual({
      at: 2 * HOUR,
      since: HOUR,
      queue: {},
      counts: { open: 1 },
      done: 0,
      failed: 0,
      perHour: 0,
      labels: [],
      owners: [],
    });
  });

  test("add up waiting and running times, labels and owners", () => {
    const times = Array.from({ length: 20 }, (_, place) =>
      outcome(HOUR + 1_000, { createdAt: HOUR - place, claimedAt: HOUR + 1_000 - 2 * place }),
    );
    const stats = statsOf(
      input({
        oldestAt: HOUR,
        outcomes: [
          ...times.toReversed(),
          outcome(HOUR, { isDone: false, owner: "ben", labels: ["slow"] }),
          outcome(HOUR - 1, { owner: "cat" }),
          outcome(HOUR, { claimedAt: undefined, owner: undefined, labels: [] }),
        ],
        ready: [
          { labels: ["slow", "idle"], createdAt: 2 * HOUR - 5 },
          { labels: ["slow"], createdAt: 2 * HOUR - 3 },
        ],
        claimed: [{ labels: ["busy"], owner: "dan" }],
      }),
    );
    expect(stats).toEqual({
      at: 2 * HOUR,
      since: HOUR,
      queue: {},
      counts: { open: 1 },
      oldest: HOUR,
      done: 21,
      failed: 1,
      perHour: 21,
      waiting: { median: 990, p95: 999, longest: 1_000 },
      running: { median: 18, p95: 36, longest: 38 },
      labels: [
        { name: "slow", ready: 2, claimed: 0, done: 0, failed: 1, oldest: 5 },
        { name: "idle", ready: 1, claimed: 0, done: 0, failed: 0, oldest: 5 },
        { name: "busy", ready: 0, claimed: 1, done: 0, failed: 0 },
        { name: "fast", ready: 0, claimed: 0, done: 20, failed: 0 },
      ],
      owners: [
        { name: "dan", ready: 0, claimed: 1, done: 0, failed: 0 },
        { name: "ann", ready: 0, claimed: 0, done: 20, failed: 0 },
        { name: "ben", ready: 0, claimed: 0, done: 0, failed: 1 },
      ],
    });
  });

  test("are never negative or endless, whatever the clocks of the stores say", () => {
    const early = outcome(HOUR, { createdAt: 2 * HOUR, claimedAt: HOUR + 5 });
    const stats = statsOf(input({ oldestAt: 3 * HOUR, since: HOUR, outcomes: [early] }));
    expect([stats.oldest, stats.waiting, stats.running]).toEqual([
      0,
      { median: 0, p95: 0, longest: 0 },
      { median: 0, p95: 0, longest: 0 },
    ]);
    const now = statsOf(input({ at: HOUR, outcomes: [outcome(HOUR)] }));
    expect([now.done, now.perHour]).toEqual([1, 0]);
  });

  test("name equal groups in order of their names", () => {
    const claimed = ["b", "a", "c"].map((owner) => ({ owner, labels: [] }));
    expect(statsOf(input({ claimed })).owners.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });
});
