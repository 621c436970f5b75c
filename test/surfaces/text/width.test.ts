import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { duration, roughly } from "../../../src/surfaces/text/duration.ts";
import { cells, cut, hanging, padEnd, padStart, wrap } from "../../../src/surfaces/text/width.ts";

describe("width", () => {
  test("cells of what people write", () => {
    const texts = ["abc", "漢字", "cafe\u0301", "👩‍👩‍👧‍👦", "🇩🇪", "שלום", "…", ""];
    expect(texts.map(cells)).toEqual([3, 4, 4, 2, 2, 4, 1, 0]);
  });

  test("lines that are too long go on below where their text began; paths stay whole", () => {
    expect(hanging("state      no output for a minute", 24)).toEqual([
      "state      no output for",
      "           a minute",
    ]);
    expect(hanging("   note: one two three", 14)).toEqual(["   note: one", "  two three"]);
    expect(hanging("directory  /home/ann/a/very/long/path", 24)).toEqual([
      "directory  /home/ann/a/very/long/path",
    ]);
    fc.assert(
      fc.property(fc.lorem({ maxCount: 30 }), fc.integer({ min: 20, max: 60 }), (text, width) => {
        const lines = hanging(`fact       ${text}`, width);
        expect(lines.every((line) => cells(line) <= width)).toBe(true);
        expect(
          lines
            .map((line) => line.trim())
            .join(" ")
            .split(/ +/),
        ).toEqual(["fact", ...text.split(" ")]);
      }),
    );
  });

  test("cutting happens at a cell edge, never inside of what is seen as one character", () => {
    expect([
      cut("abcdef", 6, "…"),
      cut("abcdef", 5, "…"),
      cut("ab cdef", 4, "…"),
      cut("漢字漢字", 6, "…"),
      cut("a👩‍👩‍👧‍👦b", 3, "…"),
      cut("a👩‍👩‍👧‍👦bc", 4, "…"),
      cut("cafe\u0301s au lait", 5, "…"),
      cut("abcdef", 2, "..."),
      cut("abcdef", 0, "…"),
    ]).toEqual(["abcdef", "abcd…", "ab…", "漢字…", "a…", "a👩‍👩‍👧‍👦…", "cafe\u0301…", "ab", ""]);
  });

  test("wrapping breaks between words, and inside of those that are too long", () => {
    expect(wrap("one two  three fourteenletters x", 9)).toEqual([
      "one two",
      "three",
      "fourteenl",
      "etters x",
    ]);
    expect(wrap("", 9)).toEqual([]);
  });

  test("wrapping loses no letter and keeps the width, also when one character is wider", () => {
    const piece = fc.constantFrom(
      "a",
      " ",
      "漢",
      "👩‍👩‍👧‍👦",
      "e\u0301",
      "\u1100",
      "\uff9e",
      "word",
    );
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 2, max: 12 }), (pieces, width) => {
        const text = pieces.join("");
        const lines = wrap(text, width);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        for (const line of lines) expect(cells(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test("padding counts cells", () => {
    expect([padEnd("漢", 4), padStart("漢", 4), padEnd("abc", 2)]).toEqual(["漢  ", "  漢", "abc"]);
  });
});

describe("durations", () => {
  test("two units at most, the small one behind the large one", () => {
    const times = [-5, 999, 48_000, 134_000, 4_320_000, 273_600_000];
    expect(times.map(duration)).toEqual(["0s", "0s", "48s", "2m 14s", "1h 12m", "3d 4h"]);
    expect(times.map(roughly)).toEqual(["0s", "0s", "48s", "2m", "1h", "3d"]);
  });
});

test("every letter that is counted without looking closer has the width that it has", () => {
  const wrong: string[] = [];
  for (let code = 0x20; code < 0x3000; code++) {
    const letter = String.fromCodePoint(code);
    if (cells(letter) !== stringWidth(letter)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
  expect([cells("▌› ✓✓ ⠹"), cells("✔️"), cells("棚"), cells("e\u0301")]).toEqual([7, 2, 2, 1]);
});
