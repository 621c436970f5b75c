import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/** What a process can read of the machine's clocks, in milliseconds. */
export interface ClockReading {
  /** Names the time since the machine was last started. */
  readonly boot: string;
  /** The clock that all processes share and nobody sets. It stands still while the machine sleeps. */
  readonly ran: number;
  /** The same with the sleep counted in. */
  readonly up: number;
  /** What this process believes the time to be. */
  readonly wall: number;
}

// While the machine sleeps `ran` falls behind `up`. Less than this is not worth a new beginning.
const SLEPT = 5_000;
const LOOK_EVERY = 100;

let boot: string | undefined;

function bootName(): string {
  if (boot !== undefined) return boot;
  try {
    boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Other systems have no such name: there `up` alone tells one start from another.
    boot = "";
  }
  return boot;
}

/** How far `up` is ahead of `ran`. It grows by sleep alone, and to read it takes a while. */
let ahead = Number.NaN;
let looked = Number.NEGATIVE_INFINITY;

/**
 * With `anew` everything is read at this moment; else the sleep may have been looked at a little
 * before. Who comes that early after a sleep sees the time from before it.
 */
export function readClock(anew = true): ClockReading {
  const ran = Number(process.hrtime.bigint() / 1_000n) / 1_000;
  if (anew || ran - looked > LOOK_EVERY) {
    ahead = uptime() * 1_000 - ran;
    looked = ran;
  }
  return { boot: bootName(), ran, up: ran + ahead, wall: Date.now() };
}

/**
 * The time of a database that has no server. One process set it once since the machine was started;
 * from there everyone counts by the clock that nobody sets, so that processes whose wall clocks are
 * a day apart agree on every lease. Nothing when it has to be set anew.
 */
export function timeSince(anchor: ClockReading, reading: ClockReading): number | undefined {
  if (anchor.boot !== reading.boot || reading.ran < anchor.ran) return undefined;
  const slept = reading.up - reading.ran - (anchor.up - anchor.ran);
  if (Math.abs(slept) > SLEPT) return undefined;
  return Math.floor(anchor.wall + (reading.ran - anchor.ran));
}
