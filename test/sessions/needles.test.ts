import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Needle } from "../../src/agents/agent.ts";
import {
  createFinder,
  matchesAt,
  rankOf,
  textsOf,
  unescaped,
  withPiece,
} from "../../src/sessions/transcripts/scan/needles.ts";

const NONE = Number.POSITIVE_INFINITY;

/** The positions at which a needle matches: its text, with the other texts in the same line. */
function matchesIn(text: string, needle: Needle): readonly number[] {
  const [first, ...also] = typeof needle === "string" ? [needle] : needle;
  return Array.from({ length: text.length }, (_, at) => at).filter((at) => {
    const begin = text.lastIndexOf("\n", at - 1) + 1;
    const end = text.indexOf("\n", at);
    const line = text.slice(begin, end === -1 ? text.length : end);
    return text.startsWith(first, at) && also.every((other) => line.includes(other));
  });
}

const text = fc.stringMatching(/^[abc\n]{0,60}$/);
const needle: fc.Arbitrary<Needle> = fc.oneof(
  fc.stringMatching(/^[abc]{1,3}$/),
  fc.tuple(fc.stringMatching(/^[abc]{1,2}$/), fc.stringMatching(/^[abc]{1,2}$/)),
  fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom("b", "bb"), fc.constantFrom("c", "cc")),
);
const id = fc.stringMatching(/^[abc]{1,3}$/);

describe("the finder", () => {
  test("finds every match of fixed and awaited needles, and knows those of only the last needle", () => {
    fc.assert(
      fc.property(
        text,
        fc.array(needle, { minLength: 1, maxLength: 4 }),
        fc.array(id, { maxLength: 3 }),
        (content, needles, wanted) => {
          const finder = createFinder(Buffer.from(content), needles, () => wanted);
          const others = [...needles.slice(0, -1), ...wanted].flatMap((each) =>
            matchesIn(content, each),
          );
          const last = matchesIn(content, needles.at(-1) ?? "");
          const all = [...new Set([...others, ...last])].sort((a, b) => a - b);
          const found: number[] = [];
          for (let at = finder.next(0); at !== NONE; at = finder.next(at + 1)) {
            found.push(at);
            expect(finder.isLast()).toBe(!others.includes(at));
          }
          expect(found).toEqual(all);
          expect(finder.next(content.length)).toBe(NONE);
        },
      ),
    );
  });

  test("asks for the awaited ids at first and after each change only", () => {
    let wanted = ["a1"];
    let asked = 0;
    const finder = createFinder(Buffer.from("x b2 a1 b2 a1"), ["zz"], () => {
      asked++;
      return wanted;
    });
    expect(asked).toBe(0);
    expect([finder.next(0), finder.next(6)]).toEqual([5, 11]);
    wanted = ["b2", ""];
    expect([finder.next(0), asked]).toEqual([11, 1]);
    finder.changed();
    expect([finder.next(0), finder.next(3), asked]).toEqual([2, 8, 2]);
    wanted = [];
    finder.changed();
    expect([finder.next(0), asked]).toEqual([NONE, 3]);
  });

  test("searches for the part of an id that is not escaped", () => {
    const finder = createFinder(Buffer.from('-- {"id":"a\\"bcd"}'), [], () => ['a"bcd']);
    expect([finder.next(0), finder.isLast()]).toEqual([13, false]);
  });

  test("finds bytes that are no characters", () => {
    const block = Buffer.from([0xff, 0xe9, 0x0a, 0xe9]);
    const finder = createFinder(block, ["\xe9"]);
    expect([finder.next(0), finder.next(2), finder.lines(0, 4)]).toEqual([1, 3, 1]);
  });

  test("counts the lines between two positions", () => {
    const { lines } = createFinder(Buffer.from("a\nb\n"), []);
    expect([lines(0, 1), lines(0, 2), lines(1, 3), lines(2, 4)]).toEqual([0, 1, 1, 1]);
    fc.assert(
      fc.property(text, fc.nat(60), fc.nat(60), (content, from, to) => {
        const { lines } = createFinder(Buffer.from(content), []);
        expect(lines(from, to)).toBe(content.slice(from, to).split("\n").length - 1);
      }),
    );
  });
});

describe("a needle that is searched for by a piece of it", () => {
  test("matches where the whole of it is, at or after a position", () => {
    const pieced = withPiece(["name:x", "also"], "e:x");
    expect(pieced).toEqual({ bytes: Buffer.from("name:x"), before: 3, also: ["also"] });
    const matches = (line: string, from: number) =>
      matchesAt(Buffer.from(line), pieced, line.indexOf("e:x"), from);
    expect([matches("  name:x also", 2), matches("  name:x also", 3)]).toEqual([true, false]);
    expect(matches("also name:x", 0)).toBe(true);
    expect(matches("  nbme:x also", 0)).toBe(false);
    expect(matches("me:x also", 0)).toBe(false);
    expect(matches("also\nname:x\nalso", 0)).toBe(false);
    expect(matchesAt(Buffer.from("name:x"), withPiece(["name:x"], "name"), 0, 0)).toBe(true);
    expect(matchesAt(Buffer.from("name:"), withPiece(["name:x"], "name"), 0, 0)).toBe(false);
  });

  test("has its texts as Latin-1", () => {
    expect(withPiece(["\xe9x"], "x").bytes).toEqual(Buffer.from([0xe9, 0x78]));
    expect([textsOf("a"), textsOf(["a", "b"])]).toEqual([["a"], ["a", "b"]]);
  });
});

test.each([
  ["call_1-2.x~", "call_1-2.x~"],
  ['a"bc', "bc"],
  ["abc/d", "abc"],
  ["ab\\cd", "ab"],
  ["é12 3", "12"],
  ["", ""],
  ["é/", ""],
])("the unescaped part of %j is %j", (whole, part) => {
  expect(unescaped(whole)).toBe(part);
});

test("characters of tool output are ranked from rare to common", () => {
  const text = 'é^x"te';
  const ranks = [...text].map((_, index) => rankOf(text, index));
  expect(ranks).toEqual([...new Set(ranks)].sort((a, b) => a - b));
  expect([rankOf("é", 0), rankOf("x^", 1)]).toEqual([-1, 0]);
});
