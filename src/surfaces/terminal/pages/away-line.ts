import { costOfSum } from "../../../core/cost/cost.ts";
import { formatCost } from "../../../core/cost/format.ts";
import { localTime } from "../../../core/text/clock.ts";
import { awayFacts, awayOf, isQuiet } from "../../../core/views/report/away.ts";
import type { Page } from "../../text/draw/page.ts";
import { type Line, span, spread } from "../../text/draw/spans.ts";
import type { BoardData, BoardState } from "../state.ts";

/** Whether the board says what changed while it was closed. */
export function showsAway({ report, isAway }: BoardData, { awayClosed }: BoardState): boolean {
  return isAway === true && report !== undefined && !awayClosed && !isQuiet(awayOf(report));
}

/** Counts what changed while the board was closed, and names the keys. */
export function awayLine(page: Page, data: BoardData, state: BoardState): Line | undefined {
  const { report } = data;
  if (!report || !showsAway(data, state)) return undefined;
  const { tones, marks, width, options } = page;
  const counts = awayOf(report);
  const clock = (at: number) => localTime(at, options.timeZone)?.clock ?? "";
  const spent = counts.cost === null ? [] : [formatCost(costOfSum(report.cost), options.unicode)];
  const facts = [...awayFacts(counts), ...spent].join(", ");
  const lead = width < 70 ? "Away: " : `While you were away (since ${clock(counts.since)}): `;
  return spread(
    [
      span(` ${marks.remark} `, tones.dim),
      span(lead, tones.bold),
      span(facts, counts.stuck > 0 ? tones.broken : undefined),
    ],
    [
      span("R", tones.bold),
      span(" report", tones.dim),
      span("  esc", tones.bold),
      span(" hide", tones.dim),
    ],
    width,
    marks.ellipsis,
  );
}
