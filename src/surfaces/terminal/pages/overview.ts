import { type BoardRow, hasOpenPlan } from "../../../core/views/board.ts";
import { type Line, span } from "../../text/draw/spans.ts";
import { filterWords, headLine, WIDE } from "../head-line.ts";
import { listOffLine } from "../list-off-line.ts";
import { arrangementFor, overviewLines } from "../overview.ts";
import { bottomOf, type Parts } from "../parts.ts";
import { type BoardState, findRow, rowsOf, type Size, showsEndCard, type World } from "../state.ts";
import { trackBody, trackHeader } from "../track-lines.ts";
import { emptyLines } from "./empty.ts";
import { endCardLines } from "./end-card.ts";
import {
  beside,
  detailHint,
  type Hint,
  LAST_HINTS,
  type Pages,
  startFor,
  windowed,
} from "./pages.ts";

const HINTS = [
  ["/", "search"],
  ["f", "filter"],
  ["t", "tasks"],
  ["e", "edit"],
] as const;

export function overviewParts(
  pages: Pages,
  world: World,
  state: BoardState,
  size: Size,
  detail: boolean,
): Parts {
  const { still: page } = pages;
  const { board } = world;
  const wide = size.columns >= WIDE;
  const rule = span(page.marks.box.across.repeat(size.columns), page.tones.edge);
  const head = [headLine(pages, world, state)];
  const below: readonly Line[] = size.rows < 16 ? [] : wide ? [[rule]] : [[]];
  const web: readonly Hint[] = world.hasPage ? [["w", "page"]] : [];
  if (showsEndCard(world, state))
    return {
      top: head,
      body: (room) => endCardLines(page, world, size, room),
      bottom: bottomOf(pages, state, [
        ["r", "replay"],
        ["enter", "look around"],
        ...web,
        ...LAST_HINTS,
      ]),
    };
  const listOff = board.groups.length > 0 ? listOffLine(page, world) : undefined;
  const top = [...head, ...(listOff ? [listOff] : []), ...below];
  if (board.groups.length === 0) {
    const filtered = filterWords(state);
    const lines =
      filtered !== ""
        ? [[span(`  Nobody is left with only ${page.safe(filtered)}. esc shows the others.`)]]
        : world.reading
          ? []
          : undefined;
    return {
      top: [...top, ...(wide ? [[]] : [])],
      body: (room) => lines ?? emptyLines(page, world, room),
      bottom: bottomOf(pages, state, [["d", "demo"], ...web, ["t", "tasks"], ...LAST_HINTS]),
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
  const replay: readonly Hint[] = world.demo?.over ? [["r", "replay"]] : [];
  const bottom = bottomOf(pages, state, [
    ["enter", "open"],
    ...replay,
    ...decide,
    ...web,
    ...HINTS,
    ...detailHint(detail, state.more),
    ...LAST_HINTS,
  ]);
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
