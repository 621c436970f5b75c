import { MINUTE, SECOND } from "../../core/text/duration.ts";
import { UNICODE_MARKS } from "../text/draw/marks.ts";
import type { Line } from "../text/draw/spans.ts";
import { FRAME_MS } from "./pages/pages.ts";

const SPINNER = new RegExp(`[${UNICODE_MARKS.spinner.join("")}]`);
/** `48s`, `2m 14s`, `0:14 of 1:04`. A todo that contains such a text only causes extra redraws. */
const SECONDS = /\b\d{1,2}s\b|\b\d{1,2}:\d\d of \d{1,2}:\d\d\b/;

/** Milliseconds until the screen changes without an update: a spinner frame, an elapsed time, the clock. */
export function msUntilChange(lines: readonly Line[], now: number): number {
  const shows = (pattern: RegExp) =>
    lines.some((line) => line.some(({ text }) => pattern.test(text)));
  if (shows(SPINNER)) return FRAME_MS;
  return shows(SECONDS) ? SECOND - (now % SECOND) : MINUTE - (now % MINUTE);
}
