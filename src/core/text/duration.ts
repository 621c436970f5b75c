export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY };

const DURATION = /^(?:\d+(?:ms|[smhd]))+$/;

/** Parses a duration such as 90s, 5m or 1h30m into milliseconds. Undefined for zero and for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let sum = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d+)(ms|[smhd])/g))
    sum += Number(count) * (UNITS[unit] ?? 0);
  return sum > 0 && Number.isSafeInteger(sum) ? sum : undefined;
}

type Unit = "d" | "h" | "m" | "s";

const UNIT_NAMES: Readonly<Record<Unit, string>> = {
  d: "day",
  h: "hour",
  m: "minute",
  s: "second",
};

/** The one or two largest units of a duration, rounded down. */
function partsOf(ms: number): readonly (readonly [count: number, unit: Unit])[] {
  const [large, small] =
    ms < MINUTE
      ? (["s", undefined] as const)
      : ms < HOUR
        ? (["m", "s"] as const)
        : ms < DAY
          ? (["h", "m"] as const)
          : (["d", "h"] as const);
  const sizeOf = (unit: Unit) => UNITS[unit] ?? 1;
  const count = Math.max(0, Math.floor(ms / sizeOf(large)));
  if (small === undefined) return [[count, large]];
  return [
    [count, large],
    [Math.floor((ms % sizeOf(large)) / sizeOf(small)), small],
  ];
}

/** `48s`, `2m 14s`, `1h 12m`, `3d 4h`. */
export function formatDuration(ms: number): string {
  return partsOf(ms)
    .map(([count, unit]) => `${count}${unit}`)
    .join(" ");
}

/** The largest unit only: `48s`, `11m`, `3h`, `2d`. */
export function formatShortDuration(ms: number): string {
  const [[count, unit] = [0, "s"]] = partsOf(ms);
  return `${count}${unit}`;
}

/** `just now`, `4m ago`, `3d ago`. */
export function formatAgo(at: number, now: number): string {
  return now - at < MINUTE ? "just now" : `${formatShortDuration(now - at)} ago`;
}

/** The same units as `formatDuration`, for screen readers: `2 minutes 14 seconds`. */
export function spellDuration(ms: number): string {
  return partsOf(ms)
    .filter(([count], index) => count > 0 || index === 0)
    .map(([count, unit]) => `${count} ${UNIT_NAMES[unit]}${count === 1 ? "" : "s"}`)
    .join(" ");
}

/** An ISO 8601 duration, for the `datetime` attribute: `PT2M14S`, `P3DT4H`. */
export function isoDuration(ms: number): string {
  const parts = partsOf(ms).map(([count, unit]) => `${count}${unit.toUpperCase()}`);
  if (ms < DAY) return `PT${parts.join("")}`;
  const [days = "", hours = ""] = parts;
  return `P${days}T${hours}`;
}
