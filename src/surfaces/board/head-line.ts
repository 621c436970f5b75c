import type { Board } from "../../core/board.ts";
import { agentLook } from "../text/agents.ts";
import { momentOf } from "../text/duration.ts";
import { type Line, type Span, span, spread } from "../text/spans.ts";
import type { Pages } from "./pages.ts";
import type { BoardState, World } from "./state.ts";

/** From here on there is room for the list of the selected track beside the others. */
export const WIDE = 110;

/** `working, Codex`; nothing where everybody is shown. */
export function filterWords({ only, agentType }: BoardState): string {
  const agent = agentType === undefined ? undefined : agentLook(agentType).name || "without a name";
  return [only, agent].filter(Boolean).join(", ");
}

export function headLine(
  pages: Pages,
  { board, now, reading, address }: World,
  state: BoardState,
): Line {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const dot = span(` ${marks.separator} `, tones.dim);
  const parts = headParts(board, page.tones, width < 60).map(([text, tone]) => [span(text, tone)]);
  const none = reading ? "reading sessions" : "watching for agents";
  const words = parts.length === 0 ? [[span(none, tones.dim)]] : parts;
  const clock = momentOf(now, page.options.timeZone)?.clock ?? "";
  const only = filterWords(state);
  const filter: Span[] = only === "" ? [] : [span(`  only ${page.safe(only)}`, tones.you)];
  const left: Line = [
    span(marks.blaze, tones.you),
    span("waymark", tones.bold),
    span(width < 60 ? "  " : "   "),
    ...words
      .slice(0, width < 60 ? 2 : 4)
      .flatMap((each, place) => (place === 0 ? each : [dot, ...each])),
    ...filter,
  ];
  const right = [
    span(reading && parts.length > 0 && width >= 80 ? "reading  " : "", tones.dim),
    span(address !== undefined && width >= WIDE ? `${address}  ` : "", tones.dim),
    span(clock, tones.dim),
  ];
  return spread(left, right, width, marks.ellipsis);
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
