import { describe, expect, test } from "vitest";
import { policyFor } from "../../src/core/list/policy.ts";
import { checkDraft, checkNote } from "../../src/core/list/validate.ts";
import type { Draft, Patch } from "../../src/core/model.ts";
import { modelText } from "../../src/core/text/model-text.ts";

const policy = policyFor("agent", { maxText: 10, maxNote: 20, maxNotes: 2 });
const check = (draft: unknown, names = {}) => {
  const { value, rejected } = checkDraft(
    draft as Draft | Patch,
    modelText`todos[0]`,
    policy,
    names,
  );
  return { value, problems: rejected.map(({ code, message }) => `${code}: ${message}`) };
};

const LINES = "text activeText phase priority parent owner ref rawStatus planStep task".split(" ");

describe.each(LINES)("the field %s", (field) => {
  test("is one line, or removed", () => {
    expect(check({ [field]: " a\r\nb\t " })).toEqual({ value: { [field]: "a b" }, problems: [] });
    expect(check({ [field]: null })).toEqual({ value: { [field]: null }, problems: [] });
    expect(check({ [field]: undefined })).toEqual({ value: {}, problems: [] });
  });

  test.each<[unknown, string]>([
    [5, "invalid_input"],
    [["a"], "invalid_input"],
    ["", "empty_text"],
    [" \n", "empty_text"],
    ["x".repeat(11), "too_long"],
    ["a\u0007", "bad_characters"],
  ])("is refused as %j", (given, code) => {
    const { problems } = check({ [field]: given });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.startsWith(`${code}: todos[0].${field} `)).toBe(true);
  });

  test("counts characters, not code units", () => {
    expect(check({ [field]: "\u{1f600}".repeat(10) }).problems).toEqual([]);
  });
});

describe.each(["notes", "evidence", "blockedBy"])("the field %s", (field) => {
  test("is a list of texts, or removed", () => {
    expect(check({ [field]: ["a\r\nb\rc  ", "d"] })).toEqual({
      value: { [field]: ["a\nb\nc", "d"] },
      problems: [],
    });
    expect(check({ [field]: null })).toEqual({ value: { [field]: null }, problems: [] });
    expect(check({ [field]: [] })).toEqual({ value: { [field]: [] }, problems: [] });
    expect(check({})).toEqual({ value: {}, problems: [] });
  });

  test.each<[unknown, string]>([
    ["a", `invalid_input: todos[0].${field} `],
    [{ a: 1 }, `invalid_input: todos[0].${field} `],
    [["a", 1], `invalid_input: todos[0].${field} `],
    [["a", "b", "c"], `too_many: todos[0].${field} has 3 entries; the limit is 2`],
    [["a", ""], `empty_text: todos[0].${field}[1] `],
    [["\n\t"], `empty_text: todos[0].${field}[0] `],
    [["x".repeat(21)], `too_long: todos[0].${field}[0] has 21 characters; the limit is 20`],
    [["a\u202e"], `bad_characters: todos[0].${field}[0] `],
  ])("is refused as %j", (given, start) => {
    const { problems } = check({ [field]: given });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(start);
  });
});

test("a status is one of ours", () => {
  for (const status of ["pending", "in_progress", "completed", "blocked", "cancelled"])
    expect(check({ status })).toEqual({ value: { status }, problems: [] });
  expect(check({ status: null })).toEqual({ value: {}, problems: [] });
  for (const status of ["done", "", 5])
    expect(check({ status }).problems[0]).toMatch(
      /^invalid_input: todos\[0\]\.status .*in_progress/,
    );
});

test("a blocker is a line of the length of a note", () => {
  expect(check({ blocker: " a\nb " })).toEqual({ value: { blocker: "a b" }, problems: [] });
  expect(check({ blocker: null })).toEqual({ value: { blocker: null }, problems: [] });
  expect(check({ blocker: "x".repeat(20) }).problems).toEqual([]);
  expect(check({ blocker: "x".repeat(21) }).problems[0]).toMatch(/^too_long: todos\[0\]\.blocker /);
  expect(check({ blocker: "" }).problems[0]).toMatch(/^empty_text/);
});

test("what was sent is kept as it is, if it is not too long", () => {
  for (const field of ["sentText", "sentPhase"]) {
    expect(check({ [field]: " a\n" }).value).toEqual({ [field]: " a\n" });
    expect(check({ [field]: null }).value).toEqual({ [field]: null });
    expect(check({ [field]: "x".repeat(40) }).value).toEqual({ [field]: "x".repeat(40) });
    for (const left of ["x".repeat(41), 5, undefined])
      expect(check({ [field]: left })).toEqual({ value: {}, problems: [] });
  }
});

test("a field has the name that the tool has for it", () => {
  const names = { text: modelText`content`, notes: modelText`details` };
  expect(check({ text: "", notes: "x" }, names).problems).toEqual([
    expect.stringContaining("todos[0].content is empty"),
    expect.stringContaining("todos[0].details "),
  ]);
});

test("a lax policy accepts any character", () => {
  const lax = { ...policy, strictText: false };
  expect(checkNote(modelText`note`, "a\u0007", lax)).toEqual({ value: "a\u0007", rejected: [] });
  expect(checkNote(modelText`note`, "a\u0007", policy).rejected).toHaveLength(1);
});
