import type { Sgr } from "./paint.ts";
import { cells, cut } from "./width.ts";

/** A piece of a line in one style. Layout uses the plain text; escape sequences are added last. */
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

/** Cuts a line to `width` cells. */
export function cutLine(line: Line, width: number, ellipsis: string): Line {
  if (lineCells(line) <= width) return line;
  const kept: Span[] = [];
  let available = width;
  for (const piece of line) {
    const size = cells(piece.text);
    if (size > available) {
      kept.push({ ...piece, text: cut(piece.text, available, ellipsis) });
      break;
    }
    kept.push(piece);
    available -= size;
  }
  return kept;
}

/** Removes trailing spaces. */
export function trimLine(line: Line): Line {
  const last = line.findLastIndex(({ text }) => text.trimEnd() !== "");
  return line
    .slice(0, last + 1)
    .map((piece, index) => (index === last ? { ...piece, text: piece.text.trimEnd() } : piece));
}

/** Cells between two columns. */
export const GAP = 2;

/** Aligns `left` and `right` to the edges of a line. Cuts `left` first, `right` only if it alone is too wide. */
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
