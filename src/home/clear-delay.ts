import { UsageError } from "../core/error.ts";
import { parseClearDelay } from "../core/text/clear-delay.ts";

/** Seconds until a closed todo leaves the display: the option, or `WAYMARK_CLEAR_DELAY`. */
export function clearDelayOf(
  env: NodeJS.ProcessEnv,
  option?: string | undefined,
): number | undefined {
  const setting = env.WAYMARK_CLEAR_DELAY?.trim();
  const given = option ?? (setting ? setting : undefined);
  if (given === undefined) return undefined;
  const seconds = parseClearDelay(given);
  if (seconds !== undefined) return seconds;
  const name = option === undefined ? "WAYMARK_CLEAR_DELAY" : "--clear-delay";
  throw new UsageError(
    `Invalid ${name} ${JSON.stringify(given.slice(0, 40))}. Use seconds, a duration such as 90s, or off.`,
  );
}
