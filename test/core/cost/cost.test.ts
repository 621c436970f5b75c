import fc from "fast-check";
import { expect, test } from "vitest";
import type { Usage } from "../../../src/core/activity/usage.ts";
import {
  addCosts,
  costOf,
  costOfSum,
  type ModelUsage,
  NO_COST,
  sumCosts,
} from "../../../src/core/cost/cost.ts";
import { formatCost, formatTokens } from "../../../src/core/cost/format.ts";
import { pricesFrom } from "../../../src/core/cost/price.ts";

const prices = pricesFrom(
  new Map([
    ["full", [{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteHour: 6 }]],
    ["some", [{ input: 0.0375, output: 1 }]],
  ]),
);

const usage = (part: Partial<Usage>): Usage => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  requests: 1,
  ...part,
});

test("prices each kind of token, reasoning as part of the output", () => {
  const all = usage({
    input: 1_000_000,
    output: 100_000,
    cacheRead: 2_000_000,
    cacheWrite: 300_000,
    cacheWriteHour: 100_000,
    reasoning: 50_000,
  });
  expect(costOf([{ model: "full", at: 0, usage: all }], prices)).toEqual({
    cost: 6.45,
    unpriced: 0,
  });
});

test("counts tokens without a price, of unknown models and of unpriced kinds", () => {
  const some = usage({ input: 1_000_000, cacheRead: 7 });
  expect(costOf([{ model: "some", at: 0, usage: some }], prices)).toEqual({
    cost: 0.0375,
    unpriced: 7,
  });
  expect(costOf([{ model: "other", at: 0, usage: some }], prices)).toEqual({
    cost: null,
    unpriced: 1_000_007,
  });
  expect(costOf([{ at: 0, usage: some }], prices).cost).toBeNull();
  expect(costOf([], prices)).toEqual({ cost: 0, unpriced: 0 });
  expect(costOf([{ model: "other", at: 0, usage: usage({}) }], prices)).toEqual({
    cost: 0,
    unpriced: 0,
  });
});

test("parts add up to the whole exactly, however they are grouped", () => {
  const count = fc.nat(50_000_000);
  const part: fc.Arbitrary<ModelUsage> = fc.record({
    model: fc.constantFrom("full", "some", "other"),
    at: fc.constant(0),
    usage: fc.record({
      input: count,
      output: count,
      cacheRead: count,
      cacheWrite: count,
      reasoning: count,
      requests: count,
    }),
  });
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(3)), (parts, groups) => {
      const rows = [0, 1, 2, 3].map((group) =>
        sumCosts(
          parts.filter((_, index) => (groups[index] ?? 0) === group),
          prices,
        ),
      );
      expect(rows.reduce(addCosts, NO_COST)).toEqual(sumCosts(parts, prices));
    }),
  );
});

test.each([
  [{ cost: 3.84, unpriced: 0 }, "≈$3.84"],
  [{ cost: 0, unpriced: 0 }, "≈$0.00"],
  [{ cost: 0.004, unpriced: 0 }, "<$0.01"],
  [{ cost: 0.005, unpriced: 0 }, "≈$0.01"],
  [{ cost: 999.994, unpriced: 0 }, "≈$999.99"],
  [{ cost: 1_234_567.4, unpriced: 0 }, "≈$1,234,567"],
  [{ cost: 3.84, unpriced: 12 }, "≈$3.84+"],
  [{ cost: null, unpriced: 12_345 }, "12k tok"],
])("prints %j as %s", (cost, text) => {
  expect(formatCost(cost)).toBe(text);
});

test("prints ASCII on request", () => {
  expect(formatCost({ cost: 3.84, unpriced: 0 }, false)).toBe("~$3.84");
});

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1.0k"],
  [9_949, "9.9k"],
  [9_950, "10k"],
  [999_499, "999k"],
  [999_500, "1.0M"],
  [4_000_000, "4.0M"],
  [123_456_789, "123M"],
])("prints %d tokens as %s", (tokens, text) => {
  expect(formatTokens(tokens)).toBe(text);
});

test("a sum keeps its cost", () => {
  expect(costOfSum({ ...NO_COST, nanos: 1_500_000_000, priced: 1, unpriced: 0 })).toEqual({
    cost: 1.5,
    unpriced: 0,
  });
});
