import type { Sgr } from "./paint.ts";
import { cells, cut } from "./width.ts";

/** A piece of a line in one look. Laid out as plain text, painted last. */
export interface Span {
  readonly text: string;
  readonly sgr?: Sgr | undefined;
}

export type Line = readonly Span[];

export function span(text: string, sgr?: Sgr): Span {
  return { text, sgr };
}

export function lineCells(line: Line): number {
  return line.reduce((sum, { text }) => sum + cells(text), 0);
}

/** The line on at most `width` cells; the span at the edge is cut, those behind it leave. */
export function cutLine(line: Line, width: number, ellipsis: string): Line {
  if (lineCells(line) <= width) return line;
  const kept: Span[] = [];
  let room = width;
  for (const piece of line) {
    const size = cells(piece.text);
    if (size > room) {
      kept.push({ ...piece, text: cut(piece.text, room, ellipsis) });
      break;
    }
    kept.push(piece);
    room -= size;
  }
  return kept;
}

/** The line without the padding at its end. */
export function trimLine(line: Line): Line {
  const last = line.findLastIndex(({ text }) => text.trimEnd() !== "");
  return line
    .slice(0, last + 1)
    .map((piece, place) => (place === last ? { ...piece, text: piece.text.trimEnd() } : piece));
}

/** The gap that keeps two columns apart. */
export const GAP = 2;

/**
 * `left` at the start, `right` at the end of the line. What does not fit is cut from `left`; only
 * where `right` alone is too wide, that is cut as well.
 */
export function spread(left: Line, right: Line, width: number, ellipsis: string): Line {
  const end = cutLine(right, width, ellipsis);
  const size = lineCells(end);
  if (size === 0) return cutLine(left, width, ellipsis);
  const shown = cutLine(left, Math.max(0, width - size - GAP), ellipsis);
  return [...shown, span(" ".repeat(Math.max(0, width - size - lineCells(shown)))), ...end];
}

function paintSpan({ text, sgr }: Span): string {
  return sgr && text ? `\x1b[${sgr}m${text}\x1b[0m` : text;
}

export function print(lines: readonly Line[], color: boolean): string {
  return lines
    .map((line) => line.map((piece) => (color ? paintSpan(piece) : piece.text)).join(""))
    .join("\n");
}
