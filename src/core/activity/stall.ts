import { WaymarkError } from "../error.ts";
import { parseDuration } from "../text/duration.ts";

/** Milliseconds without activity after which an agent counts as stalled. */
export interface StallPolicy {
  /** Between calls. */
  readonly stallAfter: number;
  /** While a call is running. */
  readonly stallAfterRunning: number;
}

export const STALL_POLICY: StallPolicy = { stallAfter: 60_000, stallAfterRunning: 5 * 60_000 };

/** A command may take this many times its longest earlier run. */
const PATIENCE = 3;

/** The inputs of `stallLimit`. */
export interface StallContext {
  /** Whether a call is running. */
  readonly running: boolean;
  /** The longest earlier run of a running command. */
  readonly longest?: number | undefined;
}

/** Milliseconds without activity after which an agent counts as stalled. */
export function stallLimit({ running, longest = 0 }: StallContext, policy: StallPolicy): number {
  if (!running) return policy.stallAfter;
  return Math.max(policy.stallAfter, policy.stallAfterRunning, PATIENCE * longest);
}

/** Milliseconds without activity between calls after which an agent counts as idle. */
export const INACTIVE_AFTER = 30 * 60_000;

/** When an agent that stalls at `stalls` counts as idle. */
export function inactiveAt(stalls: number, inactiveAfter = INACTIVE_AFTER): number {
  return stalls + inactiveAfter - STALL_POLICY.stallAfter;
}

/** Reads `WAYMARK_STALL_AFTER` and `WAYMARK_STALL_AFTER_RUNNING`. */
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
