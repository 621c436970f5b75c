import type { Board } from "../../core/views/board.ts";
import { agentLook } from "../text/agents.ts";
import { momentOf } from "../text/draw/duration.ts";
import { GAP, type Line, lineCells, type Span, span, spread } from "../text/draw/spans.ts";
import { cells } from "../text/draw/width.ts";
import type { Pages } from "./pages/pages.ts";
import type { BoardState, DemoProgress, World } from "./state.ts";

/** From here on there is room for the list of the selected track beside the others. */
export const WIDE = 110;

/** `working, NAME`; nothing where everybody is shown. */
export function filterWords({ only, agentType }: BoardState): string {
  const agent = agentType === undefined ? undefined : agentLook(agentType).name || "without a name";
  return [only, agent].filter(Boolean).join(", ");
}

export const DEMO_BADGE = " DEMO ";

export function headLine(
  pages: Pages,
  { board, now, reading, demo }: World,
  state: BoardState,
): Line {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const dot = span(` ${marks.separator} `, tones.dim);
  const parts = headParts(board, page.tones, width < 60).map(([text, tone]) => [span(text, tone)]);
  const none = reading ? "reading sessions" : "watching for agents";
  const words = parts.length === 0 ? [[span(none, tones.dim)]] : parts;
  const clock = demo ? playback(demo, width < 60) : momentOf(now, page.options.timeZone)?.clock;
  const only = filterWords(state);
  const filter: Span[] = only === "" ? [] : [span(`  only ${page.safe(only)}`, tones.you)];
  const counts: Line = [
    ...words
      .slice(0, width < 60 ? 2 : 4)
      .flatMap((each, place) => (place === 0 ? each : [dot, ...each])),
    ...filter,
  ];
  const name: Line = [
    span(marks.blaze, tones.you),
    span("waymark", tones.bold),
    span(width < 60 ? " " : "  "),
    ...(demo ? [span(DEMO_BADGE, tones.pill)] : []),
    span(" "),
  ];
  const right = [
    span(reading && parts.length > 0 && width >= 80 ? "reading  " : "", tones.dim),
    span(clock ?? "", tones.dim),
  ];
  const recorded = span(demo?.over ? "over   " : "recorded, nothing runs   ", tones.dim);
  const room = width - lineCells([...name, ...counts, ...right]) - GAP;
  const isTold = demo !== undefined && (demo.over || cells(recorded.text) <= room);
  return spread([...name, ...(isTold ? [recorded] : []), ...counts], right, width, marks.ellipsis);
}

/** `0:14 of 1:04` */
function playback({ position, length }: DemoProgress, short: boolean): string {
  const clock = (ms: number) => {
    const seconds = Math.floor(ms / 1_000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };
  return short ? clock(position) : `${clock(position)} of ${clock(length)}`;
}

function headParts({ counts, stuck }: Board, tones: Pages["still"]["tones"], short: boolean) {
  const parts: (readonly [string, string | undefined])[] = [];
  const yours = counts["needs you"];
  if (yours > 0) parts.push([`${yours} ${yours === 1 ? "needs" : "need"} you`, tones.you]);
  if (counts.working > 0)
    parts.push([
      `${counts.working} working${stuck > 0 && !short ? `, ${stuck} stuck` : ""}`,
      stuck > 0 ? tones.watch : undefined,
    ]);
  if (counts.idle > 0) parts.push([`${counts.idle} idle`, tones.dim]);
  if (counts.finished > 0) parts.push([`${counts.finished} finished`, tones.dim]);
  return parts;
}
