import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { strengthOf } from "../../../src/core/checks/tamper/assertions.ts";
import type { Language } from "../../../src/core/checks/tamper/languages.ts";
import { lineAt, mask, readSource, squeezed } from "../../../src/core/checks/tamper/source.ts";

const LANGUAGES = ["js", "python", "go", "rust", "jvm", "csharp", "ruby", "php", "sh"] as const;
const three = '"""';

describe("a source without comments and strings", () => {
  test.each<[Language, string, string, string]>([
    ["js", "a; // b\nc", "a;     \nc", "a;     \nc"],
    ["js", "a /* b\n c */ d", "a     \n      d", "a     \n      d"],
    ["js", "a /* b", "a     ", "a     "],
    ["js", "a /*/ b */ c", "a          c", "a          c"],
    ["js", "a // b", "a     ", "a     "],
    ["js", 'f("a // b")', 'f("a // b")', 'f("______")'],
    ["js", "f('a\\'b', c)", "f('a\\'b', c)", "f('____', c)"],
    ["js", "f('', \"\")", "f('', \"\")", "f('', \"\")"],
    ["js", "f(`a\nb`)", "f(`a\nb`)", "f(`_\n_`)"],
    ["js", "f('a\nb')", "f('a\nb')", "f('_\nb'_"],
    ["js", "x = /a\\/[/]b/.test(y)", "x = /a\\/[/]b/.test(y)", "x = /_______/.test(y)"],
    ["js", "x = a / b / c", "x = a / b / c", "x = a / b / c"],
    ["js", "return /'/", "return /'/", "return /_/"],
    ["js", "x = /a\nb", "x = /a\nb", "x = /a\nb"],
    ["js", "# a", "# a", "# a"],
    ["python", "a # b 'c'\nd", "a        \nd", "a        \nd"],
    [
      "python",
      `${three}a\n'b'${three} # c`,
      `${three}a\n'b'${three}    `,
      `${three}_\n___${three}    `,
    ],
    ["python", "'''a'b''' + c", "'''a'b''' + c", "'''___''' + c"],
    ["python", `${three}a`, `${three}a`, `${three}_`],
    ["python", "a // b", "a // b", "a // b"],
    ["python", "x#a", "x  ", "x  "],
    ["go", "`a\\` + b", "`a\\` + b", "`__` + b"],
    ["go", "'\\'' // a", "'\\''     ", "'__'     "],
    ["rust", 'r#"a"b"# + r"c"', 'r#"a"b"# + r"c"', 'r#"___"# + r"_"'],
    ["rust", 'var"a"', 'var"a"', 'var"_"'],
    [
      "rust",
      "fn f<'a>(x: &'a str) { '\"'; '\\n' }",
      "fn f<'a>(x: &'a str) { '\"'; '\\n' }",
      "fn f<'a>(x: &'a str) { '_'; '__' }",
    ],
    ["rust", '"a\nb" c', '"a\nb" c', '"_\n_" c'],
    ["jvm", `${three}a"b${three} 'c'`, `${three}a"b${three} 'c'`, `${three}___${three} '_'`],
    ["jvm", "a /* b */", "a        ", "a        "],
    ["csharp", '"a" /* b */', '"a"        ', '"_"        '],
    ["ruby", "'a' # b", "'a'    ", "'_'    "],
    ["ruby", "a#b 'c'", "a#b 'c'", "a#b '_'"],
    [
      "php",
      "#[Test]\n# a\n// b\n'c\nd'",
      "#[Test]\n   \n    \n'c\nd'",
      "#[Test]\n   \n    \n'_\n_'",
    ],
    ["sh", "a 'b\\' c # d", "a 'b\\' c    ", "a '__' c    "],
    ["sh", 'a$#b "c\nd"', 'a$#b "c\nd"', 'a$#b "_\n_"'],
    ["sh", "#!/bin/sh\na", "         \na", "         \na"],
  ])("%s: %j", (language, raw, plain, code) => {
    expect(mask(raw, language)).toEqual({ plain, code });
  });

  test("keeps its length and its lines, whatever it contains", () => {
    const part = fc.constantFrom(
      "'",
      '"',
      "`",
      "/",
      "*",
      "#",
      "\n",
      "\\",
      "r",
      "a",
      " ",
      "(",
      "]",
      "[",
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 40 }),
        fc.constantFrom(...LANGUAGES),
        (parts, language) => {
          const raw = parts.join("");
          const { plain, code } = mask(raw, language);
          const lines = (text: string) => text.split("\n").map(({ length }) => length);
          expect([lines(plain), lines(code)]).toEqual([lines(raw), lines(raw)]);
          for (let at = 0; at < raw.length; at++) {
            expect([raw[at], " "]).toContain(plain[at]);
            expect([plain[at], "_"]).toContain(code[at]);
          }
        },
      ),
    );
  });
});

describe("brackets", () => {
  const closingOf = (raw: string, isFragment = false) =>
    [...readSource(raw, "js", isFragment).closing].flatMap((to, at) => (to > 0 ? [[at, to]] : []));

  test("are paired by kind, outside of strings and comments", () => {
    expect(closingOf("f(a[0], { b: 1 })")).toEqual([
      [1, 16],
      [3, 5],
      [8, 15],
    ]);
    expect(closingOf("(')' /* ) */)")).toEqual([[0, 12]]);
    expect(closingOf("(]) }")).toEqual([[0, 2]]);
    expect(closingOf("((a)")).toEqual([[1, 3]]);
  });

  test("of a fragment end with it", () => {
    expect(closingOf("{ (a", true)).toEqual([
      [0, 4],
      [2, 4],
    ]);
    expect(closingOf("{ (a")).toEqual([]);
  });
});

test("offsets are found in their lines", () => {
  const source = readSource("a\nbc\n\nd", "js");
  expect([0, 1, 2, 4, 5, 6, 7].map((offset) => lineAt(source, offset))).toEqual([
    1, 1, 2, 2, 3, 4, 4,
  ]);
  expect(source.lines).toEqual([0, 2, 5, 6]);
  expect(squeezed("  a \n\t b ")).toBe("a b");
});

test("strengths of assertions", () => {
  const strengths = [
    "expect(true).toBe(true);",
    "expect(a).toBeDefined()",
    "expect(a).toBe(3)",
  ].map(strengthOf);
  expect(strengths).toEqual(["trivial", "weak", "strong"]);
});
