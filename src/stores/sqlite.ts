import { dirname, resolve } from "node:path";
import { WaymarkError } from "../core/error.ts";
import { emptyTrack, FOLD_VERSION, foldEvents } from "../core/evolve.ts";
import type { Decision, Event, Outcome, Track, TrackId } from "../core/model.ts";
import { type DriverName, loadDriver } from "../sqlite/driver.ts";
import { isBusy } from "../sqlite/result-code.ts";
import { callListener } from "./audience.ts";
import { busyError, closedError } from "./failure.ts";
import { duplicateOutcome, outcomeOf } from "./outcome.ts";
import { BUSY, createQueue } from "./queue.ts";
import { createRecent } from "./recent.ts";
import { isBroken, sqliteFailure } from "./sqlite-failure.ts";
import { commitPatiently, connect, openDatabase, patiently } from "./sqlite-open.ts";
import { createRows, type Head, type Rows } from "./sqlite-rows.ts";
import type { Store } from "./store.ts";
import { createSweeps } from "./sweep.ts";
import { trackKey } from "./track-key.ts";
import { messageOf, type Warn, warnOnConsole } from "./warn.ts";

export interface SqliteStoreOptions {
  /** Forces a driver; else WAYMARK_SQLITE_DRIVER, else Node's own, else libsql. */
  readonly driver?: DriverName;
  /** Milliseconds that a call waits for other processes before it fails as `store_busy`. */
  readonly waitLimit?: number;
  /**
   * Called with the track after each commit and before the place in the queue is given up, so
   * that what several processes make of it is made in the order of their commits. What it throws
   * is a warning: the commit stands.
   */
  readonly onCommit?: (track: Track) => void;
  readonly onWarning?: Warn;
}

const WAIT_LIMIT = 10_000;
const CACHED_TRACKS = 64;
const BATCH = 500;
const MIRROR_ROUNDS = 3;

