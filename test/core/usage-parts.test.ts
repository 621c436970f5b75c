import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addUsage,
  focusAt,
  NO_USAGE,
  ownUsage,
  quarterOf,
  type TrackUsage,
  type Usage,
  withFocus,
  withOtherUsage,
  withTodoIds,
  withUsage,
} from "../../src/core/activity/usage.ts";
import type { Status } from "../../src/core/model.ts";

const QUARTER = 15 * 60_000;
const used = (count: number, more: Partial<Usage> = {}): Usage => ({
  input: count,
  output: 2 * count,
  cacheRead: 3 * count,
  cacheWrite: 4 * count,
  reasoning: 5 * count,
  requests: 1,
  ...more,
});
const todo = (id: string, status: Status = "in_progress", startedAt = 0) => ({
  id,
  text: `Do ${id}`,
  status,
  startedAt,
});
type Step = readonly [
  at: number,
  count: number,
  todo?: ReturnType<typeof todo> | undefined,
  model?: string,
];
const fold = (steps: readonly Step[], known?: TrackUsage) =>
  steps.reduce<TrackUsage | undefined>(
    (usage, [at, count, current, model]) =>
      withUsage(
        usage,
        { at, usage: used(count), ...(model !== undefined && { model }) },
        current ? [current] : [],
      ),
    known,
  );
const parts = (usage: TrackUsage | undefined) =>
  usage?.parts.map(({ at, todo: id, model, usage: { input, requests } }) => [
    at / QUARTER,
    id,
    model,
    input,
    requests,
  ]);

test("usage adds up field by field", () => {
  expect(addUsage(used(1), used(10))).toStrictEqual({ ...used(11), requests: 2 });
  expect(addUsage(used(1, { cacheWriteHour: 5 }), used(1))).toMatchObject({ cacheWriteHour: 5 });
  expect(
    addUsage(used(1, { cacheWriteHour: 5 }), used(1, { cacheWriteHour: 2 })).cacheWriteHour,
  ).toBe(7);
  expect(addUsage(used(1, { cacheWriteHour: 0 }), used(1))).not.toHaveProperty("cacheWriteHour");
  expect(addUsage(NO_USAGE, NO_USAGE)).toStrictEqual(NO_USAGE);
  expect([0, QUARTER - 1, QUARTER, QUARTER + 1].map(quarterOf)).toEqual([0, 0, QUARTER, QUARTER]);
});

