import { type BoardRow, hasOpenPlan } from "../../core/views/board.ts";
import type { Page } from "../text/draw/page.ts";
import { type Line, span, spread } from "../text/draw/spans.ts";
import { wrap } from "../text/draw/width.ts";
import { REQUEST_WORDS, whereToAnswer } from "../text/waiting.ts";
import { blazeOf } from "./pages/pages.ts";
import { lastsWords, stateOf, stateSpans } from "./row-state.ts";

/** Enough for a question; a pasted script is cut. */
const MAX_LINES = 3;

/** Whether the session waits for an answer that its own program takes. A plan has a screen of its own. */
export function hasRequest(row: BoardRow): boolean {
  return row.state === "needs_you" && row.waiting !== undefined && !hasOpenPlan(row);
}

/** What a session asks and where to answer it; a guess that it may be asking is one line. */
export function requestLines(page: Page, row: BoardRow): readonly Line[] {
  const { waiting } = row;
  const { tones, marks, width } = page;
  const lead = [blazeOf(page, row), span(" ")];
  const line = (text: string, tone = tones.dim): Line =>
    spread([...lead, span(text, tone)], [], width, marks.ellipsis);
  if (waiting?.kind === "maybe")
    return [line(`${REQUEST_WORDS.maybe}: ${page.safe(waiting.text)}`)];
  if (!waiting || !hasRequest(row)) return [];
  const state = stateOf(page, row);
  const word = stateSpans(page, { ...state, facts: "" });
  const time = span(` ${lastsWords(row, state)}`, tones.dim);
  const asked = wrap(page.safe(waiting.text), width - 2);
  const shown = asked.slice(0, MAX_LINES);
  // One character too many, so that the line is cut and ends with an ellipsis.
  if (asked.length > MAX_LINES) shown.push(`${shown.pop()} ${asked[MAX_LINES]}`);
  return [
    spread([...lead, ...word, time], [], width, marks.ellipsis),
    ...shown.map((text) => line(text, tones.bold)),
    line(page.safe(whereToAnswer(row))),
  ];
}
