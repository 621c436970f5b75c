import { reportLines } from "../../report/text.ts";
import { span, spread } from "../../text/draw/spans.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import type { BoardData, BoardState } from "../state.ts";
import { LAST_HINTS, type Pages, windowed } from "./pages.ts";

/** The report of the time since the board was last closed, or of the last day. */
export function reportParts(pages: Pages, data: BoardData, state: BoardState): ScreenParts {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const { report } = data;
  const lines = report
    ? reportLines(report, page.options)
    : [[span("Reading sessions", tones.dim)]];
  return {
    top: [
      spread(
        [span("Report", tones.bold)],
        [span("R or esc to close", tones.dim)],
        width,
        marks.ellipsis,
      ),
      ...(width < 70 ? [] : [[]]),
    ],
    body: (available) => windowed(page, lines, available, state.scroll),
    bottom: bottomLines(pages, state, [["esc", "close"], ["j k", "scroll"], ...LAST_HINTS]),
  };
}
