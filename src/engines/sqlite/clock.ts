import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/** A reading of the machine's clocks, in milliseconds. */
export interface ClockReading {
  /** Id of the current boot. */
  readonly boot: string;
  /** The monotonic clock, which all processes share. It stops while the machine sleeps. */
  readonly ran: number;
  /** The same, including sleep. */
  readonly up: number;
  /** The wall clock of this process. */
  readonly wall: number;
}

// While the machine sleeps, `ran` falls behind `up`. A shorter sleep does not reset the clock.
const MAX_SLEEP = 5_000;
const MEASURE_EVERY = 100;

let boot: string | undefined;

function bootName(): string {
  if (boot !== undefined) return boot;
  try {
    boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Other systems have no boot id: there, `up` alone reveals a reboot.
    boot = "";
  }
  return boot;
}

/** How far `up` is ahead of `ran`. Only sleep changes it, and reading it is slow. */
let ahead = Number.NaN;
let measuredAt = Number.NEGATIVE_INFINITY;

/**
 * Reads the clocks. Without `fresh`, the sleep may have been measured up to 100 ms ago: a process that
 * just woke up then sees the time from before the sleep.
 */
export function readClock(fresh = true): ClockReading {
  const ran = Number(process.hrtime.bigint() / 1_000n) / 1_000;
  if (fresh || ran - measuredAt > MEASURE_EVERY) {
    ahead = uptime() * 1_000 - ran;
    measuredAt = ran;
  }
  return { boot: bootName(), ran, up: ran + ahead, wall: Date.now() };
}

/**
 * The time of a database without a server. One process sets it once per boot; from there all processes
 * count by the monotonic clock, so that processes whose wall clocks differ by a day agree on every
 * lease. Undefined if it must be set again.
 */
export function timeSince(anchor: ClockReading, reading: ClockReading): number | undefined {
  if (anchor.boot !== reading.boot || reading.ran < anchor.ran) return undefined;
  const slept = reading.up - reading.ran - (anchor.up - anchor.ran);
  if (Math.abs(slept) > MAX_SLEEP) return undefined;
  return Math.floor(anchor.wall + (reading.ran - anchor.ran));
}
