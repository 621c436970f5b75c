import { type BoardRow, hasOpenPlan } from "../../core/board.ts";
import { type Line, span } from "../text/spans.ts";
import { emptyLines } from "./empty-page.ts";
import { filterWords, headLine, WIDE } from "./head-line.ts";
import { arrangementFor, overviewLines } from "./overview.ts";
import { beside, type Pages, startFor, windowed } from "./pages.ts";
import { bottomOf, type Parts } from "./parts.ts";
import { type BoardState, findRow, rowsOf, type Size, type World } from "./state.ts";
import { trackBody, trackHeader } from "./track-lines.ts";

const HINTS = [
  ["/", "search"],
  ["f", "filter"],
  ["t", "tasks"],
  ["e", "edit"],
  ["ctrl+t", "more"],
  ["?", "help"],
  ["q", "quit"],
] as const;

export function overviewParts(pages: Pages, world: World, state: BoardState, size: Size): Parts {
  const { still: page } = pages;
  const { board } = world;
  const wide = size.columns >= WIDE;
  const rule = span(page.marks.box.across.repeat(size.columns), page.tones.edge);
  const top = [headLine(pages, world, state), ...(size.rows < 16 ? [] : wide ? [[rule]] : [[]])];
  if (board.groups.length === 0) {
    const filtered = filterWords(state);
    const lines =
      filtered !== ""
        ? [[span(`  Nobody is left with only ${page.safe(filtered)}. esc shows the others.`)]]
        : world.reading
          ? []
          : emptyLines(page, world.agents ?? [], board.older);
    return {
      top: [...top, ...(wide ? [[]] : [])],
      body: () => lines,
      bottom: bottomOf(pages, state, [
        ["d", "demo"],
        ["t", "tasks"],
        ["?", "help"],
        ["q", "quit"],
      ]),
    };
  }
  const row = findRow(rowsOf(board), state.selected);
  const decide =
    row && hasOpenPlan(row) && row.hosted
      ? ([
          ["a", "approve"],
          ["r", "reject"],
        ] as const)
      : [];
  const bottom = bottomOf(pages, state, [["enter", "open"], ...decide, ...HINTS]);
  const leftWidth = wide ? Math.max(70, Math.floor(size.columns * 0.62)) : size.columns;
  const left = wide ? pages.sized(leftWidth - 1) : pages;
  const arrangement = arrangementFor(world, state, { ...size, columns: leftWidth });
  const body = (room: number): readonly Line[] => {
    const { lines, focus } = overviewLines(
      left,
      arrangement,
      state.selected,
      { ...size, columns: leftWidth },
      room,
    );
    const shown = windowed(left.still, lines, room, startFor(focus, room));
    if (!wide) return shown;
    const right = pages.sized(size.columns - leftWidth - 2);
    const beginning = row ? preview(right, row, room) : [];
    return beside(page, shown, beginning, leftWidth, room);
  };
  return { top, body, bottom };
}

function preview(pages: Pages, row: BoardRow, room: number): readonly Line[] {
  const header = trackHeader(pages, row);
  const { lines, focus } = trackBody(pages, row, { item: undefined, fold: false, rest: true });
  const space = room - header.length - 1;
  const body =
    lines.length <= space
      ? lines
      : trackBody(pages, row, { item: undefined, fold: true, rest: true }).lines;
  return [...header, [], ...windowed(pages.still, body, space, startFor(focus, space))];
}
