import fc from "fast-check";
import { expect, test } from "vitest";
import { type Family, MAX_VALUES } from "../../../src/surfaces/metrics/family.ts";
import { metricsText } from "../../../src/surfaces/metrics/text-format.ts";
import { parseMetrics, valueIn } from "./parse.ts";

const family = (samples: Family["samples"], more: Partial<Family> = {}): Family => ({
  name: "waymark_test",
  help: "A test.",
  samples,
  ...more,
});
const parsed = (...families: readonly Family[]) => parseMetrics(`${metricsText(families)}\n`);

test("writes HELP, TYPE and one line per series", () => {
  const text = metricsText([
    family([{ labels: { agent: "a", state: "idle" }, value: 2 }]),
    family([], { name: "waymark_empty" }),
    family([{ labels: {}, value: 0.5 }], { name: "waymark_seconds_total", type: "counter" }),
  ]);
  expect(text.split("\n")).toEqual([
    "# HELP waymark_test A test.",
    "# TYPE waymark_test gauge",
    'waymark_test{agent="a",state="idle"} 2',
    "# HELP waymark_seconds_total A test.",
    "# TYPE waymark_seconds_total counter",
    "waymark_seconds_total 0.5",
  ]);
});

test("escapes hostile values, which stay one value of one series", () => {
  const hostile = '"} 1\nfake{x="\\';
  const families = parsed(family([{ labels: { agent: hostile }, value: 1 }]));
  expect([...families.keys()]).toEqual(["waymark_test"]);
  expect(families.get("waymark_test")?.samples).toEqual([
    { name: "waymark_test", labels: { agent: '"} 1 fake{x="\\' }, value: 1 },
  ]);
  expect(
    metricsText([family([{ labels: { agent: "\0\u001b[2J\u202e\ud800" }, value: 1 }])]),
  ).toMatch(/^[^\0\u001b\u202e\ud800]+$/);
});

test("any names give valid text, and no value gets lost", () => {
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 120 }),
    fc.constantFrom("", "\n", "\\", '"', "other", "__proto__", "\ud800", "\r\n", "é".repeat(200)),
  );
  const samples = fc.array(fc.tuple(name, fc.constantFrom("x", "y"), fc.nat(1_000)), {
    maxLength: 120,
  });
  fc.assert(
    fc.property(samples, (given) => {
      const families = metricsText([
        family(
          given.map(([agent, state, value]) => ({ labels: { agent, state }, value })),
          { open: ["agent"] },
        ),
      ]);
      const found =
        given.length === 0
          ? []
          : (parseMetrics(`${families}\n`).get("waymark_test")?.samples ?? []);
      const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);
      expect(sum(found.map(({ value }) => value))).toBe(sum(given.map(([, , value]) => value)));
      expect(new Set(found.map(({ labels }) => labels.agent)).size).toBeLessThanOrEqual(
        MAX_VALUES + 1,
      );
    }),
  );
});

test("adds up values that are equal once they are shortened", () => {
  const long = "m".repeat(100);
  const samples = ["1", "2"].map((end) => ({ labels: { model: long + end }, value: 3 }));
  expect(valueIn(parsed(family(samples)), "waymark_test", { model: long })).toBe(6);
});

test("keeps the largest values of an open label and adds the others up", () => {
  const samples = Array.from({ length: MAX_VALUES + 3 }, (_, index) => ({
    labels: { model: `m${index}` },
    value: index,
  }));
  const families = parsed(family(samples, { open: ["model"] }));
  expect(families.get("waymark_test")?.samples).toHaveLength(MAX_VALUES + 1);
  expect(valueIn(families, "waymark_test", { model: "other" })).toBe(0 + 1 + 2);
  expect(valueIn(families, "waymark_test", { model: "m32" })).toBe(32);
  expect(valueIn(families, "waymark_test", { model: "m2" })).toBeUndefined();
});
