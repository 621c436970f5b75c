import { UsageError } from "../../core/error.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { LATEST_TIME } from "../../tasks/model.ts";

const AGO = /^(?:\d+[smhd])+$/;
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Milliseconds of an ISO 8601 time, the last HH:MM, or a duration ago. */
export function parseTime(given: string, now: number): number {
  const at = parse(given.trim(), now);
  if (at === undefined || !Number.isFinite(at))
    throw new UsageError(
      `Invalid time "${given.slice(0, 40)}". Use ISO 8601, HH:MM or a duration such as 2h.`,
    );
  if (at > now) throw new UsageError(`Invalid time "${given.slice(0, 40)}". It is in the future.`);
  return at;
}

function parse(given: string, now: number): number | undefined {
  const span = given.replace(/(?<!\s)\s+ago$/, "");
  if (AGO.test(span)) {
    const ago = parseDuration(span);
    if (ago !== undefined) return now - ago;
    return /[1-9]/.test(span) ? undefined : now;
  }
  const clock = CLOCK.exec(given);
  if (!clock) return ISO.test(given) ? Date.parse(given.replace(" ", "T")) : undefined;
  const [hours = 0, minutes = 0, seconds = 0] = clock.slice(1).map((part) => Number(part ?? 0));
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const today = new Date(now);
  const at = today.setHours(hours, minutes, seconds, 0);
  // 23:00 asked for at 02:00 means last night.
  return at > now ? today.setDate(today.getDate() - 1) : at;
}

/** Milliseconds of a time to come: ISO 8601, the next HH:MM, a duration from now, or `now`. */
export function parseTimeAhead(name: string, given: string, now: number): number {
  const text = given.trim();
  if (text === "now") return now;
  const span = parseDuration(text);
  const clock = CLOCK.exec(text);
  const past = span === undefined ? parse(text, now) : undefined;
  // `parse` finds the last HH:MM.
  const at = span !== undefined ? now + span : clock && past !== undefined ? nextDay(past) : past;
  if (at !== undefined && Number.isFinite(at) && at >= 0 && at <= LATEST_TIME) return at;
  throw new UsageError(
    `Invalid ${name} "${given.slice(0, 40)}". Use ISO 8601, HH:MM or a duration from now such as 2h.`,
  );
}

/** The same time of day on the next day; a day may have 23 or 25 hours. */
function nextDay(at: number): number {
  const day = new Date(at);
  return day.setDate(day.getDate() + 1);
}

/** Milliseconds of a duration: 90s, 5m, 1h30m. */
export function parseDurationOption(name: string, given: string): number {
  const span = parseDuration(given);
  if (span !== undefined) return span;
  throw new UsageError(
    `Invalid ${name} "${given.slice(0, 40)}". Use a duration such as 90s, 5m or 1h30m.`,
  );
}
