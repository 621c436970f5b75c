import { UsageError } from "../../core/error.ts";
import type { ReportWindow } from "../../core/views/report/model.ts";
import type { Options } from "../args/command.ts";
import { parseDurationOption, parseTime } from "../args/time.ts";

/** For commands about a window of time that ends now. */
export const WINDOW_OPTIONS = {
  since: {
    type: "string",
    value: "TIME",
    summary: "Start: HH:MM, ISO 8601 or a duration ago such as 2h",
    default: "18:00 of the day before",
    perCall: true,
  },
  last: {
    type: "string",
    value: "DURATION",
    summary: "Length instead of a start, e.g. 12h",
    perCall: true,
  },
} as const satisfies Options;

interface WindowValues {
  readonly since?: string | undefined;
  readonly last?: string | undefined;
}

const EVENING = 18;

/** The window that the options name; undefined if they name none. */
export function namedWindow({ since, last }: WindowValues, now: number): ReportWindow | undefined {
  if (since !== undefined && last !== undefined)
    throw new UsageError("Use --since or --last, not both.");
  if (since !== undefined) return { since: parseTime(since, now), until: now };
  return last === undefined
    ? undefined
    : { since: now - parseDurationOption("--last", last), until: now };
}

/** Since the evening before, in local time: it includes all of last night, whenever it is asked for. */
export function sinceEvening(now: number): ReportWindow {
  const start = new Date(now);
  start.setDate(start.getDate() - 1);
  return { since: start.setHours(EVENING, 0, 0, 0), until: now };
}
