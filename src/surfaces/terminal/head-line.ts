import { localTime } from "../../core/text/clock.ts";
import type { Board } from "../../core/views/board.ts";
import { agentLook } from "../text/agents.ts";
import { GAP, type Line, lineCells, type Span, span, spread } from "../text/draw/spans.ts";
import { cells } from "../text/draw/width.ts";
import type { Pages } from "./pages/pages.ts";
import { costLabel } from "./rows.ts";
import type { BoardData, BoardState, DemoProgress } from "./state.ts";

/** Minimum width for the preview of the selected session. */
export const WIDE = 110;

/** `working, NAME`; empty if nothing is filtered. */
export function filterLabel({ onlyGroup, agentType, onlyArchived }: BoardState): string {
  const agent = agentType === undefined ? undefined : agentLook(agentType).name || "unknown agent";
  return [onlyArchived ? "archived" : undefined, onlyGroup, agent].filter(Boolean).join(", ");
}

export const DEMO_BADGE = " DEMO ";

export function headLine(
  pages: Pages,
  { board, now, loading, demo }: BoardData,
  state: BoardState,
): Line {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const dot = span(` ${marks.separator} `, tones.dim);
  const parts = headParts(board, page.tones, width < 60).map(([text, tone]) => [span(text, tone)]);
  const none = loading ? "loading sessions" : "watching for agents";
  const groups = parts.length === 0 ? [[span(none, tones.dim)]] : parts;
  const clock = demo ? playback(demo, width < 60) : localTime(now, page.options.timeZone)?.clock;
  const filterText = filterLabel(state);
  const filter: Span[] =
    filterText === "" ? [] : [span(`  filter: ${page.safe(filterText)}`, tones.you)];
  const counts: Line = [
    ...groups
      .slice(0, width < 60 ? 2 : 4)
      .flatMap((each, index) => (index === 0 ? each : [dot, ...each])),
    ...filter,
  ];
  const name: Line = [
    span(marks.agentBar, tones.you),
    span("waymark", tones.bold),
    span(width < 60 ? " " : "  "),
    ...(demo ? [span(DEMO_BADGE, tones.pill)] : []),
    span(" "),
  ];
  const right = [
    span(loading && parts.length > 0 && width >= 80 ? "loading  " : "", tones.dim),
    span(clock ?? "", tones.dim),
  ];
  const recorded = span(demo?.over ? "over   " : "recorded, no agents run   ", tones.dim);
  const available = width - lineCells([...name, ...counts, ...right]) - GAP;
  const hidden = archivedLabel(board, state);
  const archived = span(hidden === "" ? "" : `${hidden}   `, tones.dim);
  const spent = span(board.cost ? `${costLabel(page, board.cost)}   ` : "", tones.dim);
  const cost = cells(spent.text) <= available ? [spent] : [];
  const left = available - lineCells(cost);
  const aside = cells(archived.text) <= left && !demo ? [archived] : [];
  const showsNote = demo !== undefined && (demo.over || cells(recorded.text) <= available);
  return spread(
    [...name, ...(showsNote ? [recorded] : []), ...counts],
    [...aside, ...cost, ...right],
    width,
    marks.ellipsis,
  );
}

/** `31 archived`; empty if they are shown or there are none. */
function archivedLabel({ archived }: Board, { onlyArchived }: BoardState): string {
  return archived === 0 || onlyArchived ? "" : `${archived} archived`;
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
  const needsYou = counts["needs you"];
  if (needsYou > 0) parts.push([`${needsYou} ${needsYou === 1 ? "needs" : "need"} you`, tones.you]);
  if (counts.working > 0) {
    const note = stuck === counts.working ? " (stuck)" : ` (${stuck} stuck)`;
    parts.push([
      `${counts.working} working${stuck > 0 && !short ? note : ""}`,
      stuck > 0 ? tones.watch : undefined,
    ]);
  }
  if (counts.idle > 0) parts.push([`${counts.idle} idle`, tones.dim]);
  if (counts.finished > 0) parts.push([`${counts.finished} finished`, tones.dim]);
  return parts;
}
