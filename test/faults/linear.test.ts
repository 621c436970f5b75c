import { describe, expect, test } from "vitest";
import { parseMarkdown } from "../../src/core/list/markdown.ts";
import { normalizeText } from "../../src/core/list/match.ts";
import { stepsOf } from "../../src/core/plan/steps.ts";
import {
  cutBytes,
  cutGraphemes,
  forbiddenCharacter,
  forHtml,
  forJson,
  forTerminal,
  oneLine,
  withoutForbidden,
} from "../../src/core/text/escape.ts";
import { code, json, line, quote } from "../../src/core/text/model-text.ts";
import { cells, cut, wrap, wrapHanging } from "../../src/surfaces/text/draw/width.ts";
import { FULL } from "../full.ts";

const SIZE = FULL ? 20_000 : 1_000;
/** Growth of the input in the second measurement; quadratic code takes the square of it. */
const MORE = 4;
const MOST = 9;
/** Measures again if the machine is busy. */
const ATTEMPTS = 3;
const ROUNDS = 2;
/** Times below this measure the machine. */
const FLOOR = 30;

/** Inputs known to slow down similar tools, scaled to a size. */
const PATTERNS: readonly string[] = [
  "\u001b[",
  "\u001b[0;",
  ";",
  "\u001b]8;;",
  "\u009b1;",
  "[[[[",
  "](",
  "*_",
  "`",
  "- [ ] ",
  "- [x",
  "\n\n- ",
  "# ",
  "1. ",
  "  ",
  "\t",
  "<",
  "</",
  "&amp",
  "&#x",
  "\u200d",
  "👨‍👩‍👧",
  "a\u0301\u0301\u0301\u0301\u0301",
  "\u1100\u1161",
  "🇩",
  "漢",
  "\u202e",
  "\r",
  "x",
  "x ",
  "\\",
  '"',
  "{",
  "\ud800",
];

const WORK: Readonly<Record<string, (text: string) => unknown>> = {
  forTerminal,
  forHtml,
  line: (text) => line(text),
  json: (text) => json(text),
  oneLine,
  foldText: normalizeText,
  parseMarkdown,
  stepsOf,
  forbiddenCharacter,
  withoutForbidden,
  forJson: (text) => forJson(text),
  quote: (text) => quote(text, 200),
  code: (text) => code(text),
  cutGraphemes: (text) => cutGraphemes(text, 80),
  cutBytes: (text) => cutBytes(text, 2_000),
  cells,
  cut: (text) => cut(text, 80, "…"),
  wrap: (text) => wrap(text, 80),
  hanging: (text) => wrapHanging(text, 80),
};

function grown(pattern: string, size: number): string {
  return `${pattern.repeat(Math.ceil(size / pattern.length)).slice(0, size)}!`;
}

/** CPU time in milliseconds, the minimum of several rounds. */
function timeOf(work: (text: string) => unknown, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const { user } = process.cpuUsage();
    work(text);
    least = Math.min(least, (process.cpuUsage().user - user) / 1_000);
    if (least < FLOOR / 4) break;
  }
  return least;
}

/** Ratio of the times; near zero where both are short. */
function growth(work: (text: string) => unknown, pattern: string): number {
  const much = timeOf(work, grown(pattern, MORE * SIZE));
  return much < FLOOR ? 1 : much / timeOf(work, grown(pattern, SIZE));
}

describe("code that processes external text", { timeout: 600_000 }, () => {
  test.each(Object.entries(WORK))("takes linear time: %s", { tags: ["slow-text"] }, (_, work) => {
    const slow = PATTERNS.flatMap((pattern) => {
      let least = Number.POSITIVE_INFINITY;
      for (let n = 0; n < ATTEMPTS && least > MOST; n++)
        least = Math.min(least, growth(work, pattern));
      return least <= MOST ? [] : [`${JSON.stringify(pattern)}: ${least.toFixed(1)} times`];
    });
    expect(slow).toStrictEqual([]);
  });
});
