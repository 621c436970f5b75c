import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import {
  cells,
  cut,
  padEnd,
  padStart,
  wrap,
  wrapHanging,
} from "../../../src/surfaces/text/draw/width.ts";
import { CODE_POINT } from "../../code-point.ts";
import { sized } from "../../full.ts";

describe("width", () => {
  test("measures letters, CJK and emoji", () => {
    const texts = ["abc", "漢字", "cafe\u0301", "👩‍👩‍👧‍👦", "🇩🇪", "שלום", "…", ""];
    expect(texts.map(cells)).toEqual([3, 4, 4, 2, 2, 4, 1, 0]);
  });

  test("indents continuation lines to the text and never breaks paths", () => {
    expect(wrapHanging("state      no output for a minute", 24)).toEqual([
      "state      no output for",
      "           a minute",
    ]);
    expect(wrapHanging("   note: one two three", 14)).toEqual(["   note: one", "  two three"]);
    expect(wrapHanging("directory  /home/ann/a/very/long/path", 24)).toEqual([
      "directory  /home/ann/a/very/long/path",
    ]);
    fc.assert(
      fc.property(fc.lorem({ maxCount: 30 }), fc.integer({ min: 20, max: 60 }), (text, width) => {
        const lines = wrapHanging(`fact       ${text}`, width);
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

  test("cuts between graphemes", () => {
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

  test("wraps between words, and inside words that are too long", () => {
    expect(wrap("one two  three fourteenletters x", 9)).toEqual([
      "one two",
      "three",
      "fourteenl",
      "etters x",
    ]);
    expect(wrap("", 9)).toEqual([]);
  });

  test("wraps without losing characters or exceeding the width", () => {
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

  test("pads by cells", () => {
    expect([padEnd("漢", 4), padStart("漢", 4), padEnd("abc", 2)]).toEqual(["漢  ", "  漢", "abc"]);
  });
});

/** Large ranges of uniform width; only some are checked. */
const ALIKE = /\p{Control}|\p{Unassigned}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Tangut}/u;

test("measures every character as string-width does, also as emoji", () => {
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

/** Parts of grapheme clusters: Hangul jamo, marks, joiners, flags, skin tones, digits. */
const PARTS = [
  ..."\u1100\u1112\u115f\u1160\u1161\u11a8\u11ff\ua960\ud7b0\ud7cb가각",
  ..."e\u0301\u0903\u093e\u0bbe\u3099\uff76\uff9e\uff70Ａ漢あ\u0e33\u0600",
  ..."\u200d\ufe0f\ufe0e\u20e31#*\u200b\u00ad\u{e0067}\u{e007f}",
  ..."👩👧❤✔☎🏴🇩🇪🇺🏽🏿⬛™ℹ",
];

test("measures combined characters as string-width does", () => {
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
