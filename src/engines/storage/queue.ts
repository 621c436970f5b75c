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
import { makeDirectory, refuseLink } from "./place.ts";
import { uniqueWord } from "./unique.ts";

/** An attempt found somebody else at work. */
export const BUSY = Symbol("busy");

export interface Queue {
  /**
   * Attempts the work until it is not busy, in turn with every other process at the same queue.
   * The place is kept until the attempt has ended. Answers `BUSY` when the time is up.
   */
  turn<T>(attempt: () => Awaitable<T | typeof BUSY>): Promise<T | typeof BUSY>;
}

export interface QueueOptions {
  /** Milliseconds after which a turn is given up. */
  readonly limit: number;
  /** Queue up even when nobody waits, so that the next one does not begin before the end. */
  readonly always?: boolean;
}

// How often the head of the line tries without a pause, and how long, for each place before it,
// one that waits trusts the notice that its forerunner has left.
const EAGER_TRIES = 50;
const LOOK_AGAIN = 10;
// Waiting processes show that they live. One that does not was killed, or, when this machine still
// knows it, stopped or kept from running by a heavy load.
const SIGN_OF_LIFE = 80;
const KILLED_AFTER = 250;
const STOPPED_AFTER = 1_000;
const SWEEP_EVERY = 1_000;

/**
 * A line in front of a lock that has none: SQLite lets whoever comes at the right moment in, and a
 * busy process can wait for many seconds. Tickets are files in `dir`, named so that they sort by
 * the time of coming. While the directory is there everyone goes to its end, also who has just
 * been served. The line brings fairness only: the work behind it must be safe without it, for a
 * ticket can be taken away from a process that stood still for too long.
 */
export function createQueue(dir: string, { limit, always = false }: QueueOptions): Queue {
  let swept = Number.NEGATIVE_INFINITY;

  function removeIfDead(ticket: string): boolean {
    const path = join(dir, ticket);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return false;
    // A clock that was set back must not keep a dead ticket for ever.
    const silence = Math.abs(Date.now() - stats.mtimeMs);
    if (silence < KILLED_AFTER || (silence < STOPPED_AFTER && isRunning(ticket))) return false;
    rmSync(path, { force: true });
    return true;
  }

  function line(): string[] {
    try {
      return readdirSync(dir).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw fileFailure("Standing in line", dir, error);
    }
  }

  /** Tickets of before a restart of the machine bear higher times and never come to the head. */
  function sweep(own: string): void {
    const now = performance.now();
    if (now - swept < SWEEP_EVERY) return;
    swept = now;
    for (const ticket of line()) if (ticket !== own) removeIfDead(ticket);
  }

  function takeTicket(came: string): string {
    for (;;) {
      const ticket = `${came}-${process.pid}-${uniqueWord()}`;
      try {
        makeLine(dir);
        closeSync(openSync(join(dir, ticket), "wx", 0o600));
        return ticket;
      } catch (error) {
        // The last one in line took the directory away in between.
        if (!isMissing(error)) throw fileFailure("Standing in line", dir, error);
      }
    }
  }

  function leave(ticket: string): void {
    try {
      rmSync(join(dir, ticket), { force: true });
      rmdirSync(dir);
    } catch {
      // Others stand in line, or the last of them was quicker. Whatever else it is must not make
      // work that was done look undone: a ticket that stays is soon taken for dead.
    }
  }

  async function standInLine<T>(attempt: () => Awaitable<T | typeof BUSY>, deadline: number) {
    // The clock that all processes of a machine share and nobody sets.
    const came = String(process.hrtime.bigint()).padStart(20, "0");
    let ticket = takeTicket(came);
    try {
      sweep(ticket);
      let shown = performance.now();
      let tries = 0;
      for (;;) {
        const now = performance.now();
        const tickets = line();
        const place = tickets.indexOf(ticket);
        const [head = ticket] = tickets;
        if (place === 0) {
          const answer = await attempt();
          if (answer !== BUSY) return answer;
        }
        if (now >= deadline) return BUSY;
        if (place === -1) {
          // Should it be there after all, nobody may wait for it.
          rmSync(join(dir, ticket), { force: true });
          ticket = takeTicket(came);
          shown = now;
        } else if (place === 0) {
          // Somebody who came when there was no line is about to finish.
          tries += 1;
          await (tries < EAGER_TRIES ? setImmediate() : setTimeout(1));
        } else if (!removeIfDead(head)) {
          await gone(
            join(dir, tickets[place - 1] ?? head),
            Math.min(LOOK_AGAIN * place, SIGN_OF_LIFE),
          );
        }
        if (now - shown >= SIGN_OF_LIFE) {
          touch(join(dir, ticket));
          shown = now;
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
      return standInLine(attempt, deadline);
    },
  };
}

/** Unlike what is kept, a line need not outlive a power cut: it is made without waiting for the disk. */
function makeLine(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") makeDirectory(dir);
    else if (code !== "EEXIST") throw error;
    else refuseLink(dir);
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

/** Waits until a file is gone, or for some milliseconds: notices can be lost. */
function gone(path: string, wait: number): Promise<void> {
  return new Promise((resolve) => {
    let watcher: FSWatcher | undefined;
    const timer = startTimer(done, wait);
    function done(): void {
      clearTimeout(timer);
      watcher?.close();
      resolve();
    }
    try {
      // Only the next in line wakes up: with many waiting, looking at the line is what costs.
      watcher = watch(path, done);
      watcher.on("error", done);
      if (!existsSync(path)) done();
    } catch (error) {
      // Else there are no watches left on this machine: the time alone does it.
      if (isMissing(error)) done();
    }
  });
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch (error) {
    // Taken for dead by another: the next look at the line shows it.
    if (!isMissing(error)) throw fileFailure("Standing in line", path, error);
  }
}
