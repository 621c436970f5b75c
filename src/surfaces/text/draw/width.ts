import { graphemes } from "../../../core/text/escape.ts";
import { clusterCells } from "./cluster-cells.ts";

const ASCII = /^[\x20-\x7e]*$/;
/** Letters of Europe, punctuation, and the signs that boards are drawn with: one cell each. */
const NARROW =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2500-\u25fc\u2713\u2717\u2800-\u28ff]*$/;

/** Terminal cells that a text without control characters takes. */
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

/** The text on at most `width` cells, with `ellipsis` where something was left out. */
export function cut(text: string, width: number, ellipsis: string): string {
  if (width <= 0) return "";
  if (ASCII.test(text) && text.length <= width) return text;
  // Finding graphemes is what takes time, and a short piece of a long text mostly fills the line.
  const start = text.slice(0, 2 * width + 2);
  return cutStart(start, width, ellipsis) ?? cutStart(text, width, ellipsis) ?? text;
}

/** Nothing when all of it fits. */
function cutStart(text: string, width: number, ellipsis: string): string | undefined {
  const ending = cells(ellipsis) <= width ? ellipsis : "";
  const room = width - cells(ending);
  let fitting = "";
  let used = 0;
  for (const grapheme of graphemes(text)) {
    used += cells(grapheme);
    if (used > width) return `${fitting.trimEnd()}${ending}`;
    if (used <= room) fitting += grapheme;
  }
  return undefined;
}

/** A word that is wider than a line, in pieces that are not. */
function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const grapheme of graphemes(word)) {
    // One grapheme can be wider than a line, a row of Hangul jamo for one: then its code points.
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

/** Lines of at most `width` cells, broken between words, and inside of words that are too long. */
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

/** Spaces at the start, and the first column where there is one. */
const HANG = /^ *(?:\S(?:.{0,18}?) {2,})?/;
const MIN_TEXT = 12;

/**
 * A line as lines of at most `width` cells, broken between words only: paths and ids stay whole, so
 * that they can be copied. What goes on stands below where the text began.
 */
export function hanging(text: string, width: number): string[] {
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
