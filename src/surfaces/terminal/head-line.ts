import { localTime } from "../../core/text/clock.ts";
import { GAP, type Line, lineCells, span, spread } from "../text/draw/spans.ts";
import { cells } from "../text/draw/width.ts";
import { type Shown, shownOf } from "./find/shown.ts";
import { costLabel } from "./overview/columns.ts";
import type { Pages } from "./pages/pages.ts";
import type { BoardData, BoardState, DemoProgress } from "./state.ts";

/** Minimum width for the preview of the selected session. */
export const WIDE = 110;

export const DEMO_BADGE = " DEMO ";

/** Says who needs the user, what is stuck, what is finished without proof, and the cost. */
export function headLine(
  pages: Pages,
  { board, now, loading, demo }: BoardData,
  state: BoardState,
): Line {
  const { still: page } = pages;
  const { tones, marks, width } = page;
  const shown = shownOf(board, state, now);
  const isNarrow = width < 60;
  const clock = demo ? playback(demo, isNarrow) : localTime(now, page.options.timeZone)?.clock;
  const name: Line = [
    span(marks.agentBar, tones.you),
    // The badge needs the space of the name.
    ...(isNarrow && demo ? [] : [span("waymark", tones.bold), span(isNarrow ? " " : "  ")]),
    ...(demo ? [span(DEMO_BADGE, tones.pill)] : []),
    span(" "),
  ];
  const dot = span(` ${marks.separator} `, tones.dim);
  const none = span(loading ? "loading sessions" : "watching for agents", tones.dim);
  const countsWith = (detail: Detail): Line => {
    // Small screens have the unproven sessions below the others.
    const counted = isNarrow ? { ...shown, unproven: 0 } : shown;
    const parts = headParts(counted, tones, detail);
    return parts.length === 0
      ? [none]
      : parts.flatMap((each, index) => (index === 0 ? each : [dot, ...each]));
  };
  const time = [
    span(loading && shown.all.length > 0 && width >= 80 ? "loading  " : "", tones.dim),
    span(clock ?? "", tones.dim),
  ];
  const spent = costLabel(page, shown.cost);
  // Small screens have the cost below the sessions.
  const cost = spent === "" || isNarrow ? [] : [span(spent)];
  const gap = span(cost.length > 0 ? "   " : "");
  const tries: readonly (readonly [Line, Line])[] = [
    [countsWith("all"), [...cost, gap, ...time]],
    ...(demo ? [] : ([[countsWith("all"), cost]] as const)),
    [countsWith("active"), [...cost, gap, ...time]],
    ...(demo ? [] : ([[countsWith("active"), cost]] as const)),
    [countsWith("alarms"), [...cost, gap, ...time]],
    [countsWith("alarms"), time],
  ];
  const space = (left: Line, right: Line) =>
    width - lineCells([...name, ...left, ...right]) - (lineCells(right) > 0 ? GAP : 0);
  const [counts, right] = tries.find(([left, end]) => space(left, end) >= 0) ??
    tries.at(-1) ?? [[], []];
  const recorded = span(demo?.over ? "over   " : "recorded, no agents run   ", tones.dim);
  const showsNote = demo !== undefined && cells(recorded.text) <= space(counts, right);
  return spread(
    [...name, ...(showsNote ? [recorded] : []), ...counts],
    right,
    width,
    marks.ellipsis,
  );
}

/** `0:14 of 1:04` */
function playback({ position, length }: DemoProgress, short: boolean): string {
  const clock = (ms: number) => {
    const seconds = Math.floor(ms / 1_000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };
  return short ? clock(position) : `${clock(position)} of ${clock(length)}`;
}

/** `all` has every group, `active` no idle sessions, `alarms` only what may need the user. */
type Detail = "all" | "active" | "alarms";

function headParts(
  { counts, stuck, unproven }: Pick<Shown, "counts" | "stuck" | "unproven">,
  tones: Pages["still"]["tones"],
  detail: Detail,
): readonly Line[] {
  const isShort = detail === "alarms";
  const parts: Line[] = [];
  const needsYou = counts["needs you"];
  if (needsYou > 0)
    parts.push([span(`${needsYou} ${needsYou === 1 ? "needs" : "need"} you`, tones.you)]);
  const note = stuck === counts.working ? "stuck" : `${stuck} stuck`;
  if (isShort && stuck > 0) parts.push([span(`${stuck} stuck`, tones.watch)]);
  else if (counts.working > 0)
    parts.push([
      span(`${counts.working} working`),
      ...(stuck > 0 ? [span(` (${note})`, tones.watch)] : []),
    ]);
  if (counts.idle > 0 && detail === "all") parts.push([span(`${counts.idle} idle`, tones.dim)]);
  if (isShort) {
    if (unproven > 0) parts.push([span(`${unproven} unproven`, tones.watch)]);
    return parts;
  }
  if (counts.finished > 0) {
    const proof = unproven === counts.finished ? "unproven" : `${unproven} unproven`;
    parts.push([
      span(`${counts.finished} finished`, tones.dim),
      ...(unproven > 0 ? [span(` (${proof})`, tones.watch)] : []),
    ]);
  }
  return parts;
}
