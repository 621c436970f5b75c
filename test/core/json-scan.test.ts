import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDeeperThan, valueEnd } from "../../src/core/text/json-scan.ts";

const container = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("JSON brackets", () => {
  it("counts levels as a parser would", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(6), (value, levels) => {
        expect(isDeeperThan(JSON.stringify(value), levels)).toBe(depthOf(value) > levels);
      }),
    );
  });

  it("finds the end of a value before any other text", () => {
    fc.assert(
      fc.property(fc.string(), container, fc.string(), (before, value, after) => {
        const json = JSON.stringify(value);
        const end = valueEnd(before + json + after, before.length);
        expect(end).toBe(before.length + json.length);
      }),
    );
  });

  it("reports a value that does not end", () => {
    fc.assert(
      fc.property(container, (value) => {
        expect(valueEnd(JSON.stringify(value).slice(0, -1), 0)).toBe(-1);
      }),
    );
  });

  it("ignores brackets inside strings", () => {
    expect(valueEnd('{"a":"}\\"}"}', 0)).toBe(12);
    expect(isDeeperThan('["[[[["]', 1)).toBe(false);
  });
});
