import { parseDuration } from "./duration.ts";

/** Parses a clear delay: seconds, a duration, or `off` (-1). Undefined for anything else. */
export function parseClearDelay(text: string): number | undefined {
  const given = text.trim();
  if (given === "off") return -1;
  if (/^-?\d+(?:\.\d+)?$/.test(given)) return Number(given);
  const span = parseDuration(given);
  return span === undefined ? undefined : span / 1_000;
}
