import { type BigIntStats, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { WaymarkError } from "../../core/error.ts";
import { busyError, closedError, fileFailure } from "../storage/failure.ts";
import { lostError, tracesOf } from "../storage/lost-store.ts";
import { latestVersion, refuseNewer } from "../storage/migrations.ts";
import { warnOfNetwork } from "../storage/network.ts";
import { createPoller, followEvents } from "../storage/poller.ts";
import { BUSY, createQueue } from "../storage/queue.ts";
import type { Warn } from "../storage/warn.ts";
import { beginReading, type Database, type DriverName, loadDriver } from "./driver.ts";
import { isBroken, replacedError, sqliteFailure } from "./failure.ts";
import { syncLastCommit } from "./last-commit.ts";
import { commitWithRetry, openDatabase, retryWhileBusy, schemaReader } from "./open.ts";
import { isBusy, isFault, isMoved } from "./result-code.ts";
import { MIGRATIONS } from "./schema.ts";

export interface SharedFileOptions<R> {
  /** The driver (default: WAYMARK_SQLITE_DRIVER, else Node's own, else libsql). */
  readonly driver?: DriverName | undefined;
  /** How long a call waits for other processes before it fails as `store_busy`, in milliseconds. */
  readonly waitLimit?: number | undefined;
  /** Always take a ticket: the work after a commit must end before the next commit. */
  readonly always?: boolean;
  /** Accept an empty store even if an earlier one left traces. */
  readonly startEmpty?: boolean | undefined;
  /** Create the directory of the file if it does not exist. */
  readonly createDirectory?: boolean | undefined;
  readonly warn: Warn;
  /** Prepares the statements of a connection. */
  prepare(db: Database, path: string): R;
  /** The last event at or before a position. */
  eventAt(rows: R, position: number): Mark | undefined;
  /** Called when cached content of the file may be wrong. */
  forget?(): void;
}

/** Identifies an event: another event at the same position has another name. */
export interface Mark {
  readonly position: number;
  readonly name: string;
}

/** The result of a write. Without events the transaction is rolled back. */
export interface Written<T> {
  readonly answer: T;
  readonly events: number;
  /** The answer repeats that of an earlier commit, which must be durable first. */
  readonly again?: boolean;
  /** There is a change to commit although no event was written. */
  readonly changed?: boolean;
  /** Called after the commit, before the queue ticket is released. */
  settled?(): void;
}

/** Reads the events of one kind in the order of their commits. */
export interface Log<R, E> {
  last(rows: R): number;
  after(rows: R, position: number, limit: number): readonly E[];
  positionOf(event: E): number;
}

/** An SQLite file that any number of processes write to in turn. */
export interface SharedFile<R> {
  readonly path: string;
  reading<T>(work: (rows: R) => T): Promise<T>;
  /** Runs `work` in one exclusive transaction. Calls take effect in order. */
  writing<T>(work: (rows: R) => Written<T>): Promise<T>;
  /** Reads synchronously. The caller handles a busy file. */
  now<T>(work: (rows: R) => T): T;
  /**
   * Calls back once for every event committed from now on, by any process. `replaced` is called when
   * the file or its history was replaced.
   */
  follow<E>(log: Log<R, E>, listener: (event: E) => void, replaced?: () => void): () => void;
  close(): Promise<void>;
}

const WAIT_LIMIT = 10_000;
const BATCH = 500;
/** A write creates a new store only after the file was missing this long: it may be about to be restored. */
const MISSING_FOR = 1_000;
const REOPENINGS = 3;
const REPLACED = Symbol("replaced");
/** Files on which a commit of this process failed. */
const failed = new Set<string>();

export async function openSharedFile<R>(
  file: string,
  options: SharedFileOptions<R>,
): Promise<SharedFile<R>> {
  const path = resolve(file);
  const { waitLimit = WAIT_LIMIT, always = false, warn, prepare } = options;
  const driver = await loadDriver(options.driver);
  const queue = createQueue(`${path}.queue`, { limit: waitLimit, always });
  interface Connection {
    readonly db: Database;
    readonly rows: R;
    readonly schema: () => number;
    /** SQLite's counter of commits by other connections. A copied file can have the same count. */
    readonly dataVersion: () => number;
    /** Device and inode. The inode of an open file is not reused. */
    readonly file: string;
    /** The file as this connection last saw it. */
    seen?: { readonly written: string; readonly data: number };
  }

  async function open(startEmpty?: boolean): Promise<Connection> {
    const { createDirectory } = options;
    const how = { limit: waitLimit, startEmpty, createDirectory };
    const { db, isNew } = await openDatabase(driver, path, queue, how);
    // Warns once, not with every command; `doctor` repeats it.
    if (isNew) warnOfNetwork(dirname(path), warn);
    try {
      return await retryWhileBusy(path, waitLimit, () => {
        const dataVersion = db.prepare("PRAGMA data_version");
        return {
          db,
          rows: prepare(db, path),
          schema: schemaReader(db),
          dataVersion: () => Number(dataVersion.get()?.data_version),
          file: versionOf(path).file,
        };
      });
    } catch (error) {
      db.close();
      throw error;
    }
  }

  let connected: Connection | undefined = await open(options.startEmpty);
  const poller = createPoller(dirname(path), warn);
  let closed = false;
  /** Resolves at the end of the open transaction, which may wait for other processes. */
  let ending: Promise<void> | undefined;
  /** Events written in the open transaction. */
  let uncommitted = 0;
  let lastWriting: Promise<unknown> = Promise.resolve();
  /** Whether everything committed before the first write of this object is durable. */
  let isLastSynced = false;
  /** The newest event read or written. A file without it has another history. */
  let lastEvent: Mark | undefined;
  /** Number of histories seen so far. */
  let histories = 0;
  let reopening: Promise<void> | undefined;
  let missingSince: number | undefined;

  function syncLast(doubtful: boolean): void {
    try {
      syncLastCommit(path, doubtful);
    } catch (error) {
      throw fileFailure("Writing the store", path, error);
    }
    isLastSynced = true;
    failed.delete(path);
  }

  function assertOpen(): void {
    if (closed) throw closedError(`The store ${path}`);
  }

  /** Discards a connection whose cache may be wrong. The next call opens a new one. */
  function disconnect(): void {
    options.forget?.();
    connected?.db.close();
    connected = undefined;
  }

  /** Opens the current file at the path. Only a write creates a new file. */
  async function reopen(isWriting: boolean): Promise<void> {
    if (!existsSync(path)) {
      const traces = tracesOf(path);
      if (traces) throw lostError(path, traces);
      missingSince ??= performance.now();
      if (!isWriting || performance.now() - missingSince < MISSING_FOR) throw removedError(path);
      warn(`The store ${path} was removed while it was open. A new one was started.`);
    }
    missingSince = undefined;
    const opened = await open();
    if (closed) opened.db.close();
    else connected = opened;
    assertOpen();
  }

  async function reconnect(isWriting: boolean): Promise<void> {
    if (connected) return;
    reopening ??= reopen(isWriting).finally(() => {
      reopening = undefined;
    });
    await reopening;
  }

  /**
   * Whether the connection has the current file open and reads its current pages. Only inside a
   * transaction, when no other process commits.
   */
  function isCurrent(connection: Connection): boolean {
    const { file, written } = versionOf(path);
    if (file !== connection.file) return false;
    const { seen } = connection;
    if (seen?.written === written) return true;
    const data = connection.dataVersion();
    // Overwritten in place by a file with as many commits: SQLite would keep using its cached pages.
    if (seen?.data === data) {
      histories += 1;
      return false;
    }
    // An older schema must be migrated first. A newer one can be read.
    if (connection.schema() < latestVersion(MIGRATIONS)) return false;
    connection.seen = { written, data };
    const { rows } = connection;
    if (lastEvent && options.eventAt(rows, lastEvent.position)?.name !== lastEvent.name) {
      options.forget?.();
      histories += 1;
    }
    lastEvent = options.eventAt(rows, Number.MAX_SAFE_INTEGER);
    return true;
  }

  function rollback(reason?: unknown): void {
    try {
      connected?.db.exec("ROLLBACK");
      if (isBroken(reason)) disconnect();
    } catch {
      // SQLite ended the transaction itself, as it does on disk errors.
      disconnect();
    }
  }

  /** SQLite reports a moved file in several ways: as moved, as an I/O error, as a failed open. */
  function wasMoved(connection: Connection, error: unknown): boolean {
    return isMoved(error) || (isFault(error) && versionOf(path).file !== connection.file);
  }

  function readNow<T>(work: (rows: R) => T): T {
    if (!connected) throw replacedError(path);
    const { db, rows } = connected;
    try {
      beginReading(db);
    } catch (error) {
      if (!wasMoved(connected, error)) throw error;
      disconnect();
      throw replacedError(path);
    }
    let failure: unknown;
    try {
      if (isCurrent(connected)) return work(rows);
      failure = replacedError(path);
    } catch (error) {
      failure = error;
    } finally {
      rollback(failure);
    }
    if (isReplaced(failure)) disconnect();
    throw failure;
  }

  async function reading<T>(work: (rows: R) => T): Promise<T> {
    for (let tries = 1; ; tries++) {
      assertOpen();
      if (!connected) await reconnect(false);
      try {
        return await retryWhileBusy(path, waitLimit, () => {
          assertOpen();
          // Inside an open transaction, this connection would read uncommitted changes.
          return ending ? ending.then(() => reading(work)) : readNow(work);
        });
      } catch (error) {
        if (!isReplaced(error) || tries === REOPENINGS) throw error;
      }
    }
  }

  async function attempt<T>(work: (rows: R) => Written<T>) {
    if (!connected) return REPLACED;
    const connection = connected;
    const { db, rows, schema } = connection;
    try {
      db.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (isBusy(error)) return BUSY;
      const isReplaced = wasMoved(connection, error);
      if (isReplaced || isBroken(error)) disconnect();
      if (isReplaced) return REPLACED;
      throw sqliteFailure(path, error);
    }
    let end = (): void => {};
    ending = new Promise((resolve) => {
      end = resolve;
    });
    let written: Written<T>;
    try {
      if (!isCurrent(connection)) {
        rollback();
        disconnect();
        return REPLACED;
      }
      refuseNewer(MIGRATIONS, schema(), path);
      if (!isLastSynced) syncLast(failed.has(path));
      written = work(rows);
      if (written.events === 0 && !written.changed) {
        if (written.again) syncLast(true);
        rollback();
        return written;
      }
      uncommitted = written.events;
      const mark = options.eventAt(rows, Number.MAX_SAFE_INTEGER);
      await commitWithRetry(path, waitLimit, () => db.exec("COMMIT"));
      const { file, written: at } = versionOf(path);
      // The commit went to the old file: `write` repeats it on the new one.
      if (file !== connection.file) {
        disconnect();
        return REPLACED;
      }
      lastEvent = mark;
      if (connection.seen) connection.seen = { ...connection.seen, written: at };
    } catch (error) {
      options.forget?.();
      rollback(error);
      if (wasMoved(connection, error)) {
        disconnect();
        return REPLACED;
      }
      isLastSynced = false;
      failed.add(path);
      throw sqliteFailure(path, error);
    } finally {
      ending = undefined;
      uncommitted = 0;
      end();
    }
    written.settled?.();
    return written;
  }

  async function write<T>(work: (rows: R) => Written<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      await reconnect(true);
      const written = await queue.turn(() => attempt(work));
      if (written === BUSY) throw busyError(path, waitLimit);
      if (written !== REPLACED) {
        if (written.events > 0) poller.now();
        return written.answer;
      }
      if (tries === REOPENINGS) throw replacedError(path);
    }
  }

  /** The position to follow from. Blocks, so that every later commit is reported. */
  function startPosition<E>(log: Log<R, E>): number {
    const start = performance.now();
    for (;;) {
      try {
        if (connected && ending) return log.last(connected.rows) - uncommitted;
        return readNow((rows) => log.last(rows));
      } catch (error) {
        // The next poll reconnects.
        if (isReplaced(error)) return lastEvent?.position ?? 0;
        if (!isBusy(error)) throw sqliteFailure(path, error);
        const waited = performance.now() - start;
        if (waited >= waitLimit) throw busyError(path, waited);
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }

  return {
    path,
    reading,
    now: readNow,

    async writing(work) {
      assertOpen();
      const turn = lastWriting.then(() => write(work));
      lastWriting = turn.catch(() => undefined);
      return turn;
    },

    follow(log, listener, replaced = () => {}) {
      assertOpen();
      let position = startPosition(log);
      let history = histories;
      let problem = "";
      const reconnectSoon = (): void => {
        reconnect(false).then(
          () => {
            problem = "";
          },
          (error: unknown) => {
            const { message } = error as Error;
            if (closed || message === problem) return;
            problem = message;
            warn(message);
          },
        );
      };
      function* readNew() {
        if (ending) return true;
        try {
          for (;;) {
            const found = readNow((rows) => {
              if (history === histories) return log.after(rows, position, BATCH);
              position = Math.min(position, log.last(rows));
              return [];
            });
            if (history !== histories) {
              history = histories;
              replaced();
            }
            for (const event of found) {
              position = log.positionOf(event);
              yield { position, event };
            }
            if (found.length < BATCH) return false;
          }
        } catch (error) {
          if (isBusy(error)) return true;
          if (!isReplaced(error)) throw error;
          reconnectSoon();
          return false;
        }
      }
      return followEvents(poller, readNew, listener, warn);
    },

    async close() {
      closed = true;
      poller.close();
      await lastWriting;
      connected?.db.close();
      connected = undefined;
    },
  };
}

interface FileVersion {
  /** Device and inode; empty if there is no file. */
  readonly file: string;
  /** Modification time and size. */
  readonly written: string;
}

function versionOf(path: string): FileVersion {
  let stats: BigIntStats | undefined;
  try {
    stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw fileFailure("Reading the store", path, error);
  }
  if (!stats) return { file: "", written: "" };
  const { dev, ino, mtimeNs, size } = stats;
  return { file: `${dev} ${ino}`, written: `${mtimeNs} ${size}` };
}

function removedError(path: string): WaymarkError {
  return new WaymarkError(
    "store_removed",
    `The store ${path} was removed while it was open. Put it back, or write again in a moment to ` +
      "start a new one.",
  );
}

function isReplaced(error: unknown): boolean {
  return error instanceof WaymarkError && error.code === "store_replaced";
}