describe("usage of a track", () => {
  test("is split by quarter of an hour, todo and model", () => {
    const [a, b] = [todo("a"), todo("b")];
    expect(
      parts(
        fold([
          [1, 1, a, "m"],
          [2, 2, a, "m"],
          [3, 4, a, "n"],
          [4, 8, b, "n"],
          [5, 16],
          [QUARTER, 32],
          [QUARTER + 1, 64, a, "m"],
        ]),
      ),
    ).toEqual([
      [0, "a", "m", 3, 2],
      [0, "a", "n", 4, 1],
      [0, "b", "n", 8, 1],
      [0, undefined, undefined, 16, 1],
      [1, undefined, undefined, 32, 1],
      [1, "a", "m", 64, 1],
    ]);
  });

  test("finds the part of a late record", () => {
    expect(
      parts(
        fold([
          [0, 1, todo("a")],
          [QUARTER, 2, todo("b")],
          [3 * QUARTER, 4, todo("a")],
          [1, 8, todo("a")],
          [QUARTER, 16, todo("a")],
          [2 * QUARTER, 32, todo("a")],
        ]),
      ),
    ).toEqual([
      [0, "a", undefined, 9, 2],
      [1, "b", undefined, 2, 1],
      [1, "a", undefined, 16, 1],
      [2, "a", undefined, 32, 1],
      [3, "a", undefined, 4, 1],
    ]);
  });

  test("counts for the first todo that was in progress at the time", () => {
    const count = (...todos: readonly ReturnType<typeof todo>[]) =>
      withUsage(undefined, { at: 10, usage: used(1) }, todos).parts[0]?.todo;
    expect(count(todo("a", "pending"), todo("b"), todo("c"))).toBe("b");
    expect(count(todo("a", "in_progress", 11), todo("b", "in_progress", 10))).toBe("b");
    expect(count(todo("a", "completed"))).toBeUndefined();
  });

  test("knows the texts of its todos, also after they were changed", () => {
    const renamed = { ...todo("a"), text: "Renamed" };
    expect(fold([[1, 1, todo("a")]])?.texts).toEqual({ a: "Do a" });
    expect(
      fold([
        [1, 1, todo("a")],
        [2, 1, renamed],
      ])?.texts,
    ).toEqual({ a: "Renamed" });
    expect(
      fold([
        [1, 1, todo("a")],
        [QUARTER, 1, todo("b")],
      ])?.texts,
    ).toEqual({
      a: "Do a",
      b: "Do b",
    });
    expect(fold([[1, 1]])?.texts).toEqual({});
  });

  test("does not change a copy that is kept", () => {
    const known = fold([[1, 1, todo("a")]]);
    const own = ownUsage(known);
    expect(own).toEqual(known);
    fold([[2, 2, todo("a")]], own);
    expect(parts(known)).toEqual([[0, "a", undefined, 1, 1]]);
    expect(ownUsage(undefined)).toBeUndefined();
    const empty = { parts: [], texts: {}, focus: [] };
    expect(ownUsage(empty)).toBe(empty);
  });

  test("keeps its sums, whatever the number of parts", () => {
    const step = fc.record({
      at: fc.nat({ max: 300 * QUARTER }),
      id: fc.nat({ max: 5 }),
      model: fc.constantFrom(undefined, "m", "n"),
      count: fc.nat({ max: 9 }),
      hour: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 500, maxLength: 600 }), (steps) => {
        let usage: TrackUsage | undefined;
        let sum = NO_USAGE;
        for (const { at, id, model, count, hour } of steps) {
          const each = used(count, hour > 0 ? { cacheWriteHour: hour } : {});
          sum = addUsage(sum, each);
          usage = withUsage(
            usage,
            { at, usage: each, ...(model !== undefined && { model }) },
            id === 0 ? [] : [todo(`${id}`)],
          );
        }
        const all = usage?.parts ?? [];
        expect(all.reduce((total, part) => addUsage(total, part.usage), NO_USAGE)).toEqual(sum);
        expect(all.length).toBeLessThanOrEqual(400);
        const times = all.map(({ at }) => at);
        expect(times).toEqual([...times].sort((a, b) => a - b));
      }),
      { numRuns: 10 },
    );
  });

  test("moves the oldest parts into the next quarter, and then gives up their todos", () => {
    const many = fold(
      Array.from({ length: 401 }, (_, place): Step => [place * QUARTER, 1, todo("a")]),
    );
    expect(many?.parts.length).toBe(400);
    expect(parts(many)?.slice(0, 2)).toEqual([
      [1, "a", undefined, 2, 2],
      [2, "a", undefined, 1, 1],
    ]);
    const crowded = fold(
      Array.from({ length: 401 }, (_, place): Step => [0, 1, todo(`t${place}`), "m"]),
    );
    expect(crowded?.parts.length).toBe(201);
    expect(parts(crowded)?.slice(0, 2)).toEqual([
      [0, undefined, "m", 201, 201],
      [0, "t201", "m", 1, 1],
    ]);
    const models = fold(
      Array.from({ length: 401 }, (_, place): Step => [0, 1, undefined, `m${place}`]),
    );
    expect(models?.parts.length).toBe(201);
    expect(parts(models)?.[0]).toEqual([0, undefined, undefined, 201, 201]);
  });
});

