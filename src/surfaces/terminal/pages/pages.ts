import type { BoardRow } from "../../../core/views/board.ts";
import type { Marks } from "../../text/draw/marks.ts";
import { type Page, pageOf, type TextOptions } from "../../text/draw/page.ts";
import type { Sgr } from "../../text/draw/paint.ts";
import { cutLine, type Line, lineCells, type Span, span } from "../../text/draw/spans.ts";

/** Milliseconds between two frames of a spinner. */
export const FRAME_MS = 160;

export type PageOptions = Omit<TextOptions, "style" | "member" | "maxRows" | "all">;

/** Two drawing contexts: `live` with the current spinner frame, `still` without motion. */
export interface Pages {
  readonly still: Page;
  readonly live: Page;
  /** Shown before the key hints. */
  readonly badge?: string | undefined;
  /** Both contexts for another width. */
  sized(width: number): Pages;
}

export function pagesOf(options: PageOptions, frame: number, badge?: string): Pages {
  const still = pageOf(options);
  const { spinner, todo } = still.marks;
  const turning = spinner[frame % spinner.length] ?? todo.in_progress;
  const marks: Marks = { ...still.marks, todo: { ...todo, in_progress: turning } };
  return {
    still,
    live: { ...still, marks },
    badge,
    sized: (width) => pagesOf({ ...options, width }, frame, badge),
  };
}

export function isWorking({ state }: Pick<BoardRow, "state">): boolean {
  return state === "working";
}

export function pageFor(pages: Pages, row: BoardRow): Page {
  return isWorking(row) ? pages.live : pages.still;
}

export function toneOf(page: Page, { track }: Pick<BoardRow, "track">): Sgr {
  return page.tones.agent(track.agentType);
}

export function agentBarOf(page: Page, row: BoardRow): Span {
  return span(page.marks.agentBar, toneOf(page, row));
}

/** The line with the background of the selection, padded to `width`. */
export function highlighted(page: Page, line: Line, width: number): Line {
  const { selected } = page.tones;
  if (!selected || !page.options.color) return line;
  const rest = Math.max(0, width - lineCells(line));
  return [...line, span(" ".repeat(rest))].map(({ text, sgr }) =>
    span(text, sgr ? `${sgr};${selected}` : selected),
  );
}

export type Hint = readonly [key: string, does: string];

/** The last hints of every screen, except where letters are input. */
export const LAST_HINTS: readonly Hint[] = [
  ["?", "help"],
  ["q", "quit"],
];

/** The hint for ctrl+t, if it would change the screen. */
export function detailHint(offered: boolean, more: boolean): readonly Hint[] {
  return offered ? [["ctrl+t", more ? "less" : "more"]] : [];
}

/** The hint for ctrl+t on the overview, if it would change the screen. */
export function todosHint(offered: boolean, more: boolean): readonly Hint[] {
  return offered ? [["ctrl+t", more ? "hide todos" : "show todos"]] : [];
}

/** The key hints. On narrow terminals, the first hints that fit are shown; `LAST_HINTS` always have space. */
export function hintLine({ still: page, badge }: Pages, hints: readonly Hint[]): Line {
  const pieceOf = ([key, does]: Hint): Line => [
    span(" "),
    span(key, page.tones.bold),
    span(` ${does} `, page.tones.dim),
  ];
  const fitting = (pieces: readonly Line[], available: number): readonly Line[] => {
    let left = available;
    return pieces.filter((piece) => {
      const size = lineCells(piece);
      if (size > left) return false;
      left -= size;
      return true;
    });
  };
  const lead: Line = badge === undefined ? [] : [span(" "), span(badge, page.tones.pill)];
  const isLast = ([key]: Hint) => LAST_HINTS.some(([last]) => last === key);
  const last = fitting(hints.filter(isLast).map(pieceOf), page.width);
  const available = page.width - lineCells(last.flat()) - lineCells(lead);
  const first = fitting(hints.filter((hint) => !isLast(hint)).map(pieceOf), available);
  return [...(available < 0 ? [] : lead), ...first.flat(), ...last.flat()];
}

/** The lines from `start` that fit; the first and last line count what is hidden. */
export function windowed(
  page: Page,
  lines: readonly Line[],
  available: number,
  start: number,
): readonly Line[] {
  if (lines.length <= available) return lines;
  const first = Math.max(0, Math.min(start, lines.length - available));
  const shown = lines.slice(first, first + available);
  const edge = (mark: string, count: number): Line => [
    span(`  ${mark} ${count} more ${count === 1 ? "row" : "rows"}`, page.tones.dim),
  ];
  if (first > 0) shown[0] = edge(page.marks.above, first + 1);
  const below = lines.length - first - available;
  if (below > 0) shown[shown.length - 1] = edge(page.marks.below, below + 1);
  return shown;
}

/** The targets of the lines that `windowed` shows; lines that count hidden ones have none. */
export function windowedKeys(
  keys: readonly (string | undefined)[],
  available: number,
  start: number,
): readonly (string | undefined)[] {
  if (keys.length <= available) return keys;
  const first = Math.max(0, Math.min(start, keys.length - available));
  const shown = keys.slice(first, first + available);
  if (first > 0) shown[0] = undefined;
  if (keys.length - first > available) shown[shown.length - 1] = undefined;
  return shown;
}

/** The start of a window that contains the focus, a third of the free rows above it. */
export function startFor(focus: readonly [number, number], available: number): number {
  const [first, last] = focus;
  const size = last - first + 1;
  return Math.max(0, first - Math.max(1, Math.floor((available - size) / 3)));
}

/** Two columns with a line between them. */
export function beside(
  page: Page,
  left: readonly Line[],
  right: readonly Line[],
  leftWidth: number,
  rows: number,
): readonly Line[] {
  return Array.from({ length: rows }, (_, index) => {
    const one = cutLine(left[index] ?? [], leftWidth, page.marks.ellipsis);
    const gap = span(" ".repeat(Math.max(0, leftWidth - lineCells(one))));
    return [...one, gap, span(`${page.marks.box.down} `, page.tones.edge), ...(right[index] ?? [])];
  });
}
