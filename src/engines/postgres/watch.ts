import { setTimeout as startTimer } from "node:timers";
import { redactUrl } from "../../core/text/redact.ts";

import { callListener } from "../storage/audience.ts";
import { closedError } from "../storage/failure.ts";
import { redactedMessage, type Warn } from "../storage/warn.ts";
import { createListening, notify } from "./listen.ts";
import type { Query, Row, Server } from "./server.ts";

/** Where events stand, and how one is read. */
export interface EventTable<E> {
  /** A table, or a query in brackets. */
  readonly from: string;
  /** The column with their numbers. */
  readonly number: string;
  readonly channel: string;
  eventOf(row: Row): E;
}

export interface ServerWatch<E> {
  add(listener: (event: E) => void): () => void;
  /** Everyone who began to watch knows from where. */
  started(): Promise<void>;
  /** Something was committed: wakes those who watch, here and elsewhere. */
  tell(): void;
  close(): Promise<void>;
}

const EVERY = 1_000;
const SOON = 15;
const SELDOM = 100;
const BATCH = 500;
/** How far behind the newest event one can be that is not committed yet. */
const WINDOW = 1_000;
/** A number that nobody used for so long will not be used. */
const GIVE_UP = 30_000;

/** A number that is missing, and the transactions that could still bring it. */
interface Gap {
  readonly horizon: bigint;
  readonly since: number;
}

interface Watcher<E> {
  readonly listener: (event: E) => void;
  cursor: number;
  /** What stood at the cursor. */
  last: string | undefined;
  gap: Gap | undefined;
  /** Events beyond the cursor that were there before this one began to watch. */
  known: Set<number>;
  stopped: boolean;
}

/**
 * Tells of events in the order of their numbers. The table is the truth: a notice of the server is
 * only a wake-up, and a look at every interval makes up for lost ones. Numbers are drawn before they
 * are committed, by transactions that are known to the server by then, so one that is missing is waited for until no transaction is left that could bring it.
 *
 * Notices are sent beside the changes and not within them: a NOTIFY in a transaction makes all commits
 * of the server wait for each other.
 */
