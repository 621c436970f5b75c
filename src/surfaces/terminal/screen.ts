/**
 * surfaces/terminal: the board in a terminal. Pure: `screen` draws a state as lines, `keys/` turns a key
 * into the next state or an action, `pages/` has one file per page. cli/board runs it on a real
 * terminal, `ink/` shows it inside of an Ink application.
 */
import { cutLine, type Line, print, span } from "../text/draw/spans.ts";
import { DEMO_BADGE } from "./head-line.ts";
import { helpParts } from "./pages/help.ts";
import { historyParts } from "./pages/history.ts";
import { overviewParts } from "./pages/overview.ts";
import { hintLine, type PageOptions, type Pages, pagesOf } from "./pages/pages.ts";
import { planParts } from "./pages/plan.ts";
import { searchParts } from "./pages/search.ts";
import { tasksParts } from "./pages/tasks.ts";
import { trackParts } from "./pages/track.ts";
import type { Parts } from "./parts.ts";
import { type BoardState, findRow, type Place, rowsOf, type Size, type World } from "./state.ts";

/** The least that a board is drawn on. */
const LEAST: Size = { columns: 40, rows: 10 };

/** Every row of the terminal. */
export function screenLines(
  world: World,
  state: BoardState,
  size: Size,
  options: Omit<PageOptions, "width" | "now">,
): readonly Line[] {
  const { columns, rows } = size;
  const badge = world.demo && state.place !== "tracks" ? DEMO_BADGE : undefined;
  const pages = pagesOf({ ...options, width: columns, now: world.now }, world.frame, badge);
  const { ellipsis } = pages.still.marks;
  const fitted = (lines: readonly Line[]) =>
    lines.slice(0, rows).map((line) => cutLine(line, columns, ellipsis));
  if (columns < LEAST.columns || rows < LEAST.rows) return fitted(tooSmall(pages, size));
  const { top, body, bottom } = partsOf(pages, world, state, size);
  const room = rows - top.length - bottom.length;
  const shown = body(room).slice(0, room);
  const blank: readonly Line[] = Array.from({ length: room - shown.length }, () => []);
  return fitted([...top, ...shown, ...blank, ...bottom]);
}

function tooSmall(pages: Pages, { columns, rows }: Size): readonly Line[] {
  return [
    [span("waymark: too small")],
    [span(`needs ${LEAST.columns}x${LEAST.rows}`)],
    [span(`this is ${columns}x${rows}`)],
    hintLine(pages, [["q", "quit"]]),
  ];
}

/** Whether ctrl+t would change what this screen shows. */
export function offersDetail(world: World, state: BoardState, size: Size): boolean {
  if (!DETAILED.includes(state.place)) return false;
  const options = { width: size.columns, now: world.now, color: false, unicode: true };
  const pages = pagesOf(options, world.frame);
  const shown = (more: boolean): string => {
    const parts = partsOf(pages, world, { ...state, more }, size, false);
    const { top, body, bottom } = parts;
    return print(body(size.rows - top.length - bottom.length), false);
  };
  return shown(true) !== shown(false);
}

const DETAILED: readonly Place[] = ["tracks", "track", "tasks"];

function partsOf(
  pages: Pages,
  world: World,
  state: BoardState,
  size: Size,
  detail = offersDetail(world, state, size),
): Parts {
  const row = findRow(rowsOf(world.board), state.selected);
  switch (state.place) {
    case "help":
      return helpParts(pages, state);
    case "tasks":
      return tasksParts(pages, world, state, size, detail);
    case "search":
      return searchParts(pages, world, state);
    case "plan":
      if (row?.plan) return planParts(pages, row, state);
      return row
        ? trackParts(pages, row, state, size, detail)
        : overviewParts(pages, world, state, size, detail);
    case "history":
      if (row && world.past?.key === row.key) return historyParts(pages, world, row, state);
      return row
        ? trackParts(pages, row, state, size, detail)
        : overviewParts(pages, world, state, size, detail);
    case "track":
      return row
        ? trackParts(pages, row, state, size, detail)
        : overviewParts(pages, world, state, size, detail);
    case "tracks":
      return overviewParts(pages, world, state, size, detail);
  }
}
