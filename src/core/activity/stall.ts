import { WaymarkError } from "../error.ts";
import { parseDuration } from "../text/duration.ts";

/** How long an agent may be silent before it counts as stalled, in milliseconds. */
export interface StallPolicy {
  /** Between calls. */
  readonly stallAfter: number;
  /** While a call runs. */
  readonly stallAfterRunning: number;
}

export const STALL_POLICY: StallPolicy = { stallAfter: 60_000, stallAfterRunning: 5 * 60_000 };

/** A command may take this many times as long as its longest earlier run. */
const PATIENCE = 3;

/** What the limit depends on. */
export interface Silence {
  /** A call runs. */
  readonly running: boolean;
  /** The longest earlier run of a command that runs now. */
  readonly longest?: number | undefined;
}

/** Milliseconds of silence that make a stall. Every surface asks this function. */
export function stallLimit({ running, longest = 0 }: Silence, policy: StallPolicy): number {
  if (!running) return policy.stallAfter;
  return Math.max(policy.stallAfter, policy.stallAfterRunning, PATIENCE * longest);
}

/** Milliseconds of silence between calls after which an agent is not taken to be working. */
export const GONE_AFTER = 30 * 60_000;

/** When an agent that counts as stalled from a time on is not taken to be working any more. */
export function goneAt(stalls: number, goneAfter = GONE_AFTER): number {
  return stalls + goneAfter - STALL_POLICY.stallAfter;
}

/** The settings of a person: `WAYMARK_STALL_AFTER` and `WAYMARK_STALL_AFTER_RUNNING`. */
export function stallPolicyFromEnv(env: Readonly<Record<string, string | undefined>>): StallPolicy {
  const { stallAfter, stallAfterRunning } = STALL_POLICY;
  return {
    stallAfter: setting(env, "WAYMARK_STALL_AFTER", stallAfter),
    stallAfterRunning: setting(env, "WAYMARK_STALL_AFTER_RUNNING", stallAfterRunning),
  };
}

function setting(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  usual: number,
): number {
  const given = env[name]?.trim();
  if (!given) return usual;
  const span = parseDuration(given);
  if (span !== undefined) return span;
  throw new WaymarkError(
    "invalid_setting",
    `Invalid ${name} ${JSON.stringify(given.slice(0, 40))}. Use a duration such as 90s, 5m or 1h30m.`,
  );
}
