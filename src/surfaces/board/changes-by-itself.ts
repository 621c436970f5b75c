import { UNICODE_MARKS } from "../text/marks.ts";
import type { Line } from "../text/spans.ts";
import { TURN } from "./pages.ts";

const SECOND = 1_000;
const MINUTE = 60_000;
const TURNING = new RegExp(`[${UNICODE_MARKS.spinner.join("")}]`);
/** `48s`, `2m 14s`. Whoever writes such a thing into a todo has the screen looked at in vain. */
const SECONDS = /\b\d{1,2}s\b/;

/** Milliseconds until something of what is shown changes without any news. */
export function changesIn(lines: readonly Line[], now: number): number {
  const shows = (sign: RegExp) => lines.some((line) => line.some(({ text }) => sign.test(text)));
  if (shows(TURNING)) return TURN;
  return shows(SECONDS) ? SECOND - (now % SECOND) : MINUTE - (now % MINUTE);
}
