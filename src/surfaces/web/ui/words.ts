import { DAY, HOUR, MINUTE, SECOND } from "../../../core/text/duration.ts";
/** How the page says times and counts. */

/** `48 s`, `2 min 14 s`, `1 h 12 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10 && seconds % 60 > 0) return `${minutes} min ${seconds % 60} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 > 0 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} days`;
}

/** `11 min ago`; without seconds, which nobody reads. */
export function ago(at: number, now: number): string {
  const ms = now - at;
  if (ms < MINUTE) return "now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  return dayOf(at);
}

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** Records of others hold any number as a time. */
function isTime(at: number): boolean {
  return at > 0 && at <= 8.64e15;
}

export function clock(at: number): string {
  return isTime(at) ? CLOCK.format(at) : "";
}

function dayOf(at: number): string {
  return isTime(at) ? DATE.format(at) : "";
}

/** The clock alone for what was today. */
export function when(at: number, now: number): string {
  return now - at < DAY ? clock(at) : `${dayOf(at)} ${clock(at)}`;
}

export function upper(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
