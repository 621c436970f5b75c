import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failureLines, firstShown } from "../../src/core/activity/calls/failures.ts";
import { headAndTail } from "../../src/core/activity/calls/head-and-tail.ts";
import { callOfCheck } from "../../src/core/activity/calls/of-check.ts";

describe("lines that report a failure", () => {
  const isFailure = (line: string) => failureLines([line]).length === 1;

  test.each([
    " FAIL  test/refunds.test.ts > returns the first result",
    "   × returns the first result on a repeat 41ms",
    "AssertionError: expected 201 to be 200",
    "Tests  1 failed | 44 passed (45)",
    "src/a.ts(3,1): error TS2304: Cannot find name",
    "error[E0308]: mismatched types",
    "--- FAIL: TestRefund (0.00s)",
    "not ok 3 - refunds",
    "Traceback (most recent call last):",
    "fatal: not a git repository",
    "sh: 1: vitest: command not found",
    "npm ERR! code ELIFECYCLE",
    "thread 'main' panicked at src/main.rs:2:5",
  ])("include %s", (line) => {
    expect(isFailure(line)).toBe(true);
  });

  test.each([
    "Tests  0 failed | 45 passed (45)",
    "0 errors, 0 warnings",
    " ✓ shows an Error: when the payment fails",
    "ok 3 - handles TypeError",
    "all refunds settled",
    "",
  ])("do not include %j", (line) => {
    expect(isFailure(line)).toBe(false);
  });

  test("are shown with the lines before the first of them", () => {
    expect(firstShown(failureLines(["a", "b", "c", "d", "e", "FAIL x"]))).toBe(2);
    expect(firstShown(failureLines(["FAIL x"]))).toBe(0);
    expect(firstShown([])).toBe(0);
  });
});

describe("the ends of a long text", () => {
  test("are cut between lines, otherwise between words", () => {
    expect(headAndTail("short", 10)).toEqual({ head: "short" });
    expect(headAndTail("one\ntwo\nthree\nfour\nfive", 12)).toEqual({
      head: "one\n",
      tail: "five",
      omitted: 15,
    });
    expect(headAndTail("one two three four five", 12)).toMatchObject({ head: "one", tail: "five" });
  });

  test("and what is left out make up the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", " ", "\n", "\u{1f600}"), maxLength: 200 }),
        fc.integer({ min: 2, max: 100 }),
        (text, max) => {
          const { head, tail = "", omitted = 0 } = headAndTail(text, max);
          expect(head.length + tail.length + omitted).toBe(text.length);
          expect(text.startsWith(head)).toBe(true);
          expect(text.endsWith(tail)).toBe(true);
          expect(head.length + tail.length).toBeLessThanOrEqual(max + 2);
          expect((head + tail).isWellFormed()).toBe(true);
        },
      ),
    );
  });
});

test("a check belongs to the call that ended at its time", () => {
  const call = (callId: string | undefined, endedAt: number, kind: "check" | "read" = "check") => ({
    at: endedAt - 1,
    endedAt,
    kind,
    label: "npm test",
    ...(callId !== undefined && { callId }),
  });
  const calls = [call("a", 1_000), call("b", 9_000), call("c", 9_100), call("d", 9_050, "read")];
  const check = (at: number) => ({ command: "npm test", at });
  expect(callOfCheck(calls, check(9_000))?.callId).toBe("b");
  expect(callOfCheck(calls, check(9_090))?.callId).toBe("c");
  expect(callOfCheck(calls, check(90_000))).toBeUndefined();
  expect(callOfCheck([call(undefined, 9_000)], check(9_000))).toBeUndefined();
  expect(callOfCheck(calls, undefined)).toBeUndefined();
});
