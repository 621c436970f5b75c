import { describe, expect, test } from "vitest";
import { parseMarkdown } from "../../src/core/list/markdown.ts";
import { foldText } from "../../src/core/list/match.ts";
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
import { cells, cut, hanging, wrap } from "../../src/surfaces/text/draw/width.ts";
import { FULL } from "../full.ts";

const SIZE = FULL ? 20_000 : 1_000;
/** So much more is looked at the second time; what is quadratic takes the square of it. */
const MORE = 4;
const MOST = 9;
/** A machine that is busy with something else is asked again. */
const ATTEMPTS = 3;
const ROUNDS = 2;
/** Below this, what is measured is the machine. */
const FLOOR = 30;

/** Strings that have brought others of our trade to a standstill, grown to a size. */
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
  foldText,
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
  hanging: (text) => hanging(text, 80),
};

function grown(pattern: string, size: number): string {
  return `${pattern.repeat(Math.ceil(size / pattern.length)).slice(0, size)}!`;
}

/** Milliseconds that the processor worked for it, the least of some rounds. */
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

/** How many times longer it takes for more; as good as nothing where it is quick anyway. */
function growth(work: (text: string) => unknown, pattern: string): number {
  const much = timeOf(work, grown(pattern, MORE * SIZE));
  return much < FLOOR ? 1 : much / timeOf(work, grown(pattern, SIZE));
}

describe("code that looks at foreign text", { timeout: 600_000 }, () => {
  test.each(Object.entries(WORK))("T6 time grows with the text and not faster: %s", (_, work) => {
    const slow = PATTERNS.flatMap((pattern) => {
      let least = Number.POSITIVE_INFINITY;
      for (let n = 0; n < ATTEMPTS && least > MOST; n++)
        least = Math.min(least, growth(work, pattern));
      return least <= MOST ? [] : [`${JSON.stringify(pattern)}: ${least.toFixed(1)} times`];
    });
    expect(slow).toStrictEqual([]);
  });
});
