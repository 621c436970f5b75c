import { describe, expect, test } from "vitest";
import { parsed } from "../../src/agents/common/values.ts";

describe("parsed", () => {
  test("parses a JSON string and returns undefined for invalid JSON", () => {
    expect(parsed('{"a":["]}\\"[{"]}')).toEqual({ a: [']}"[{'] });
    expect(parsed({ a: 1 })).toEqual({ a: 1 });
    expect(parsed("{")).toBeUndefined();
  });

  test("returns undefined for JSON that is nested too deep", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(parsed(nested(64))).toBeDefined();
    expect(parsed(nested(65))).toBeUndefined();
    expect(parsed(nested(1_000_000))).toBeUndefined();
    expect(parsed(`"${"[".repeat(100)}"`)).toBe("[".repeat(100));
    expect(parsed(`[${Array(100).fill("[]").join()}]`)).toHaveLength(100);
  });

  test("takes time linear in the length, however the text is quoted", () => {
    const text = JSON.stringify({ a: '\\"'.repeat(500_000) });
    expect(parsed(text)).toEqual({ a: '\\"'.repeat(500_000) });
    expect(parsed(`"${"\\".repeat(1_000_001)}`)).toBeUndefined();
    expect(parsed(`"${'\\"'.repeat(500_000)}`)).toBeUndefined();
  });
});
