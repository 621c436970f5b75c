import { forPage } from "./escape.ts";

/** The colors of a terminal that are drawn; all others are ignored. */
const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
export type AnsiColor = (typeof COLORS)[number];

export interface AnsiStyle {
  readonly color?: AnsiColor;
  readonly bold?: true;
  readonly dim?: true;
  readonly inverse?: true;
}

/** A part of a line in one style. */
export interface AnsiSpan extends AnsiStyle {
  readonly text: string;
}

// Control strings (OSC, DCS, APC, PM, SOS) up to their terminator, CSI sequences, and other escapes.
const SEQUENCE =
  /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)([0-9:;<=>?]*)[ -/]*([@-~])?|\x1b[ -/]*[0-~]?/g;

/**
 * Splits the output of a program into lines of styled text. Colors and weights are kept, all other
 * sequences are removed, and invisible characters are escaped. A line that was overwritten with carriage
 * returns shows its last text.
 */
export function ansiLines(output: string): readonly (readonly AnsiSpan[])[] {
  let style: AnsiStyle = {};
  return output.split(/\r?\n/).map((line) => {
    const spans: AnsiSpan[] = [];
    const last = line.replace(/(?<!\r)\r+$/, "");
    const start = last.lastIndexOf("\r") + 1;
    let from = 0;
    const add = (to: number): void => {
      const text = forPage(last.slice(Math.max(from, start), to));
      if (text !== "") spans.push({ ...style, text });
    };
    for (const match of last.matchAll(SEQUENCE)) {
      add(match.index);
      from = match.index + match[0].length;
      if (match[2] === "m") style = applyCodes(style, match[1] ?? "");
    }
    add(last.length);
    return spans;
  });
}

/** The output without any sequence, for copying. */
export function withoutAnsi(output: string): string {
  return ansiLines(output)
    .map((spans) => spans.map(({ text }) => text).join(""))
    .join("\n");
}

function applyCodes(before: AnsiStyle, codes: string): AnsiStyle {
  const numbers = codes.split(/[;:]/).map(Number);
  let style = before;
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    // Extended colors have arguments, which are no codes.
    if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
    else style = applyCode(style, code);
  }
  return style;
}

const isIn = (code: number, from: number): boolean => code >= from && code < from + COLORS.length;

function applyCode(style: AnsiStyle, code: number): AnsiStyle {
  const { color, bold, dim, inverse, ...none } = style;
  const weight = { ...(bold && { bold }), ...(dim && { dim }) };
  const hue = color && { color };
  const turned = inverse && { inverse };
  const named = COLORS[code % 10];
  if (code === 0) return none;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...hue, ...turned };
  if (code === 27 || code === 49) return { ...weight, ...hue };
  if (code === 39) return { ...weight, ...turned };
  if (!named) return style;
  if (isIn(code, 30) || isIn(code, 90)) return { ...style, color: named };
  // A colored background is drawn as the inverse of that color.
  if (isIn(code, 40) || isIn(code, 100)) return { ...style, color: named, inverse: true };
  return style;
}
