import { describe, expect, test } from "vitest";
import { signsAfter, warningsSince } from "../../src/core/activity/signs.ts";
import { type EditSigns, signKey } from "../../src/core/checks/tamper/edits.ts";
import type { TamperWarning } from "../../src/core/checks/tamper/warning.ts";
import { ansiLines } from "../../src/core/text/ansi.ts";

const removed = (text: string): TamperWarning => ({
  kind: "test_removed",
  file: "a",
  line: 1,
  text,
});
const skipped = (text: string): TamperWarning =>
  ({ kind: "test_skipped", file: "a", line: 1, text }) as TamperWarning;
const edit = (
  signs: readonly TamperWarning[],
  undone: readonly TamperWarning[] = [],
  more = {},
): EditSigns => ({ signs, undone: undone.map(signKey), ...more }) as EditSigns;

describe("signs of weakened checks", () => {
  const texts = (signs: ReturnType<typeof signsAfter>) => signs.open.map(({ text }) => text);

  test("are open until an edit undoes them", () => {
    const first = signsAfter(undefined, edit([removed("a"), skipped("b")]), 1);
    expect(first).toEqual({
      open: [
        { ...removed("a"), at: 1 },
        { ...skipped("b"), at: 1 },
      ],
      added: [],
    });
    const second = signsAfter(first, edit([skipped("c")], [skipped("b")]), 2);
    expect(second).toEqual({
      open: [
        { ...removed("a"), at: 1 },
        { ...skipped("c"), at: 2 },
      ],
      added: [],
    });
  });

  test("are none if the test was added elsewhere before", () => {
    const added = signsAfter(undefined, edit([], [removed("a"), skipped("b")]), 1);
    expect(added).toEqual({ open: [], added: [signKey(removed("a"))] });
    const moved = signsAfter(added, edit([removed("a"), removed("b")]), 2);
    expect([texts(moved), moved.added]).toEqual([["b"], []]);
    expect(texts(signsAfter(moved, edit([removed("a")]), 3))).toEqual(["b", "a"]);
  });

  test("of an overwritten file count only if it existed", () => {
    const whole = edit([removed("a")], [], { ifOverwritten: [removed("b")] });
    expect(texts(signsAfter(undefined, whole, 1))).toEqual(["a"]);
    expect(texts(signsAfter(undefined, whole, 1, true))).toEqual(["a", "b"]);
    expect(texts(signsAfter(undefined, edit([removed("a")]), 1, true))).toEqual(["a"]);
  });

  test("are the last 20, with the last 60 added tests", () => {
    const many = Array.from({ length: 70 }, (_, place) => removed(`t${place}`));
    const open = signsAfter(undefined, edit(many), 1);
    expect([open.open.length, open.open[0]?.text]).toEqual([20, "t50"]);
    const { added } = signsAfter(undefined, edit([], many), 1);
    expect([added.length, added[0]]).toEqual([60, signKey(removed("t10"))]);
  });

  test("are reported for a time", () => {
    const signs = [1, 2, 3].reduce<ReturnType<typeof signsAfter> | undefined>(
      (known, at) => signsAfter(known, edit([skipped(`s${at}`)]), at),
      undefined,
    );
    const since = (from: number, until?: number) =>
      warningsSince(signs, from, until).map(({ text }) => text);
    expect([since(2), since(2, 2), since(4), since(0)]).toEqual([
      ["s2", "s3"],
      ["s2"],
      [],
      ["s1", "s2", "s3"],
    ]);
    expect(warningsSince(signs, 3)).toStrictEqual([skipped("s3")]);
    expect(warningsSince(undefined, 0)).toEqual([]);
  });
});

describe("colors of a program", () => {
  const styled = (codes: string) => ansiLines(`\u001b[${codes}mx`)[0]?.[0];

  test.each([
    ["38;5;1", { text: "x" }],
    ["38;5;1;31", { text: "x", color: "red" }],
    ["38;2;1;2;3;31", { text: "x", color: "red" }],
    ["48;5;7;32", { text: "x", color: "green" }],
    ["1;38;5;7", { text: "x", bold: true }],
    ["38:5:31", { text: "x" }],
    ["30", { text: "x", color: "black" }],
    ["37", { text: "x", color: "white" }],
    ["97", { text: "x", color: "white" }],
    ["100", { text: "x", color: "black", inverse: true }],
    ["108", { text: "x" }],
    ["31;39;1", { text: "x", bold: true }],
    ["1;2;7;31;22", { text: "x", color: "red", inverse: true }],
    ["1;7;31;27", { text: "x", color: "red", bold: true }],
    ["2;41;49", { text: "x", color: "red", dim: true }],
    ["1;31;39", { text: "x", bold: true }],
    ["1;31;0", { text: "x" }],
    ["1;31;", { text: "x" }],
    ["98", { text: "x" }],
  ])("%s", (codes, span) => {
    expect(styled(codes)).toEqual(span);
  });
});
