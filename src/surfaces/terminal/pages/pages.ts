import type { BoardRow } from "../../../core/views/board.ts";
import type { Marks } from "../../text/draw/marks.ts";
import { type Page, pageOf, type TextOptions } from "../../text/draw/page.ts";
import type { Sgr } from "../../text/draw/paint.ts";
import { cutLine, type Line, lineCells, type Span, span } from "../../text/draw/spans.ts";

/** Milliseconds between two frames of a spinner. */
export const TURN = 160;

export type PageOptions = Omit<TextOptions, "style" | "member" | "maxRows" | "all">;

/** A page on which whoever works is seen to work, and one on which everything stands still. */
export interface Pages {
  readonly still: Page;
  readonly live: Page;
  /** Stands before the keys, on every screen that does not show it elsewhere. */
  readonly badge?: string | undefined;
  /** Both for another width. */
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

export function blazeOf(page: Page, row: BoardRow): Span {
  return span(page.marks.blaze, toneOf(page, row));
}

/** The whole row in the colour of a selection. */
export function highlighted(page: Page, line: Line, width: number): Line {
  const { selected } = page.tones;
  if (!selected || !page.options.color) return line;
  const rest = Math.max(0, width - lineCells(line));
  return [...line, span(" ".repeat(rest))].map(({ text, sgr }) =>
    span(text, sgr ? `${sgr};${selected}` : selected),
  );
}

export type Hint = readonly [key: string, does: string];

/** The keys that every screen ends with, unless letters are text there. */
export const LAST_HINTS: readonly Hint[] = [
  ["?", "help"],
  ["q", "quit"],
];

/** Ctrl+t, where it changes what is shown. */
export function detailHint(offered: boolean, more: boolean): readonly Hint[] {
  return offered ? [["ctrl+t", more ? "less" : "more"]] : [];
}

/** What keys do. Where room is short, hints leave from the right, `LAST_HINTS` after all others. */
export function hintLine({ still: page, badge }: Pages, hints: readonly Hint[]): Line {
  const pieceOf = ([key, does]: Hint): Line => [
    span(" "),
    span(key, page.tones.bold),
    span(` ${does} `, page.tones.dim),
  ];
  const fitting = (pieces: readonly Line[], room: number): readonly Line[] => {
    let left = room;
    const over = pieces.findIndex((piece) => {
      left -= lineCells(piece);
      return left < 0;
    });
    return over < 0 ? pieces : pieces.slice(0, over);
  };
  const lead: Line = badge === undefined ? [] : [span(" "), span(badge, page.tones.pill)];
  const isLast = ([key]: Hint) => LAST_HINTS.some(([last]) => last === key);
  const last = fitting(hints.filter(isLast).map(pieceOf), page.width);
  const room = page.width - lineCells(last.flat()) - lineCells(lead);
  const first = fitting(hints.filter((hint) => !isLast(hint)).map(pieceOf), room);
  return [...(room < 0 ? [] : lead), ...first.flat(), ...last.flat()];
}

/** The part of the lines that fits, with the focus in it; what is left out is counted at the edges. */
export function windowed(
  page: Page,
  lines: readonly Line[],
  room: number,
  start: number,
): readonly Line[] {
  if (lines.length <= room) return lines;
  const first = Math.max(0, Math.min(start, lines.length - room));
  const shown = lines.slice(first, first + room);
  const edge = (mark: string, count: number): Line => [
    span(`  ${mark} ${count} more ${count === 1 ? "row" : "rows"}`, page.tones.dim),
  ];
  if (first > 0) shown[0] = edge(page.marks.above, first + 1);
  const below = lines.length - first - room;
  if (below > 0) shown[shown.length - 1] = edge(page.marks.below, below + 1);
  return shown;
}

/** Where a window has to start so that the focus is in it, with a third of the room before it. */
export function startFor(focus: readonly [number, number], room: number): number {
  const [first, last] = focus;
  const size = last - first + 1;
  return Math.max(0, first - Math.max(1, Math.floor((room - size) / 3)));
}

/** Two columns side by side, with an edge between them. */
export function beside(
  page: Page,
  left: readonly Line[],
  right: readonly Line[],
  leftWidth: number,
  rows: number,
): readonly Line[] {
  return Array.from({ length: rows }, (_, place) => {
    const one = cutLine(left[place] ?? [], leftWidth, page.marks.ellipsis);
    const gap = span(" ".repeat(Math.max(0, leftWidth - lineCells(one))));
    return [...one, gap, span(`${page.marks.box.down} `, page.tones.edge), ...(right[place] ?? [])];
  });
}