describe("the todo in progress", () => {
  const focused = (...steps: readonly (readonly [number, string?])[]) =>
    steps.reduce<TrackUsage>(
      (known, [at, id]) => withFocus(known, at, id === undefined ? [] : [todo(id)]),
      { parts: [], texts: {}, focus: [] },
    );

  test("is noted when it changes", () => {
    const usage = focused([1], [2, "a"], [3, "a"], [4, "b"], [5]);
    expect(usage.focus).toStrictEqual([{ at: 2, todo: "a" }, { at: 4, todo: "b" }, { at: 5 }]);
    expect(usage.texts).toEqual({ a: "Do a", b: "Do b" });
    expect([1, 2, 3, 4, 5].map((at) => focusAt(usage, at))).toEqual([
      undefined,
      "a",
      "a",
      "b",
      undefined,
    ]);
    expect(focused([1])).toEqual({ parts: [], texts: {}, focus: [] });
  });

  test("is known for the last 200 changes, with the texts of these", () => {
    const many = focused(
      ...Array.from({ length: 250 }, (_, place) => [place, `t${place}`] as const),
    );
    expect([many.focus.length, many.focus[0]?.todo]).toEqual([200, "t50"]);
    expect([Object.keys(many.texts).length, "t49" in many.texts, "t50" in many.texts]).toEqual([
      200,
      false,
      true,
    ]);
  });

  test("of a first record is the one that was in progress then", () => {
    const usage = withUsage(undefined, { at: 9, usage: used(1) }, [todo("a", "in_progress", 4)]);
    expect(usage.focus).toEqual([{ at: 4, todo: "a" }]);
    expect(withUsage(undefined, { at: 9, usage: used(1) }, []).focus).toEqual([]);
  });
});

describe("usage of several files", () => {
  const first = fold([
    [0, 1, todo("a"), "m"],
    [QUARTER, 2, todo("a")],
  ]);
  const later = fold([[2 * QUARTER, 4, todo("x"), "m"]]);
  const overlapping = fold([[QUARTER, 8, todo("x"), "m"]]);

  test("of a subagent is added, without its todos", () => {
    expect(parts(withOtherUsage(first, overlapping, false))).toEqual([
      [0, "a", "m", 1, 1],
      [1, "a", undefined, 2, 1],
      [1, undefined, "m", 8, 1],
    ]);
    expect(withOtherUsage(first, overlapping, false)?.texts).toEqual({ a: "Do a" });
  });

  test("of the same agent is added only if one continues the other", () => {
    expect(parts(withOtherUsage(first, later, true))).toHaveLength(3);
    expect(parts(withOtherUsage(later, first, true))?.map(([at]) => at)).toEqual([0, 1, 2]);
    expect(withOtherUsage(first, overlapping, true)).toBe(first);
    expect(withOtherUsage(first, first, true)).toBe(first);
  });

  test("is that of one file if the other has none", () => {
    const empty = { parts: [], texts: {}, focus: [] };
    expect(withOtherUsage(undefined, first, true)).toBe(first);
    expect(withOtherUsage(first, undefined, true)).toBe(first);
    expect(withOtherUsage(undefined, undefined, true)).toBeUndefined();
    expect(withOtherUsage(empty, first, true)).toBe(empty);
  });

  test("is renamed to the todos of another list, of which several may be one", () => {
    const usage = fold([
      [0, 1, todo("a")],
      [1, 2, todo("b")],
      [2, 4],
    ]);
    if (!usage) throw new Error("no usage");
    const named = withTodoIds(
      { ...usage, focus: [{ at: 0, todo: "a" }, { at: 1 }, { at: 2, todo: "z" }] },
      (id, text) => (text === undefined ? `?${id}` : "one"),
    );
    expect(parts(named)).toEqual([
      [0, "one", undefined, 3, 2],
      [0, undefined, undefined, 4, 1],
    ]);
    expect(named.texts).toEqual({ one: "Do b" });
    expect(named.focus).toEqual([{ at: 0, todo: "one" }, { at: 1 }, { at: 2, todo: "?z" }]);
  });
});
