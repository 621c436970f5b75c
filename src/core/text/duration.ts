export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY };

const DURATION = /^(?:\d+(?:ms|[smhd]))+$/;

/** Milliseconds of a duration such as 90s, 5m or 1h30m; undefined for zero and for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let sum = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d+)(ms|[smhd])/g))
    sum += Number(count) * (UNITS[unit] ?? 0);
  return sum > 0 && Number.isSafeInteger(sum) ? sum : undefined;
}

/** `48s`, `2m 14s`, `1h 12m`, `3d 4h`. */
export function duration(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ${Math.floor((ms % MINUTE) / SECOND)}s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h ${Math.floor((ms % HOUR) / MINUTE)}m`;
  return `${Math.floor(ms / DAY)}d ${Math.floor((ms % DAY) / HOUR)}h`;
}
