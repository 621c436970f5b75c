import {
  closeSync,
  existsSync,
  type FSWatcher,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  watch,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as startTimer } from "node:timers";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Awaitable } from "../../core/awaitable.ts";
import { fileFailure } from "./failure.ts";
import { ensureDirectory, refuseSymlink } from "./files.ts";
import { uniqueToken } from "./unique-token.ts";

/** The result of an attempt that found the lock taken. */
export const BUSY = Symbol("busy");

export interface Queue {
  /**
   * Attempts the work until it is not busy, in turn with other processes on the same queue. The
   * ticket is kept until the attempt has ended. Returns `BUSY` on timeout.
   */
  turn<T>(attempt: () => Awaitable<T | typeof BUSY>): Promise<T | typeof BUSY>;
}

export interface QueueOptions {
  /** Timeout of a turn in milliseconds. */
  readonly limit: number;
  /** Take a ticket even if the queue is empty, so that the next process waits for the end of the turn. */
  readonly always?: boolean;
}

// How often the head of the queue tries without a pause, and how many milliseconds per ticket before
// its own another waiter relies on file events alone.
const EAGER_TRIES = 50;
const CHECK_AGAIN = 10;
// Waiting processes touch their tickets. A process with an old ticket was killed, or, if its pid still
// exists, is stopped or starved by a heavy load.
const HEARTBEAT = 80;
const KILLED_AFTER = 250;
const STOPPED_AFTER = 1_000;
const SWEEP_EVERY = 1_000;

/**
 * A fair queue in front of SQLite's lock, which goes to whichever process asks at the right moment: a
 * process can starve for many seconds. Tickets are files in `dir`, named so that they sort by arrival.
 * While the directory exists, every process takes a ticket, including the one that was just served.
 * The queue only brings fairness. The work must be safe without it, because a process that stalls for
 * too long loses its ticket.
 */
export function createQueue(dir: string, { limit, always = false }: QueueOptions): Queue {
  let swept = Number.NEGATIVE_INFINITY;

  function removeIfDead(ticket: string): boolean {
    const path = join(dir, ticket);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return false;
    // Absolute: a clock that was set back must not keep a dead ticket forever.
    const idle = Math.abs(Date.now() - stats.mtimeMs);
    if (idle < KILLED_AFTER || (idle < STOPPED_AFTER && isRunning(ticket))) return false;
    rmSync(path, { force: true });
    return true;
  }

  function readTickets(): string[] {
    try {
      return readdirSync(dir).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw fileFailure("Waiting in the queue", dir, error);
    }
  }

  /** Tickets from before a reboot can have later times and would never reach the head. */
  function removeDead(own: string): void {
    const now = performance.now();
    if (now - swept < SWEEP_EVERY) return;
    swept = now;
    for (const ticket of readTickets()) if (ticket !== own) removeIfDead(ticket);
  }

  function takeTicket(arrival: string): string {
    for (;;) {
      const ticket = `${arrival}-${process.pid}-${uniqueToken()}`;
      try {
        createQueueDirectory(dir);
        closeSync(openSync(join(dir, ticket), "wx", 0o600));
        return ticket;
      } catch (error) {
        // The last waiter removed the directory in between.
        if (!isMissing(error)) throw fileFailure("Waiting in the queue", dir, error);
      }
    }
  }

  function leave(ticket: string): void {
    try {
      rmSync(join(dir, ticket), { force: true });
      rmdirSync(dir);
    } catch {
      // Others wait, or the last of them was faster. No other error may make completed work fail
      // either: a ticket that stays soon counts as dead.
    }
  }

  async function waitForTurn<T>(attempt: () => Awaitable<T | typeof BUSY>, deadline: number) {
    // The monotonic clock, which all processes of a machine share.
    const arrival = String(process.hrtime.bigint()).padStart(20, "0");
    let ticket = takeTicket(arrival);
    try {
      removeDead(ticket);
      let touchedAt = performance.now();
      let tries = 0;
      for (;;) {
        const now = performance.now();
        const tickets = readTickets();
        const index = tickets.indexOf(ticket);
        const [head = ticket] = tickets;
        if (index === 0) {
          const answer = await attempt();
          if (answer !== BUSY) return answer;
        }
        if (now >= deadline) return BUSY;
        if (index === -1) {
          // In case it exists after all: no process may wait for it.
          rmSync(join(dir, ticket), { force: true });
          ticket = takeTicket(arrival);
          touchedAt = now;
        } else if (index === 0) {
          // A process that came while the queue was empty is about to finish.
          tries += 1;
          await (tries < EAGER_TRIES ? setImmediate() : setTimeout(1));
        } else if (!removeIfDead(head)) {
          await waitForRemoval(
            join(dir, tickets[index - 1] ?? head),
            Math.min(CHECK_AGAIN * index, HEARTBEAT),
          );
        }
        if (now - touchedAt >= HEARTBEAT) {
          touch(join(dir, ticket));
          touchedAt = now;
        }
      }
    } finally {
      leave(ticket);
    }
  }

  return {
    async turn(attempt) {
      const deadline = performance.now() + limit;
      if (!always && !existsSync(dir)) {
        const answer = await attempt();
        if (answer !== BUSY) return answer;
      }
      return waitForTurn(attempt, deadline);
    },
  };
}

/** Does not sync: the queue need not survive a power cut. */
function createQueueDirectory(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") ensureDirectory(dir);
    else if (code !== "EEXIST") throw error;
    else refuseSymlink(dir);
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function isRunning(ticket: string): boolean {
  try {
    return process.kill(Number(ticket.split("-")[1]), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Waits until a file is removed, at most `wait` milliseconds: file events can be lost. */
function waitForRemoval(path: string, wait: number): Promise<void> {
  return new Promise((resolve) => {
    let watcher: FSWatcher | undefined;
    const timer = startTimer(done, wait);
    function done(): void {
      clearTimeout(timer);
      watcher?.close();
      resolve();
    }
    try {
      // Only the next waiter wakes up: with many of them, reading the directory is what costs.
      watcher = watch(path, done);
      watcher.on("error", done);
      if (!existsSync(path)) done();
    } catch (error) {
      // Otherwise the machine is out of watches, and the timer does it.
      if (isMissing(error)) done();
    }
  });
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch (error) {
    // Removed as dead by another process; the next read of the queue notices.
    if (!isMissing(error)) throw fileFailure("Waiting in the queue", path, error);
  }
}
