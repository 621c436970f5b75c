import { counted } from "../../core/text/count.ts";
import type { Board, BoardGroup, BoardRow } from "../../core/views/board.ts";
import { isOpen, progressOf } from "../../core/views/view.ts";
import { type Line, span, spread } from "../text/draw/spans.ts";
import type { Pages } from "./pages/pages.ts";
import { columnsOf, type Density, rowHeight, rowLines } from "./rows.ts";
import type { BoardData, BoardState, Size } from "./state.ts";

/** Which groups the overview shows, and how densely. */
export interface OverviewLayout {
  readonly density: Density;
  readonly groups: Board["groups"];
  /** Groups that are shown as a count. */
  readonly folded: Board["groups"];
  /** In display order. */
  readonly rows: readonly BoardRow[];
}

const SMALL = { columns: 60, rows: 16 };

export function isSmall({ columns, rows }: Size): boolean {
  return columns < SMALL.columns || rows < SMALL.rows;
}

/** The least dense layout that fits; `state.more` shows everything and scrolls. */
export function layoutOverview(
  board: Board,
  state: Pick<BoardState, "more" | "selected">,
  size: Size,
  available: number,
): OverviewLayout {
  const small = isSmall(size);
  const groupsBut = (names: readonly BoardGroup[]) => ({
    groups: board.groups.filter(({ group }) => !names.includes(group)),
    folded: board.groups.filter(({ group }) => names.includes(group)),
  });
  const layoutWith = (density: Density, names: readonly BoardGroup[]): OverviewLayout => {
    const visible = groupsBut(names);
    // Never fold every group.
    const { groups, folded } = visible.groups.length > 0 ? visible : groupsBut([]);
    return { density, groups, folded, rows: groups.flatMap(({ rows }) => rows) };
  };
  if (state.more) return layoutWith(small ? "line" : "full", []);
  const densities: readonly (readonly [Density, readonly BoardGroup[]])[] = [
    ["full", []],
    ["full", ["finished"]],
    ["short", ["finished"]],
    ["line", ["finished"]],
    ["line", ["finished", "idle"]],
  ];
  const tries = small ? [["line", []] as const, ...densities.slice(3)] : densities;
  const all = tries.map(([density, names]) => layoutWith(density, names));
  return (
    all.find((each) => fits(each, state.selected, small, available)) ??
    all.at(-1) ??
    layoutWith("line", [])
  );
}

function fits(
  { density, groups, folded, rows }: OverviewLayout,
  selected: string | undefined,
  small: boolean,
  available: number,
): boolean {
  const headings = small ? 0 : groups.length * 2 - 1;
  let left = available - headings - (folded.length > 0 ? (small ? 1 : folded.length) : 0);
  // Every row has at least one line, so thousands of rows need no measuring.
  if (rows.length > left) return false;
  for (const row of rows) left -= rowHeight(row, density, row.key === selected);
  return left >= 0;
}

export function layoutFor(
  data: Pick<BoardData, "board">,
  state: BoardState,
  size: Size,
): OverviewLayout {
  return layoutOverview(data.board, state, size, size.rows - (size.rows < 16 ? 2 : 3));
}

/** The lines of the overview, and the range of the selected row. */
export interface OverviewLines {
  readonly lines: readonly Line[];
  readonly focus: readonly [number, number];
}

const HEADINGS: Readonly<Record<BoardGroup, string>> = {
  "needs you": "NEEDS YOU",
  working: "WORKING",
  idle: "IDLE",
  finished: "FINISHED",
};

/** Draws the rows around the selected one; the others are blank lines of the right height. */
export function overviewLines(
  pages: Pages,
  { density, groups, folded, rows }: OverviewLayout,
  selected: string | undefined,
  size: Size,
  available: number,
): OverviewLines {
  const { still } = pages;
  const small = isSmall(size);
  const columns = columnsOf(still, near(rows, selected, available));
  const selectedIndex = Math.max(
    0,
    rows.findIndex(({ key }) => key === selected),
  );
  const lines: Line[] = [];
  let focus: readonly [number, number] = [0, 0];
  let index = 0;
  for (const { group, rows: members } of groups) {
    if (!small) {
      if (lines.length > 0) lines.push([]);
      lines.push([
        span(`  ${HEADINGS[group]}`, group === "needs you" ? still.tones.you : still.tones.dim),
      ]);
    }
    for (const row of members) {
      const isSelected = row.key === selected;
      const height = rowHeight(row, density, isSelected);
      if (isSelected) focus = [lines.length, lines.length + height - 1];
      if (Math.abs(index - selectedIndex) > available)
        for (let line = 0; line < height; line++) lines.push([]);
      else lines.push(...rowLines(pages, row, columns, density, isSelected));
      index++;
    }
  }
  return { lines: [...lines, ...foldedLines(pages, folded, rows, density, small)], focus };
}

function near(rows: readonly BoardRow[], selected: string | undefined, available: number) {
  const selectedIndex = Math.max(
    0,
    rows.findIndex(({ key }) => key === selected),
  );
  return rows.slice(Math.max(0, selectedIndex - available), selectedIndex + available);
}

function foldedLines(
  { still }: Pages,
  folded: Board["groups"],
  rows: readonly BoardRow[],
  density: Density,
  small: boolean,
): Line[] {
  const { tones, width, marks } = still;
  if (small) {
    const subagents = rows.reduce((sum, { children }) => sum + children.length, 0);
    const counts = [
      ...(subagents > 0 && density === "line" ? [`+${counted(subagents, "subagent")}`] : []),
      ...folded.map(({ group, rows: members }) => `${members.length} ${group}`),
    ];
    return counts.length === 0 ? [] : [[span(`   ${counts.join(", ")}`, tones.dim)]];
  }
  return folded.map(({ group, rows: members }) => {
    const summary = group === "finished" ? verifiedLabel(members) : openLabel(members);
    const left = [span(`  ${HEADINGS[group]}  `, tones.dim), span(summary, tones.dim)];
    return spread(
      left,
      [span("ctrl+t ", tones.bold), span("show", tones.dim)],
      width,
      marks.ellipsis,
    );
  });
}

function verifiedLabel(rows: readonly BoardRow[]): string {
  const all = rows.map(({ track }) => progressOf(track.todos));
  const done = all.reduce((sum, { completed }) => sum + completed, 0);
  const verified = all.reduce((sum, progress) => sum + progress.verified, 0);
  return `${counted(rows.length, "session")}, ${verified} of ${done} todos verified`;
}

function openLabel(rows: readonly BoardRow[]): string {
  const open = rows.reduce((sum, { track }) => sum + track.todos.filter(isOpen).length, 0);
  return `${counted(rows.length, "session")}, ${counted(open, "open todo")}`;
}
