import { setTimeout as startTimer } from "node:timers";
import { redactUrl } from "../../core/text/redact.ts";
import { closedError } from "../storage/failure.ts";
import { notifyListener } from "../storage/subscribers.ts";
import { redactedMessage, type Warn } from "../storage/warn.ts";
import { createListener, notify } from "./listen.ts";
import type { Query, Row, Server } from "./server.ts";

/** A table of events and how to read one. */
export interface EventTable<E> {
  /** A table, or a query in parentheses. */
  readonly from: string;
  /** The column with the event numbers. */
  readonly number: string;
  readonly channel: string;
  eventOf(row: Row): E;
}

export interface ServerWatch<E> {
  add(listener: (event: E) => void): () => void;
  /** Resolves when every watcher has its start position. */
  started(): Promise<void>;
  /** Call it after a commit: wakes the watchers of this and other processes. */
  notify(): void;
  close(): Promise<void>;
}

const POLL_EVERY = 1_000;
const DEBOUNCE = 15;
const NOTIFY_EVERY = 100;
const BATCH = 500;
/** How far an uncommitted event can be behind the newest number. */
const WINDOW = 1_000;
/** A missing number is awaited this long. */
const GIVE_UP = 30_000;

/** A missing number, and the transactions that could still commit it. */
interface Gap {
  readonly horizon: bigint;
  readonly since: number;
}

interface Watcher<E> {
  readonly listener: (event: E) => void;
  cursor: number;
  /** The event at the cursor. */
  last: string | undefined;
  gap: Gap | undefined;
  /** Events after the cursor that existed when the watcher started. */
  known: Set<number>;
  stopped: boolean;
}

/**
 * Reports events in the order of their numbers. The table is the source of truth: notifications only
 * wake the watcher, and polling makes up for lost ones. A number is drawn before its transaction
 * commits, so a missing number is waited for until no transaction is left that could commit it.
 *
 * Notifications are sent outside of the transactions: inside, NOTIFY serializes all commits of the
 * server.
 */