/** Keeps events in one SQLite file that any number of processes may share. */
export async function sqliteStore(file: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const path = resolve(file);
  const { waitLimit = WAIT_LIMIT, onCommit, onWarning: warn = warnOnConsole } = options;
  const driver = await loadDriver(options.driver);
  const queue = createQueue(`${path}.queue`, { limit: waitLimit, always: onCommit !== undefined });
  const db = await openDatabase(driver, path, queue, waitLimit);

  const cache = createRecent<{ readonly row: number; readonly track: Track }>(CACHED_TRACKS);
  const sweeps = createSweeps(dirname(path), warn);
  let connected: Rows | undefined = await patiently(path, waitLimit, () => createRows(db, path));
  let closed = false;
  /** There while a transaction of this object is open: its end may wait for other processes. */
  let ending: Promise<void> | undefined;
  /** Events of it that are written and not yet committed. */
  let uncommitted = 0;
  let lastCommit: Promise<unknown> = Promise.resolve();

  function rows(): Rows {
    connected ??= createRows(connect(driver, path), path);
    return connected;
  }

  function assertOpen(): void {
    if (closed) throw closedError(`The store ${path}`);
  }

  /** What a failed connection believes of the file may be wrong: the next call opens a new one. */
  function disconnect(): void {
    cache.clear();
    connected?.close();
    connected = undefined;
  }

  function rollback(reason?: unknown): void {
    try {
      rows().rollback();
      if (isBroken(reason)) disconnect();
    } catch {
      // SQLite has ended the transaction by itself, as it does when the disk fails.
      disconnect();
    }
  }

  async function reading<T>(work: () => T): Promise<T> {
    assertOpen();
    return patiently(path, waitLimit, () => {
      assertOpen();
      // Within an open transaction this connection would read what is not committed yet.
      return ending ? ending.then(() => reading(work)) : rows().reading(work);
    });
  }

  function parse<T>(json: string): T {
    try {
      return JSON.parse(json);
    } catch (cause) {
      const reason = `The store ${path} holds a row that is no JSON (${messageOf(cause)}).`;
      throw new WaymarkError("store_corrupt", `${reason} Bring back a copy of the file.`, {
        cause,
      });
    }
  }

  function eventsAfter(row: number, seq: number): Event[] {
    return rows()
      .bodiesAfter(row, seq)
      .map((body) => parse<Event>(body));
  }

  function trackOf(id: TrackId, head: Head, state: () => string): Track {
    const current = head.fold === FOLD_VERSION;
    const known = cache.get(trackKey(id));
    if (current && known?.row === head.row && known.track.version === head.version)
      return known.track;
    const track = current ? parse<Track>(state()) : foldEvents(id, eventsAfter(head.row, 0));
    cache.set(trackKey(id), { row: head.row, track });
    return track;
  }

  function load(id: TrackId): { readonly row?: number; readonly track: Track } {
    const head = rows().head(id);
    if (!head) return { track: emptyTrack(id) };
    return { row: head.row, track: trackOf(id, head, () => rows().state(head.row)) };
  }

  function mirror(id: TrackId, committed: Track): void {
    if (!onCommit) return;
    try {
      let track = committed;
      for (let round = 0; round < MIRROR_ROUNDS; round++) {
        onCommit(track);
        // One that was taken for dead in the queue may come late: then the newer track is due.
        const now = rows().reading(() => load(id).track);
        if (now.version === track.version) return;
        track = now;
      }
    } catch (error) {
      // Busy: somebody commits right now, and mirrors what comes of it.
      if (!isBusy(error))
        warn(
          `Version ${committed.version} of ${id.session}/${id.agent} is kept, but what was to follow failed: ${messageOf(error)}`,
        );
    }
  }

  async function attempt(id: TrackId, key: string, judge: (track: Track) => Decision) {
    try {
      rows().begin();
    } catch (error) {
      if (isBusy(error)) return BUSY;
      throw sqliteFailure(path, error);
    }
    let end = (): void => {};
    ending = new Promise((resolve) => {
      end = resolve;
    });
    let outcome: Outcome;
    try {
      const { row, track } = load(id);
      const known = row === undefined ? undefined : rows().bodyByKey(row, key);
      outcome =
        known === undefined
          ? outcomeOf(track, key, judge(track))
          : duplicateOutcome(parse(known), track);
      if (outcome.duplicate || !outcome.event) {
        rollback();
        return outcome;
      }
      const kept = rows().keep(row, outcome.event, outcome.after);
      uncommitted = 1;
      await commitPatiently(path, waitLimit, () => rows().commit());
      cache.set(trackKey(id), { row: kept, track: outcome.after });
    } catch (error) {
      cache.delete(trackKey(id));
      rollback(error);
      throw sqliteFailure(path, error);
    } finally {
      ending = undefined;
      uncommitted = 0;
      end();
    }
    mirror(id, outcome.after);
    return outcome;
  }

  async function commit(id: TrackId, key: string, judge: (track: Track) => Decision) {
    const outcome = await queue.turn(() => attempt(id, key, judge));
    if (outcome === BUSY) throw busyError(path, waitLimit);
    if (outcome.event && !outcome.duplicate) sweeps.now();
    return outcome;
  }

  /** Where the watched events begin. It blocks: what is committed after the call must be told. */
  function startPosition(): number {
    const start = performance.now();
    for (;;) {
      try {
        if (ending) return rows().lastPosition() - uncommitted;
        return rows().reading(() => rows().lastPosition());
      } catch (error) {
        if (!isBusy(error)) throw sqliteFailure(path, error);
        const waited = performance.now() - start;
        if (waited >= waitLimit) throw busyError(path, waited);
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }

  return {
    durable: true,

    read: (id) => reading(() => load(id).track),

    async commit(id, key, judge) {
      assertOpen();
      const turn = lastCommit.then(() => commit(id, key, judge));
      lastCommit = turn.catch(() => undefined);
      return turn;
    },

    events: (id, after = 0) =>
      reading(() => {
        const head = rows().head(id);
        return head ? eventsAfter(head.row, after) : [];
      }),

    tracks: (filter = {}) =>
      reading(() =>
        rows()
          .matching(filter)
          .map((found) => trackOf(found.id, found, () => found.state)),
      ),

    watch(listener) {
      assertOpen();
      let position = startPosition();
      let stopped = false;
      let looking = false;
      const look = (): boolean => {
        if (looking || stopped) return false;
        if (ending) return true;
        looking = true;
        try {
          for (;;) {
            const found = rows().reading(() => rows().recordedAfter(position, BATCH));
            for (const { position: place, id, body } of found) {
              if (stopped) return false;
              position = place;
              callListener(listener, { position, track: id, event: parse(body) }, warn);
            }
            if (found.length < BATCH) return false;
          }
        } catch (error) {
          if (isBusy(error)) return true;
          throw error;
        } finally {
          looking = false;
        }
      };
      const remove = sweeps.add(look);
      return () => {
        stopped = true;
        remove();
      };
    },

    async close() {
      closed = true;
      sweeps.close();
      await lastCommit;
      connected?.close();
      connected = undefined;
    },
  };
}
