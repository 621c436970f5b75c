import { formatTime } from "../../core/text/clock.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { oneLine } from "../../core/text/escape.ts";
import { withIsoTimes } from "../../core/views/json.ts";
import type { QueueState } from "../../tasks/model.ts";

/** The JSON form of the queue. */
export function queueForm({ paused, aging }: QueueState) {
  return { paused: paused ? withIsoTimes(paused) : null, aging: aging ?? null };
}

/** `Paused by ann since 14:18: database maintenance. …` */
export function queueText({ paused, aging }: QueueState, now: number): string {
  const step =
    aging === undefined ? "" : ` Waiting ${formatDuration(aging)} counts as one priority.`;
  if (!paused) return `The queue is running.${step}`;
  const { by, at, reason } = paused;
  const why = reason === undefined ? "" : ` (${oneLine(reason)})`;
  const since = formatTime(at, now) ?? "";
  return `The queue is paused by ${by} since ${since}${why}. Claimed tasks continue; nothing new is claimed.${step}`;
}
