import { duration } from "../../../core/text/duration.ts";

/** The largest unit only: `48s`, `11m`, `3h`, `2d`. */
export function roughly(ms: number): string {
  return duration(ms).split(" ", 1)[0] ?? "";
}

export interface Moment {
  /** `14:12` */
  readonly clock: string;
  /** `15 Nov 2026` */
  readonly day: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(timeZone: string | undefined): Intl.DateTimeFormat {
  const key = timeZone ?? "";
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      ...(timeZone !== undefined && { timeZone }),
      year: "numeric",
      month: "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    formats.set(key, format);
  }
  return format;
}

// The farthest that a date can be from 1970. Foreign records hold any number.
const LAST_MOMENT = 8.64e15;

export function momentOf(at: number, timeZone: string | undefined): Moment | undefined {
  if (!(Math.abs(at) <= LAST_MOMENT)) return undefined;
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatFor(timeZone).formatToParts(at)) parts[type] = value;
  return {
    clock: `${parts.hour}:${parts.minute}`,
    day: `${parts.day} ${parts.month} ${parts.year}`,
  };
}

/** The clock time, with the date in front when that was another day than today. */
export function timeOf(at: number, now: number, timeZone: string | undefined): string | undefined {
  const moment = momentOf(at, timeZone);
  if (!moment) return undefined;
  const today = momentOf(now, timeZone);
  if (!today || today.day === moment.day) return moment.clock;
  const [day, month, year] = moment.day.split(" ");
  const date = today.day.endsWith(` ${year}`) ? `${day} ${month}` : moment.day;
  return `${date} ${moment.clock}`;
}
