import { counted } from "../../core/text/count.ts";
import type { Board, BoardRow, Group } from "../../core/views/board.ts";
import { isOpen, progressOf } from "../../core/views/view.ts";
import { type Line, span, spread } from "../text/draw/spans.ts";
import type { Pages } from "./pages/pages.ts";
import { columnsOf, type Density, rowHeight, rowLines } from "./rows.ts";
import type { BoardState, Size, World } from "./state.ts";

/** What of a board is shown, and how much of each track. */
export interface Arrangement {
  readonly density: Density;
  readonly groups: Board["groups"];
  /** Groups of which only a count is shown. */
  readonly folded: Board["groups"];
  /** In the order in which they are shown. */
  readonly rows: readonly BoardRow[];
}

const SMALL = { columns: 60, rows: 16 };

export function isSmall({ columns, rows }: Size): boolean {
  return columns < SMALL.columns || rows < SMALL.rows;
}

/** The most that fits; who wants to see more scrolls. */
export function arrange(
  board: Board,
  state: Pick<BoardState, "more" | "selected">,
  size: Size,
  room: number,
): Arrangement {
  const small = isSmall(size);
  const groupsBut = (names: readonly Group[]) => ({
    groups: board.groups.filter(({ group }) => !names.includes(group)),
    folded: board.groups.filter(({ group }) => names.includes(group)),
  });
  const made = (density: Density, names: readonly Group[]): Arrangement => {
    const kept = groupsBut(names);
    // What is folded must not be all there is.
    const { groups, folded } = kept.groups.length > 0 ? kept : groupsBut([]);
    return { density, groups, folded, rows: groups.flatMap(({ rows }) => rows) };
  };
  if (state.more) return made(small ? "line" : "full", []);
  const densities: readonly (readonly [Density, readonly Group[]])[] = [
    ["full", []],
    ["full", ["finished"]],
    ["short", ["finished"]],
    ["line", ["finished"]],
    ["line", ["finished", "idle"]],
  ];
  const tries = small ? [["line", []] as const, ...densities.slice(3)] : densities;
  const all = tries.map(([density, names]) => made(density, names));
  return (
    all.find((each) => fits(each, state.selected, small, room)) ?? all.at(-1) ?? made("line", [])
  );
}

function fits(
  { density, groups, folded, rows }: Arrangement,
  selected: string | undefined,
  small: boolean,
  room: number,
): boolean {
  const headings = small ? 0 : groups.length * 2 - 1;
  let left = room - headings - (folded.length > 0 ? (small ? 1 : folded.length) : 0);
  // Each has a line at least; of thousands it need not be known how tall they are.
  if (rows.length > left) return false;
  for (const row of rows) left -= rowHeight(row, density, row.key === selected);
  return left >= 0;
}

export function arrangementFor(
  world: Pick<World, "board">,
  state: BoardState,
  size: Size,
): Arrangement {
  return arrange(world.board, state, size, size.rows - (size.rows < 16 ? 2 : 3));
}

/** The lines of all tracks that are shown, and where the selected one stands. */
export interface OverviewLines {
  readonly lines: readonly Line[];
  readonly focus: readonly [number, number];
}

const WORDS: Readonly<Record<Group, string>> = {
  "needs you": "NEEDS YOU",
  working: "WORKING",
  idle: "IDLE",
  finished: "FINISHED",
};

/** Only the rows around the selected one are drawn; of the others it is enough to know how tall they are. */
export function overviewLines(
  pages: Pages,
  { density, groups, folded, rows }: Arrangement,
  selected: string | undefined,
  size: Size,
  room: number,
): OverviewLines {
  const { still } = pages;
  const small = isSmall(size);
  const columns = columnsOf(still, near(rows, selected, room));
  const place = Math.max(
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
        span(`  ${WORDS[group]}`, group === "needs you" ? still.tones.you : still.tones.dim),
      ]);
    }
    for (const row of members) {
      const isSelected = row.key === selected;
      const height = rowHeight(row, density, isSelected);
      if (isSelected) focus = [lines.length, lines.length + height - 1];
      if (Math.abs(index - place) > room) for (let line = 0; line < height; line++) lines.push([]);
      else lines.push(...rowLines(pages, row, columns, density, isSelected));
      index++;
    }
  }
  return { lines: [...lines, ...foldedLines(pages, folded, rows, density, small)], focus };
}

function near(rows: readonly BoardRow[], selected: string | undefined, room: number) {
  const place = Math.max(
    0,
    rows.findIndex(({ key }) => key === selected),
  );
  return rows.slice(Math.max(0, place - room), place + room);
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
    const words = [
      ...(subagents > 0 && density === "line" ? [`+${counted(subagents, "subagent")}`] : []),
      ...folded.map(({ group, rows: members }) => `${members.length} ${group}`),
    ];
    return words.length === 0 ? [] : [[span(`   ${words.join(", ")}`, tones.dim)]];
  }
  return folded.map(({ group, rows: members }) => {
    const facts = group === "finished" ? provenWords(members) : openWords(members);
    const left = [span(`  ${WORDS[group]}  `, tones.dim), span(facts, tones.dim)];
    return spread(
      left,
      [span("ctrl+t ", tones.bold), span("show", tones.dim)],
      width,
      marks.ellipsis,
    );
  });
}

function tracks(count: number): string {
  return `${counted(count, "track")}`;
}

function provenWords(rows: readonly BoardRow[]): string {
  const all = rows.map(({ track }) => progressOf(track.todos));
  const done = all.reduce((sum, { completed }) => sum + completed, 0);
  const verified = all.reduce((sum, progress) => sum + progress.verified, 0);
  return `${tracks(rows.length)}, ${verified} of ${done} todos verified`;
}

function openWords(rows: readonly BoardRow[]): string {
  const open = rows.reduce((sum, { track }) => sum + track.todos.filter(isOpen).length, 0);
  return `${tracks(rows.length)}, ${counted(open, "open todo")}`;
}
