import { type BoardRow, hasOpenPlan } from "../../core/views/board.ts";
import type { Page } from "../text/draw/page.ts";
import { type Line, span, spread } from "../text/draw/spans.ts";
import { wrap } from "../text/draw/width.ts";
import { REQUEST_LABELS, whereToAnswer } from "../text/requests.ts";
import { agentBarOf } from "./pages/pages.ts";
import { durationLabel, stateOf, stateSpans } from "./row-state.ts";

/** Enough for a question; a pasted script is cut. */
const MAX_LINES = 3;

/** Whether the session waits for an answer in its own terminal. Plans have their own screen. */
export function hasRequest(row: BoardRow): boolean {
  return row.state === "needs_you" && row.waiting !== undefined && !hasOpenPlan(row);
}

/** The request of a session and where to answer it; one line if the request is only a guess. */
export function requestLines(page: Page, row: BoardRow): readonly Line[] {
  const { waiting } = row;
  const { tones, marks, width } = page;
  const lead = [agentBarOf(page, row), span(" ")];
  const line = (text: string, tone = tones.dim): Line =>
    spread([...lead, span(text, tone)], [], width, marks.ellipsis);
  if (waiting?.kind === "maybe")
    return [line(`${REQUEST_LABELS.maybe}: ${page.safe(waiting.text)}`)];
  if (!waiting || !hasRequest(row)) return [];
  const state = stateOf(page, row);
  const label = stateSpans(page, { ...state, detail: "" });
  const time = span(` ${durationLabel(row, state)}`, tones.dim);
  const asked = wrap(page.safe(waiting.text), width - 2);
  const shown = asked.slice(0, MAX_LINES);
  // Longer than the line, so that it is cut with an ellipsis.
  if (asked.length > MAX_LINES) shown.push(`${shown.pop()} ${asked[MAX_LINES]}`);
  return [
    spread([...lead, ...label, time], [], width, marks.ellipsis),
    ...shown.map((text) => line(text, tones.bold)),
    line(page.safe(whereToAnswer(row))),
  ];
}
