import { UsageError } from "../../core/error.ts";
import { formatShortDuration } from "../../core/text/duration.ts";
import { LONGEST_LEASE } from "../../tasks/model.ts";
import { parseDurationOption } from "../args/time.ts";

export function parseLease(given: string): number {
  const lease = parseDurationOption("--lease", given);
  if (lease <= LONGEST_LEASE) return lease;
  throw new UsageError(
    `Invalid --lease "${given.slice(0, 40)}". Use a duration of at most ${formatShortDuration(LONGEST_LEASE)}.`,
  );
}
