/** A time of day and its date, in one time zone. */
export interface LocalTime {
  /** `14:12` */
  readonly clock: string;
  /** `15 Nov 2026` */
  readonly day: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formatters are cached: creating one takes longer than formatting. */
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
      second: "2-digit",
      hourCycle: "h23",
    });
    formats.set(key, format);
  }
  return format;
}

/** The latest time that a `Date` can hold. */
const MAX_TIME = 8.64e15;

/** Agents record arbitrary numbers as times. */
function isTime(at: number): boolean {
  return Math.abs(at) <= MAX_TIME;
}

type Parts = Partial<Record<Intl.DateTimeFormatPartTypes, string>>;

function partsOf(at: number, timeZone: string | undefined): Parts {
  const parts: Parts = {};
  for (const { type, value } of formatFor(timeZone).formatToParts(at)) parts[type] = value;
  return parts;
}

/** Undefined for a number that is not a valid time. */
export function localTime(at: number, timeZone?: string): LocalTime | undefined {
  if (!isTime(at)) return undefined;
  const { hour, minute, day, month, year } = partsOf(at, timeZone);
  return { clock: `${hour}:${minute}`, day: `${day} ${month} ${year}` };
}

/** `14:12`, with the date in front if it is not today: `12 Nov 14:12`, `12 Nov 2025 14:12`. */
export function formatTime(at: number, now: number, timeZone?: string): string | undefined {
  const time = localTime(at, timeZone);
  if (!time) return undefined;
  const today = localTime(now, timeZone);
  if (!today || today.day === time.day) return time.clock;
  const [day, month, year] = time.day.split(" ");
  const date = today.day.endsWith(` ${year}`) ? `${day} ${month}` : time.day;
  return `${date} ${time.clock}`;
}

/** `14:12:07`, for logs; undefined for a number that is not a valid time. */
export function formatClockSeconds(at: number, timeZone?: string): string | undefined {
  if (!isTime(at)) return undefined;
  const { hour, minute, second } = partsOf(at, timeZone);
  return `${hour}:${minute}:${second}`;
}
