import { describe, expect, test } from "vitest";
import { parseClearDelay } from "../../src/core/text/clear-delay.ts";
import { parseDuration } from "../../src/core/text/duration.ts";
import { cutGraphemes, graphemes } from "../../src/core/text/escape.ts";
import { nearest } from "../../src/core/text/nearest.ts";
import { isAtLeast } from "../../src/core/text/version.ts";

test.each([
  ["90s", 90_000],
  ["5m", 300_000],
  ["1h30m", 5_400_000],
  ["1d", 86_400_000],
  ["1ms", 1],
  ["0s", undefined],
  ["", undefined],
  ["5", undefined],
  ["5 m", undefined],
  ["-5m", undefined],
  ["5mx", undefined],
  ["999999999999d", undefined],
])("parses the duration %j as %j", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

describe("nearest known name", () => {
  const known = ["list", "show", "history", "doctor", "LOG"];
  test.each([
    ["lsit", "list"],
    ["lst", "list"],
    ["lists", "list"],
    ["lost", "list"],
    ["hist", "history"],
    ["hitsory", "history"],
    ["dcotro", "doctor"],
    ["odctro", "doctor"],
    ["odtcro", undefined],
    ["LIST", "list"],
    ["log", "LOG"],
    ["do", "doctor"],
    ["d", undefined],
    ["xyz", undefined],
    ["lxyt", undefined],
    ["", undefined],
  ])("of %j is %j", (name, meant) => {
    expect(nearest(name, known)).toBe(meant);
  });

  test("is the first of several at the same distance", () => {
    expect(nearest("cat", ["bat", "hat", "car"])).toBe("bat");
    expect(nearest("cat", ["bat", "cats"])).toBe("cats");
    expect(nearest("x".repeat(60), ["y".repeat(60)])).toBeUndefined();
  });
});

test.each([
  ["1.2.3", "1.2.3", true],
  ["1.2.4", "1.2.3", true],
  ["1.10.0", "1.9.9", true],
  ["1.2", "1.2.1", false],
  ["1.2.1", "1.2", true],
  ["1.2", "1.2.0", true],
  ["0.9.9", "1.0.0", false],
  ["2", "1.9", true],
  ["1.2-rc", "1.2", true],
])("compares version %s with %s: %j", (version, least, answer) => {
  expect(isAtLeast(version, least)).toBe(answer);
});

test.each([
  ["off", -1],
  [" off ", -1],
  ["60", 60],
  ["-1", -1],
  ["0.5", 0.5],
  ["1m30s", 90],
  ["500ms", 0.5],
  ["", undefined],
  ["on", undefined],
  ["1.", undefined],
  ["5 s", undefined],
])("parses the clear delay %j as %j seconds", (text, seconds) => {
  expect(parseClearDelay(text)).toBe(seconds);
});

test("cuts a text between user-perceived characters", () => {
  expect([cutGraphemes("abc", 3), cutGraphemes("abcd", 3)]).toEqual(["abc", "ab…"]);
  const flag = "🇩🇪";
  expect(cutGraphemes(flag.repeat(3), 3)).toBe(flag.repeat(3));
  expect(cutGraphemes(flag.repeat(4), 3)).toBe(`${flag}${flag}…`);
  const family = "👩‍👩‍👧";
  const long = `${"a".repeat(253)}${family.repeat(40)}e\u0301`;
  const all = [...graphemes(long)];
  expect(all).toEqual([
    ...Array.from({ length: 253 }, () => "a"),
    ...Array(40).fill(family),
    "e\u0301",
  ]);
  expect([...graphemes(`e${"\u0301".repeat(600)}x`)]).toEqual([`e${"\u0301".repeat(600)}`, "x"]);
});
