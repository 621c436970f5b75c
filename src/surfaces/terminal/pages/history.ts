import type { BoardRow } from "../../../core/views/board.ts";
import { viewOf } from "../../../core/views/view.ts";
import { bottomOf, type Parts } from "../parts.ts";
import type { BoardState, World } from "../state.ts";
import { pastStrip, trackBody, trackHeader } from "../track-lines.ts";
import { LAST_HINTS, type Pages, startFor, windowed } from "./pages.ts";

export function historyParts(pages: Pages, world: World, row: BoardRow, state: BoardState): Parts {
  const { past } = world;
  if (!past) return { top: [], body: () => [], bottom: [] };
  const then: BoardRow = {
    ...row,
    track: past.track,
    view: viewOf(past.track, past.at, -1),
    state: "idle",
    findings: [],
    children: [],
  };
  const { activity: _, ...still } = then;
  return {
    top: [...trackHeader(pages, still, true), pastStrip(pages.still, past)],
    body: (room) => {
      const { lines, focus } = trackBody(pages, still, {
        item: undefined,
        fold: false,
        rest: false,
      });
      return windowed(pages.still, lines, room, startFor(focus, room));
    },
    bottom: bottomOf(pages, state, [
      ["esc", "back to now"],
      ["[", "back"],
      ["]", "forward"],
      ...LAST_HINTS,
    ]),
  };
}
