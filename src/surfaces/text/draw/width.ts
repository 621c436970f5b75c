import { graphemes } from "../../../core/text/escape.ts";
import { clusterCells } from "./cluster-cells.ts";

const ASCII = /^[\x20-\x7e]*$/;
/** European letters, punctuation and our own marks: one cell each. */
const NARROW =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2500-\u25fc\u2713\u2717\u2800-\u28ff]*$/;

/** Terminal cells of a text without control characters. */
export function cells(text: string): number {
  if (NARROW.test(text)) return text.length;
  let sum = 0;
  for (const grapheme of graphemes(text))
    sum += NARROW.test(grapheme) ? grapheme.length : clusterCells(grapheme);
  return sum;
}

export function widest(texts: Iterable<string>): number {
  let most = 0;
  for (const text of texts) most = Math.max(most, cells(text));
  return most;
}

/** Cuts a text to `width` cells; `ellipsis` replaces what was cut. */
export function cut(text: string, width: number, ellipsis: string): string {
  if (width <= 0) return "";
  if (ASCII.test(text) && text.length <= width) return text;
  // Segmenting graphemes is slow, and a prefix of a long text usually fills the line.
  const start = text.slice(0, 2 * width + 2);
  return cutStart(start, width, ellipsis) ?? cutStart(text, width, ellipsis) ?? text;
}

/** Undefined if the whole text fits. */
function cutStart(text: string, width: number, ellipsis: string): string | undefined {
  const ending = cells(ellipsis) <= width ? ellipsis : "";
  const available = width - cells(ending);
  let fitting = "";
  let used = 0;
  for (const grapheme of graphemes(text)) {
    used += cells(grapheme);
    if (used > width) return `${fitting.trimEnd()}${ending}`;
    if (used <= available) fitting += grapheme;
  }
  return undefined;
}

/** Splits a word that is wider than a line. */
function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const grapheme of graphemes(word)) {
    // A grapheme can be wider than a line (a run of Hangul jamo): split it into code points.
    for (const part of cells(grapheme) > width ? grapheme : [grapheme]) {
      const size = cells(part);
      if (piece && used + size > width) {
        pieces.push(piece);
        piece = "";
        used = 0;
      }
      piece += part;
      used += size;
    }
  }
  return [...pieces, piece];
}

/** Wraps at spaces to lines of at most `width` cells; words that are wider are split. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/ +/)) {
    const longer = line ? `${line} ${word}` : word;
    if (cells(longer) <= width) {
      line = longer;
      continue;
    }
    if (line) lines.push(line);
    const pieces = cells(word) <= width ? [word] : breakWord(word, width);
    line = pieces.pop() ?? "";
    lines.push(...pieces);
  }
  if (line) lines.push(line);
  return lines;
}

/** The indentation of a line, including its first column if it has one. */
const HANG = /^ *(?:\S(?:.{0,18}?) {2,})?/;
const MIN_TEXT = 12;

/**
 * Wraps a line at spaces only, so that paths and ids can be copied. Continuation lines are indented to
 * where the text begins.
 */
export function wrapHanging(text: string, width: number): string[] {
  if (cells(text) <= width) return [text];
  const start = cells(HANG.exec(text)?.[0] ?? "");
  const indent = " ".repeat(width - start < MIN_TEXT ? 2 : start);
  const lines: string[] = [];
  let line = "";
  for (const [piece] of text.matchAll(/\S+| +/g)) {
    const isWord = !piece.startsWith(" ");
    if (isWord && cells(line + piece) > width && cells(indent + piece) <= width) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - cells(text)));
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - cells(text))) + text;
}
