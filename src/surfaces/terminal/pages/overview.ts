import { counted } from "../../../core/text/count.ts";
import { type BoardRow, hasOpenPlan } from "../../../core/views/board.ts";
import { type Line, span } from "../../text/draw/spans.ts";
import { chipLine, filterLabel, hasChips } from "../find/chip-line.ts";
import { shownOf } from "../find/shown.ts";
import { headLine, WIDE } from "../head-line.ts";
import { listOffLine } from "../list-off-line.ts";
import { collisionLine } from "../overview/collision-line.ts";
import { smallFooter } from "../overview/folded.ts";
import { isSmall, layoutOverview, overviewLines } from "../overview.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import { type BoardData, type BoardState, type Size, showsEndCard } from "../state.ts";
import { trackBody, trackHeader } from "../track-lines.ts";
import { awayLine } from "./away-line.ts";
import { emptyLines } from "./empty.ts";
import { endCardLines } from "./end-card.ts";
import {
  beside,
  type Hint,
  LAST_HINTS,
  type Pages,
  startFor,
  todosHint,
  windowed,
  windowedKeys,
} from "./pages.ts";
import { planPreview } from "./plan.ts";

const HINTS = [
  ["f", "chips"],
  ["s", "sort"],
  ["t", "tasks"],
  ["e", "edit"],
] as const;

const CHIP_HINTS = [
  ["left right", "chip"],
  ["up down", "value"],
  ["x", "clear"],
  ["esc", "done"],
  ...LAST_HINTS,
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
  const small = isSmall(size);
  const rule = span(page.marks.box.across.repeat(size.columns), page.tones.edge);
  const head = [headLine(pages, data, state)];
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
  const shown = shownOf(board, state, data.now);
  const hasSessions = shown.all.length > 0 || shown.older > 0 || board.archived > 0;
  const showsChips =
    data.isEmbedded !== true && (hasChips(state) || (size.rows >= 16 && hasSessions));
  const listOff = hasSessions ? listOffLine(page, data) : undefined;
  const away = awayLine(page, data, state);
  const collision = collisionLine(page, data);
  const top = [
    ...head,
    ...(collision ? [collision] : []),
    ...(away ? [away] : []),
    ...(listOff ? [listOff] : []),
    ...(showsChips ? [chipLine(page, data, state)] : size.rows < 16 || wide ? [] : [[]]),
    ...(wide && size.rows >= 16 ? [[rule]] : []),
  ];
  if (shown.rows.length === 0) {
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
      bottom: bottomLines(
        pages,
        state,
        state.chip === undefined
          ? [["d", "demo"], ...web, ["t", "tasks"], ...LAST_HINTS]
          : CHIP_HINTS,
      ),
    };
  }
  const row = shown.rows.find(({ key }) => key === state.selected);
  const decide =
    row && hasOpenPlan(row) && row.hosted
      ? ([
          ["a", "approve"],
          ["r", "reject"],
        ] as const)
      : [];
  const replay: readonly Hint[] = data.demo?.over ? [["r", "replay"]] : [];
  const hints: readonly Hint[] =
    state.chip === undefined
      ? [
          ["enter", "open"],
          ["g", "go to agent"],
          ...replay,
          ...decide,
          ...web,
          ["/", "filter"],
          ...todosHint(detail, state.more),
          ...HINTS,
          ...LAST_HINTS,
        ]
      : CHIP_HINTS;
  const bottom = [...(small ? smallFooter(pages, shown) : []), ...bottomLines(pages, state, hints)];
  const leftWidth = wide ? Math.max(70, Math.floor(size.columns * 0.62)) : size.columns;
  const left = wide ? pages.sized(leftWidth - 1) : pages;
  const narrowed = { ...size, columns: leftWidth };
  const drawn = (available: number): Windowed => {
    const layout = layoutOverview(shown, state, narrowed, available);
    const { lines, focus, keys } = overviewLines(left, layout, state, narrowed, available);
    const start = startFor(focus, available);
    const archived = archivedLines(left.still, data, state, available - lines.length);
    return {
      lines: windowed(left.still, [...lines, ...archived], available, start),
      keys: windowedKeys(keys, available, start),
    };
  };
  const body = (available: number): readonly Line[] => {
    const { lines } = drawn(available);
    if (!wide) return lines;
    const right = pages.sized(size.columns - leftWidth - 2);
    const beginning = row ? preview(right, row, available) : [];
    return beside(page, lines, beginning, leftWidth, available);
  };
  return {
    top,
    body,
    bottom,
    ...(showsChips && { chips: top.length - (wide && size.rows >= 16 ? 2 : 1) }),
    ...(wide && { preview: leftWidth }),
    list: (available) => drawn(available).lines,
    targets: (available) => drawn(available).keys,
  };
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

interface Windowed {
  readonly lines: readonly Line[];
  readonly keys: readonly (string | undefined)[];
}

/** The selected session: its plan while that waits for a decision, else its todos. */
function preview(pages: Pages, row: BoardRow, available: number): readonly Line[] {
  const { plan } = row;
  if (plan && hasOpenPlan(row)) return planPreview(pages, row, plan, available);
  const header = trackHeader(pages, row);
  const { lines, focus } = trackBody(pages, row, { item: undefined, fold: false, rest: true });
  const space = available - header.length - 1;
  const body =
    lines.length <= space
      ? lines
      : trackBody(pages, row, { item: undefined, fold: true, rest: true }).lines;
  return [...header, [], ...windowed(pages.still, body, space, startFor(focus, space))];
}
