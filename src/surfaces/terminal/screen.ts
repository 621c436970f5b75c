/**
 * surfaces/terminal: the terminal board. Pure: `screen` draws a state as lines, `keys/` maps a key to the
 * next state and an action, `pages/` has one file per screen. cli/board connects it to a terminal, `ink/`
 * renders it inside an Ink application.
 */
import { cutLine, type Line, print, span } from "../text/draw/spans.ts";
import { callParts } from "./call/page.ts";
import { type ChipSpot, chipSpots } from "./find/chip-line.ts";
import { shownOf } from "./find/shown.ts";
import { DEMO_BADGE } from "./head-line.ts";
import { todosShown } from "./overview/row-todos.ts";
import { checksParts } from "./pages/checks.ts";
import { helpParts } from "./pages/help.ts";
import { historyParts } from "./pages/history.ts";
import { overviewParts } from "./pages/overview.ts";
import { hintLine, type PageOptions, type Pages, pagesOf } from "./pages/pages.ts";
import { planParts } from "./pages/plan.ts";
import { proofParts } from "./pages/proof.ts";
import { reportParts } from "./pages/report.ts";
import { searchParts } from "./pages/search.ts";
import { tasksParts } from "./pages/tasks.ts";
import { trackParts } from "./pages/track.ts";
import { withPicker } from "./picker/lines.ts";
import type { ScreenParts } from "./screen-parts.ts";
import {
  type BoardData,
  type BoardState,
  findRow,
  rowsOf,
  type ScreenName,
  type Size,
  selectedTodo,
  showsEndCard,
} from "./state.ts";

const MIN_SIZE: Size = { columns: 40, rows: 10 };

/** All rows of the terminal. */
export function screenLines(
  data: BoardData,
  state: BoardState,
  size: Size,
  options: Omit<PageOptions, "width" | "now">,
): readonly Line[] {
  const { columns, rows } = size;
  const badge = data.demo && state.screen !== "tracks" ? DEMO_BADGE : undefined;
  const pages = pagesOf({ ...options, width: columns, now: data.now }, data.frame, badge);
  const { ellipsis } = pages.still.marks;
  const fitted = (lines: readonly Line[]) =>
    lines.slice(0, rows).map((line) => cutLine(line, columns, ellipsis));
  if (columns < MIN_SIZE.columns || rows < MIN_SIZE.rows) return fitted(tooSmall(pages, size));
  const { top, body, bottom } = partsOf(pages, data, state, size);
  const available = rows - top.length - bottom.length;
  const shown = body(available).slice(0, available);
  const blank: readonly Line[] = Array.from({ length: available - shown.length }, () => []);
  const screen = fitted([...top, ...shown, ...blank, ...bottom]);
  return state.picker ? fitted(withPicker(pages, screen, state.picker, data, size)) : screen;
}

function tooSmall(pages: Pages, { columns, rows }: Size): readonly Line[] {
  return [
    [span("Terminal too small")],
    [span(`minimum ${MIN_SIZE.columns}x${MIN_SIZE.rows}`)],
    [span(`current ${columns}x${rows}`)],
    hintLine(pages, [["q", "quit"]]),
  ];
}

/** Whether ctrl+t would change this screen. */
export function offersDetail(data: BoardData, state: BoardState, size: Size): boolean {
  if (!DETAILED.includes(state.screen)) return false;
  if (state.screen === "tracks") {
    if (showsEndCard(data, state)) return false;
    // The selected session is always visible, and so are its todos. This saves drawing the screen twice more.
    const { rows } = shownOf(data.board, state, data.now);
    const row = rows.find(({ key }) => key === state.selected);
    if (row && todosShown(row) > 0) return true;
  }
  const options = { width: size.columns, now: data.now, color: false, unicode: true };
  const pages = pagesOf(options, data.frame);
  const shown = (more: boolean): string => {
    const parts = partsOf(pages, data, { ...state, more }, size, false);
    const { top, body, list = body, bottom } = parts;
    return print(list(size.rows - top.length - bottom.length), false);
  };
  return shown(true) !== shown(false);
}

/** The key of what is at a cell of the terminal; see `ScreenParts.targets`. The preview belongs to the selected session. */
export function targetAt(
  data: BoardData,
  state: BoardState,
  size: Size,
  { column, row }: { readonly column: number; readonly row: number },
): string | undefined {
  if (size.columns < MIN_SIZE.columns || size.rows < MIN_SIZE.rows) return undefined;
  const options = { width: size.columns, now: data.now, color: false, unicode: true };
  const pages = pagesOf(options, data.frame);
  const parts = partsOf(pages, data, state, size, false);
  const { top, bottom, targets, preview = size.columns } = parts;
  const available = size.rows - top.length - bottom.length;
  if (column >= preview && row >= top.length && row < top.length + available) return state.selected;
  return targets?.(available)[row - top.length];
}

/** The chip at a cell of the overview. */
export function chipAt(
  data: BoardData,
  state: BoardState,
  size: Size,
  { column, row }: { readonly column: number; readonly row: number },
): ChipSpot | undefined {
  const options = { width: size.columns, now: data.now, color: false, unicode: true };
  const pages = pagesOf(options, data.frame);
  const { chips } = partsOf(pages, data, state, size, false);
  if (chips === undefined || row !== chips) return undefined;
  return chipSpots(pages.still, state).find(({ from, to }) => column >= from && column < to);
}

/** The largest scroll offset of this screen. */
export function scrollLimit(data: BoardData, state: BoardState, size: Size): number {
  const options = { width: size.columns, now: data.now, color: false, unicode: true };
  const { top, body, bottom } = partsOf(pagesOf(options, data.frame), data, state, size, false);
  const available = size.rows - top.length - bottom.length;
  return Math.max(0, body(Number.POSITIVE_INFINITY).length - available);
}

const DETAILED: readonly ScreenName[] = ["tracks", "track", "tasks"];

function partsOf(
  pages: Pages,
  data: BoardData,
  state: BoardState,
  size: Size,
  detail = offersDetail(data, state, size),
): ScreenParts {
  const row = findRow(rowsOf(data.board), state.selected);
  switch (state.screen) {
    case "help":
      return helpParts(pages, state);
    case "report":
      return reportParts(pages, data, state);
    case "tasks":
      return tasksParts(pages, data, state, size, detail);
    case "search":
      return searchParts(pages, data, state, size);
    case "plan":
      if (row?.plan) return planParts(pages, row, state, data);
      return row
        ? trackParts(pages, row, state, size, detail)
        : overviewParts(pages, data, state, size, detail);
    case "proof": {
      const todo = row && selectedTodo(row, state);
      if (todo?.proof) return proofParts(pages, todo, state);
      return row
        ? trackParts(pages, row, state, size, detail)
        : overviewParts(pages, data, state, size, detail);
    }
    case "call":
      return row
        ? callParts(pages, row, data.call?.key === row.key ? data.call : undefined, state)
        : overviewParts(pages, data, state, size, detail);
    case "checks":
      if (data.checks) return checksParts(pages, data.checks, state);
      return row
        ? trackParts(pages, row, state, size, detail)
        : overviewParts(pages, data, state, size, detail);
    case "history":
      if (row && data.historyStep?.key === row.key) return historyParts(pages, data, row, state);
      return row
        ? trackParts(pages, row, state, size, detail)
        : overviewParts(pages, data, state, size, detail);
    case "track":
      return row
        ? trackParts(pages, row, state, size, detail)
        : overviewParts(pages, data, state, size, detail);
    case "tracks":
      return overviewParts(pages, data, state, size, detail);
  }
}
