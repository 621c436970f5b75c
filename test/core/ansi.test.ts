import fc from "fast-check";
import { expect, test } from "vitest";
import { ansiLines, withoutAnsi } from "../../src/core/text/ansi.ts";
import { INVISIBLE } from "../../src/core/text/escape.ts";
import { cpuTime } from "../cpu-time.ts";

const ESC = "\u001b";

test("keeps colors and weights, across lines", () => {
  expect(ansiLines(`a${ESC}[1;31mb\nc${ESC}[22md${ESC}[0me`)).toEqual([
    [{ text: "a" }, { text: "b", color: "red", bold: true }],
    [{ text: "c", color: "red", bold: true }, { text: "d", color: "red" }, { text: "e" }],
  ]);
  expect(ansiLines(`${ESC}[41mx${ESC}[49my${ESC}[39mz`)).toEqual([
    [{ text: "x", color: "red", inverse: true }, { text: "y", color: "red" }, { text: "z" }],
  ]);
  // The arguments of extended colors are no codes of their own.
  expect(ansiLines(`${ESC}[38;5;31mx${ESC}[48;2;7;7;7my`)).toEqual([
    [{ text: "x" }, { text: "y" }],
  ]);
});

const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

test("each code changes one property", () => {
  const styleOf = (...codes: readonly number[]) => {
    const [[span] = []] = ansiLines(`${codes.map((code) => `${ESC}[${code}m`).join("")}x`);
    const { text: _, ...style } = span ?? { text: "" };
    return style;
  };
  for (const [index, color] of COLORS.entries())
    for (const base of [30, 40, 90, 100])
      expect(styleOf(base + index)).toEqual({
        color,
        ...(base % 30 !== 0 && { inverse: true }),
      });
  for (const code of [3, 4, 9, 10, 21, 29, 38, 48, 98, 99, 108, 110])
    expect(styleOf(code)).toEqual({});
  const all = { color: "red", bold: true, dim: true, inverse: true };
  expect(styleOf(31, 1, 2, 7)).toEqual(all);
  for (const [code, ended] of [
    [0, ["color", "bold", "dim", "inverse"]],
    [22, ["bold", "dim"]],
    [27, ["inverse"]],
    [39, ["color"]],
    [49, ["inverse"]],
  ] as const) {
    const left = Object.entries(all).filter(
      ([name]) => !(ended as readonly string[]).includes(name),
    );
    expect(styleOf(31, 1, 2, 7, code)).toEqual(Object.fromEntries(left));
    expect(styleOf(code)).toEqual({});
  }
});

test.each([
  [`${ESC}]0;title\u0007x`, "x"],
  [`${ESC}]8;;https://a.example/${ESC}\\link${ESC}]8;;${ESC}\\`, "link"],
  [`${ESC}[2J${ESC}[1;1H${ESC}[?25lx`, "x"],
  [`${ESC}Pq#0;2${ESC}\\x${ESC}(By${ESC}c`, "xy"],
  ["\u009b31mx", "x"],
  ["  0%\r 50%\r100%", "100%"],
  ["done\r\nnext\r", "done\nnext"],
  ["\u202eabc\u200b\u0007", "\\u{202e}abc\\u{200b}␇"],
  [`cut off ${ESC}[3`, "cut off "],
])("draws %j as %j", (output, text) => {
  expect(withoutAnsi(output)).toBe(text);
});

test("no control character survives", () => {
  const piece = fc.constantFrom(
    ESC,
    "[",
    "]",
    "31",
    ";",
    "m",
    "\u009b",
    "\u0007",
    "\r",
    "\n",
    "é",
    "\u202e",
    "a",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const rest = withoutAnsi(pieces.join("")).replaceAll("\n", "");
      expect(rest.match(INVISIBLE)).toBeNull();
    }),
  );
});

test("takes linear time", () => {
  const output = `${ESC}]${"x".repeat(200_000)}\n${`${ESC}[31`.repeat(50_000)}\n${"\r".repeat(200_000)}`;
  const before = cpuTime();
  ansiLines(output);
  expect(cpuTime() - before).toBeLessThan(2_000);
});
