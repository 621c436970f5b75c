import { MINUTE, SECOND } from "../../core/text/duration.ts";
import { UNICODE_MARKS } from "../text/draw/marks.ts";
import type { Line } from "../text/draw/spans.ts";
import { TURN } from "./pages/pages.ts";

const TURNING = new RegExp(`[${UNICODE_MARKS.spinner.join("")}]`);
/** `48s`, `2m 14s`, `0:14 of 1:04`. Such a text in a todo costs a look at the screen and nothing else. */
const SECONDS = /\b\d{1,2}s\b|\b\d{1,2}:\d\d of \d{1,2}:\d\d\b/;

/** Milliseconds until something of what is shown changes without any news. */
export function changesIn(lines: readonly Line[], now: number): number {
  const shows = (sign: RegExp) => lines.some((line) => line.some(({ text }) => sign.test(text)));
  if (shows(TURNING)) return TURN;
  return shows(SECONDS) ? SECOND - (now % SECOND) : MINUTE - (now % MINUTE);
}
