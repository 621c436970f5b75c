import { expect, test } from "vitest";
import { addUsage, NO_USAGE } from "../../src/core/activity/usage.ts";

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
