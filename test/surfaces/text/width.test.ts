import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { duration } from "../../../src/core/text/duration.ts";
import { roughly } from "../../../src/surfaces/text/draw/duration.ts";
import {
  cells,
  cut,
  hanging,
  padEnd,
  padStart,
  wrap,
} from "../../../src/surfaces/text/draw/width.ts";
import { CODE_POINT } from "../../code-point.ts";
import { sized } from "../../full.ts";

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

/** Ten thousands of them, all alike. */
const ALIKE = /\p{Control}|\p{Unassigned}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Tangut}/u;

test("every character has the width that it has, alone and as a picture", () => {
  const wrong: string[] = [];
  for (let code = 0x20; code < 0x20000; code++) {
    const letter = String.fromCodePoint(code);
    if (ALIKE.test(letter) && code % 16 !== 0) continue;
    const texts = /\p{Emoji}/u.test(letter) ? [letter, `${letter}\ufe0f`] : [letter];
    for (const text of texts)
      if (!/\p{Control}/u.test(text) && cells(text) !== stringWidth(text)) wrong.push(text);
  }
  expect(wrong).toEqual([]);
  expect([cells("▌› ✓✓ ⠹"), cells("✔️"), cells("棚"), cells("e\u0301")]).toEqual([7, 2, 2, 1]);
});

/** What characters are put together from: letters of Hangul, marks, joiners, flags, tones, digits. */
const PARTS = [
  ..."\u1100\u1112\u115f\u1160\u1161\u11a8\u11ff\ua960\ud7b0\ud7cb가각",
  ..."e\u0301\u0903\u093e\u0bbe\u3099\uff76\uff9e\uff70Ａ漢あ\u0e33\u0600",
  ..."\u200d\ufe0f\ufe0e\u20e31#*\u200b\u00ad\u{e0067}\u{e007f}",
  ..."👩👧❤✔☎🏴🇩🇪🇺🏽🏿⬛™ℹ",
];

test("whatever people put together has the width that string-width gives it", () => {
  const built = fc.array(fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: "grapheme" })), {
    maxLength: 12,
  });
  const text = fc.oneof(
    built.map((parts) => parts.join("")),
    fc.string({ unit: CODE_POINT }),
  );
  fc.assert(
    fc.property(text, (given) => {
      const plain = given.replace(/\p{Control}/gu, "");
      expect(cells(plain)).toBe(stringWidth(plain));
    }),
    { numRuns: sized(600, 3_000) },
  );
});
