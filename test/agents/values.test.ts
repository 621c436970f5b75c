import { describe, expect, test } from "vitest";
import { parsed } from "../../src/agents/common/values.ts";

describe("JSON inside of JSON", () => {
  test("is read, and what is none is nothing", () => {
    expect(parsed('{"a":["]}\\"[{"]}')).toEqual({ a: [']}"[{'] });
    expect(parsed({ a: 1 })).toEqual({ a: 1 });
    expect(parsed("{")).toBeUndefined();
  });

  test("is not read where it is nested too deep", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(parsed(nested(64))).toBeDefined();
    expect(parsed(nested(65))).toBeUndefined();
    expect(parsed(nested(1_000_000))).toBeUndefined();
    expect(parsed(`"${"[".repeat(100)}"`)).toBe("[".repeat(100));
    expect(parsed(`[${Array(100).fill("[]").join()}]`)).toHaveLength(100);
  });

  test("is read in time that grows with its length, however it is quoted", () => {
    const text = JSON.stringify({ a: '\\"'.repeat(500_000) });
    expect(parsed(text)).toEqual({ a: '\\"'.repeat(500_000) });
    expect(parsed(`"${"\\".repeat(1_000_001)}`)).toBeUndefined();
    expect(parsed(`"${'\\"'.repeat(500_000)}`)).toBeUndefined();
  });
});
