const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const DURATION = /^(?:\d+(?:ms|[smhd]))+$/;

/** Milliseconds of a duration such as 90s, 5m or 1h30m; undefined for zero and for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let sum = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d+)(ms|[smhd])/g))
    sum += Number(count) * (UNITS[unit] ?? 0);
  return sum > 0 && Number.isSafeInteger(sum) ? sum : undefined;
}
