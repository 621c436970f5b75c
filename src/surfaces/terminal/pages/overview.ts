import { counted } from "../../../core/text/count.ts";
import { type BoardRow, hasOpenPlan } from "../../../core/views/board.ts";
import { type Line, span } from "../../text/draw/spans.ts";
import { filterLabel, headLine, WIDE } from "../head-line.ts";
import { listOffLine } from "../list-off-line.ts";
import { layoutFor, overviewLines } from "../overview.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import {
  type BoardData,
  type BoardState,
  findRow,
  rowsOf,
  type Size,
  showsEndCard,
} from "../state.ts";
import { trackBody, trackHeader } from "../track-lines.ts";
import { awayLine } from "./away-line.ts";
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
  data: BoardData,
  state: BoardState,
  size: Size,
  detail: boolean,
): ScreenParts {
  const { still: page } = pages;
  const { board } = data;
  const wide = size.columns >= WIDE;
  const rule = span(page.marks.box.across.repeat(size.columns), page.tones.edge);
  const head = [headLine(pages, data, state)];
  const below: readonly Line[] = size.rows < 16 ? [] : wide ? [[rule]] : [[]];
  const web: readonly Hint[] = data.hasPage ? [["w", "page"]] : [];
  if (showsEndCard(data, state))
    return {
      top: head,
      body: (available) => endCardLines(page, data, size, available),
      bottom: bottomLines(pages, state, [
        ["r", "replay"],
        ["enter", "look around"],
        ...web,
        ...LAST_HINTS,
      ]),
    };
  const listOff = board.groups.length > 0 ? listOffLine(page, data) : undefined;
  const away = awayLine(page, data, state);
  const top = [...head, ...(away ? [away] : []), ...(listOff ? [listOff] : []), ...below];
  if (board.groups.length === 0) {
    const filtered = filterLabel(state);
    const lines =
      filtered !== ""
        ? [[span(`  No sessions match ${page.safe(filtered)}. Press esc to clear the filter.`)]]
        : data.loading
          ? []
          : undefined;
    return {
      top: [...top, ...(wide ? [[]] : [])],
      body: (available) => lines ?? emptyLines(page, data, available),
      bottom: bottomLines(pages, state, [["d", "demo"], ...web, ["t", "tasks"], ...LAST_HINTS]),
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
  const replay: readonly Hint[] = data.demo?.over ? [["r", "replay"]] : [];
  const bottom = bottomLines(pages, state, [
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
  const layout = layoutFor(data, state, { ...size, columns: leftWidth });
  const body = (available: number): readonly Line[] => {
    const { lines, focus } = overviewLines(
      left,
      layout,
      state.selected,
      { ...size, columns: leftWidth },
      available,
    );
    const all = [...lines, ...archivedLines(left.still, data, state, available - lines.length)];
    const shown = windowed(left.still, all, available, startFor(focus, available));
    if (!wide) return shown;
    const right = pages.sized(size.columns - leftWidth - 2);
    const beginning = row ? preview(right, row, available) : [];
    return beside(page, shown, beginning, leftWidth, available);
  };
  return { top, body, bottom };
}

/** How many sessions are archived, if there is space for it. */
function archivedLines(
  { tones }: Pages["still"],
  { board }: BoardData,
  { onlyArchived }: BoardState,
  space: number,
): readonly Line[] {
  if (board.archived === 0 || onlyArchived || space < 2) return [];
  const what = `${counted(board.archived, "session")}, A archives, f shows them`;
  return [[], [span("  ARCHIVED  ", tones.dim), span(what, tones.dim)]];
}

function preview(pages: Pages, row: BoardRow, available: number): readonly Line[] {
  const header = trackHeader(pages, row);
  const { lines, focus } = trackBody(pages, row, { item: undefined, fold: false, rest: true });
  const space = available - header.length - 1;
  const body =
    lines.length <= space
      ? lines
      : trackBody(pages, row, { item: undefined, fold: true, rest: true }).lines;
  return [...header, [], ...windowed(pages.still, body, space, startFor(focus, space))];
}