export function createServerWatch<E>(
  server: Server,
  { from, number, channel, eventOf }: EventTable<E>,
  warn: Warn,
): ServerWatch<E> {
  const watchers = new Set<Watcher<E>>();
  let starting: Promise<unknown> = Promise.resolve();
  let closed = false;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let noticeDue: NodeJS.Timeout | undefined;
  let noticedAt = Number.NEGATIVE_INFINITY;
  let lastNotice: Promise<unknown> = Promise.resolve();
  const listening = createListening(server, channel, wake);

  async function position(query: Query, watcher: Watcher<E>): Promise<void> {
    const rows = await query(
      `SELECT ${number} AS place FROM ${from} AS event
        WHERE ${number} > (SELECT coalesce(max(${number}), 0) - $1 FROM ${from} AS every) ORDER BY 1`,
      [WINDOW],
    );
    const seqs = rows.map((row) => Number(row.place));
    const last = seqs.at(-1) ?? 0;
    const first = seqs[0] ?? 0;
    const missing = seqs.find((seq, place) => seq !== first + place);
    watcher.cursor = missing === undefined ? last : (seqs[seqs.indexOf(missing) - 1] ?? last);
    watcher.known = new Set(seqs.filter((seq) => seq > watcher.cursor));
    watcher.last = undefined;
    watcher.gap = undefined;
  }

  /** Nothing is ever taken away: an event that was there and is not was lost with all that followed. */
  function hasGoneBack({ cursor, last }: Watcher<E>, row: Row | undefined): boolean {
    if (cursor === 0) return false;
    if (row === undefined || Number(row[number]) !== cursor) return true;
    return last !== undefined && last !== JSON.stringify(eventOf(row));
  }

  async function lookFor(watcher: Watcher<E>): Promise<boolean> {
    for (;;) {
      // From the last one on that is known: whether it is still there says whether the others are.
      const rows = await server.once((query) =>
        query(
          `SELECT event.*, pg_snapshot_xmin(pg_current_snapshot())::text AS xmin,
                  pg_snapshot_xmax(pg_current_snapshot())::text AS xmax
             FROM ${from} AS event WHERE ${number} >= $1 ORDER BY ${number} LIMIT $2`,
          [watcher.cursor, BATCH + 1],
        ),
      );
      if (hasGoneBack(watcher, rows[0])) {
        warn(
          `The server ${redactUrl(server.url)} no longer has event ${watcher.cursor}. ` +
            "If it was restored from a backup, later events are lost. Watching continues from now.",
        );
        await server.attempt((query) => position(query, watcher), false);
        return false;
      }
      for (const row of rows) {
        if (watcher.stopped) return false;
        const seq = Number(row[number]);
        if (seq === watcher.cursor) continue;
        if (seq !== watcher.cursor + 1 && !isOver(watcher, String(row.xmin), String(row.xmax)))
          return true;
        watcher.gap = undefined;
        watcher.cursor = seq;
        const event = eventOf(row);
        watcher.last = JSON.stringify(event);
        if (!watcher.known.delete(seq)) callListener(watcher.listener, event, seq, warn);
      }
      if (rows.length <= BATCH) return false;
    }
  }

  function isOver(watcher: Watcher<E>, xmin: string, xmax: string): boolean {
    const now = performance.now();
    watcher.gap ??= { horizon: BigInt(xmax), since: now };
    const { horizon, since } = watcher.gap;
    return BigInt(xmin) >= horizon || now - since > GIVE_UP;
  }

  async function look(): Promise<void> {
    let unfinished = false;
    for (const watcher of [...watchers]) {
      try {
        await starting;
        unfinished = (await lookFor(watcher)) || unfinished;
      } catch (error) {
        if (!closed) warn(`Looking for new events failed: ${redactedMessage(error)}`);
      }
    }
    if (unfinished) wake();
  }

  function lookNow(): void {
    if (closed || watchers.size === 0) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = look().finally(() => {
      looking = undefined;
      if (!lookAgain) return;
      lookAgain = false;
      lookNow();
    });
  }

  function wake(): void {
    if (soon || closed || watchers.size === 0) return;
    soon = startTimer(() => {
      soon = undefined;
      lookNow();
    }, SOON).unref();
  }

  function remove(watcher: Watcher<E>): void {
    watcher.stopped = true;
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    clearTimeout(soon);
    soon = undefined;
    timer = undefined;
    listening.end();
  }

  async function sendNotice(): Promise<void> {
    noticeDue = undefined;
    noticedAt = performance.now();
    await notify(server, channel);
  }

  return {
    add(listener) {
      if (closed) throw closedError("The store");
      const watcher: Watcher<E> = {
        listener,
        cursor: Number.MAX_SAFE_INTEGER,
        last: undefined,
        gap: undefined,
        known: new Set(),
        stopped: false,
      };
      watchers.add(watcher);
      starting = Promise.all([
        starting,
        server.attempt((query) => position(query, watcher), false),
      ]).catch((error: unknown) => {
        remove(watcher);
        if (!closed) warn(`Watching could not begin: ${redactedMessage(error)}`);
      });
      timer ??= setInterval(() => {
        listening.begin();
        lookNow();
      }, EVERY).unref();
      listening.begin();
      return () => remove(watcher);
    },

    async started() {
      if (closed) throw closedError("The store");
      await starting;
    },

    tell() {
      wake();
      if (noticeDue || closed) return;
      // Where one change follows the other, a notice tells of many of them.
      const pause = Math.max(SOON, noticedAt + SELDOM - performance.now());
      noticeDue = startTimer(() => {
        lastNotice = sendNotice();
      }, pause).unref();
    },

    async close() {
      if (closed) return;
      closed = true;
      for (const watcher of [...watchers]) remove(watcher);
      if (noticeDue) {
        clearTimeout(noticeDue);
        lastNotice = sendNotice();
      }
      await Promise.allSettled([starting, looking, lastNotice]);
      listening.end();
    },
  };
}
