import type { BoardRow } from "../../../core/views/board.ts";
import { viewOf } from "../../../core/views/view.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import type { BoardData, BoardState } from "../state.ts";
import { historyStrip, trackBody, trackHeader } from "../track-lines.ts";
import { LAST_HINTS, type Pages, startFor, windowed } from "./pages.ts";

export function historyParts(
  pages: Pages,
  data: BoardData,
  row: BoardRow,
  state: BoardState,
): ScreenParts {
  const { historyStep: step } = data;
  if (!step) return { top: [], body: () => [], bottom: [] };
  const then: BoardRow = {
    ...row,
    track: step.track,
    view: viewOf(step.track, step.at, -1),
    state: "idle",
    findings: [],
    children: [],
  };
  const { activity: _, ...still } = then;
  return {
    top: [...trackHeader(pages, still, true), historyStrip(pages.still, step)],
    body: (available) => {
      const { lines, focus } = trackBody(pages, still, {
        item: undefined,
        fold: false,
        rest: false,
      });
      return windowed(pages.still, lines, available, startFor(focus, available));
    },
    bottom: bottomLines(pages, state, [
      ["esc", "back to now"],
      ["[", "previous"],
      ["]", "next"],
      ...LAST_HINTS,
    ]),
  };
}