export function createServerWatch<E>(
  server: Server,
  { from, number, channel, eventOf }: EventTable<E>,
  warn: Warn,
): ServerWatch<E> {
  const watchers = new Set<Watcher<E>>();
  let starting: Promise<unknown> = Promise.resolve();
  let closed = false;
  let polling: Promise<void> | undefined;
  let pollAgain = false;
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let notificationDue: NodeJS.Timeout | undefined;
  let notifiedAt = Number.NEGATIVE_INFINITY;
  let lastNotification: Promise<unknown> = Promise.resolve();
  const listener = createListener(server, channel, wake);

  /** Starts a watcher at the newest event before the first gap. */
  async function startAtEnd(query: Query, watcher: Watcher<E>): Promise<void> {
    const rows = await query(
      `SELECT ${number} AS seq FROM ${from} AS event
        WHERE ${number} > (SELECT coalesce(max(${number}), 0) - $1 FROM ${from} AS every) ORDER BY 1`,
      [WINDOW],
    );
    const seqs = rows.map((row) => Number(row.seq));
    const last = seqs.at(-1) ?? 0;
    const first = seqs[0] ?? 0;
    const afterGap = seqs.find((seq, index) => seq !== first + index);
    watcher.cursor = afterGap === undefined ? last : (seqs[seqs.indexOf(afterGap) - 1] ?? last);
    watcher.known = new Set(seqs.filter((seq) => seq > watcher.cursor));
    watcher.last = undefined;
    watcher.gap = undefined;
  }

  /** Events are never deleted: if the one at the cursor is missing or different, the server lost it and all later ones. */
  function wasRestored({ cursor, last }: Watcher<E>, row: Row | undefined): boolean {
    if (cursor === 0) return false;
    if (row === undefined || Number(row[number]) !== cursor) return true;
    return last !== undefined && last !== JSON.stringify(eventOf(row));
  }

  /** Reports new events to a watcher. Returns whether it waits for a missing number. */
  async function pollFor(watcher: Watcher<E>): Promise<boolean> {
    for (;;) {
      // Starts at the last known event, to check that it still exists.
      const rows = await server.once((query) =>
        query(
          `SELECT event.*, pg_snapshot_xmin(pg_current_snapshot())::text AS xmin,
                  pg_snapshot_xmax(pg_current_snapshot())::text AS xmax
             FROM ${from} AS event WHERE ${number} >= $1 ORDER BY ${number} LIMIT $2`,
          [watcher.cursor, BATCH + 1],
        ),
      );
      if (wasRestored(watcher, rows[0])) {
        warn(
          `The server ${redactUrl(server.url)} no longer has event ${watcher.cursor}. ` +
            "If it was restored from a backup, later events are lost. Watching continues from now.",
        );
        await server.attempt((query) => startAtEnd(query, watcher), false);
        return false;
      }
      for (const row of rows) {
        if (watcher.stopped) return false;
        const seq = Number(row[number]);
        if (seq === watcher.cursor) continue;
        if (seq !== watcher.cursor + 1 && !isGapFinal(watcher, String(row.xmin), String(row.xmax)))
          return true;
        watcher.gap = undefined;
        watcher.cursor = seq;
        const event = eventOf(row);
        watcher.last = JSON.stringify(event);
        if (!watcher.known.delete(seq)) notifyListener(watcher.listener, event, seq, warn);
      }
      if (rows.length <= BATCH) return false;
    }
  }

  function isGapFinal(watcher: Watcher<E>, xmin: string, xmax: string): boolean {
    const now = performance.now();
    watcher.gap ??= { horizon: BigInt(xmax), since: now };
    const { horizon, since } = watcher.gap;
    return BigInt(xmin) >= horizon || now - since > GIVE_UP;
  }

  async function poll(): Promise<void> {
    let unfinished = false;
    for (const watcher of [...watchers]) {
      try {
        await starting;
        unfinished = (await pollFor(watcher)) || unfinished;
      } catch (error) {
        if (!closed) warn(`Checking for new events failed: ${redactedMessage(error)}`);
      }
    }
    if (unfinished) wake();
  }

  function pollNow(): void {
    if (closed || watchers.size === 0) return;
    if (polling) {
      pollAgain = true;
      return;
    }
    polling = poll().finally(() => {
      polling = undefined;
      if (!pollAgain) return;
      pollAgain = false;
      pollNow();
    });
  }

  function wake(): void {
    if (soon || closed || watchers.size === 0) return;
    soon = startTimer(() => {
      soon = undefined;
      pollNow();
    }, DEBOUNCE).unref();
  }

  function remove(watcher: Watcher<E>): void {
    watcher.stopped = true;
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    clearTimeout(soon);
    soon = undefined;
    timer = undefined;
    listener.stop();
  }

  async function sendNotification(): Promise<void> {
    notificationDue = undefined;
    notifiedAt = performance.now();
    await notify(server, channel);
  }

  return {
    add(onEvent) {
      if (closed) throw closedError("The store");
      const watcher: Watcher<E> = {
        listener: onEvent,
        cursor: Number.MAX_SAFE_INTEGER,
        last: undefined,
        gap: undefined,
        known: new Set(),
        stopped: false,
      };
      watchers.add(watcher);
      starting = Promise.all([
        starting,
        server.attempt((query) => startAtEnd(query, watcher), false),
      ]).catch((error: unknown) => {
        remove(watcher);
        if (!closed) warn(`Watching for events failed to start: ${redactedMessage(error)}`);
      });
      timer ??= setInterval(() => {
        listener.start();
        pollNow();
      }, POLL_EVERY).unref();
      listener.start();
      return () => remove(watcher);
    },

    async started() {
      if (closed) throw closedError("The store");
      await starting;
    },

    notify() {
      wake();
      if (notificationDue || closed) return;
      // Rate-limited: one notification covers many changes.
      const pause = Math.max(DEBOUNCE, notifiedAt + NOTIFY_EVERY - performance.now());
      notificationDue = startTimer(() => {
        lastNotification = sendNotification();
      }, pause).unref();
    },

    async close() {
      if (closed) return;
      closed = true;
      for (const watcher of [...watchers]) remove(watcher);
      if (notificationDue) {
        clearTimeout(notificationDue);
        lastNotification = sendNotification();
      }
      await Promise.allSettled([starting, polling, lastNotification]);
      listener.stop();
    },
  };
}
