import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { busyError, closedError, fileFailure } from "../storage/failure.ts";
import { warnOfNetwork } from "../storage/network.ts";
import { BUSY, createQueue } from "../storage/queue.ts";
import { createSweeps, watchNews } from "../storage/sweep.ts";
import type { Warn } from "../storage/warn.ts";
import { beginReading, type Database, type DriverName, loadDriver } from "./driver.ts";
import { isBroken, sqliteFailure } from "./failure.ts";
import { keepLastCommit } from "./last-commit.ts";
import { commitPatiently, connect, openDatabase, patiently, versionReader } from "./open.ts";
import { isBusy } from "./result-code.ts";

export interface SharedFileOptions<R> {
  /** Forces a driver; else WAYMARK_SQLITE_DRIVER, else Node's own, else libsql. */
  readonly driver?: DriverName | undefined;
  /** Milliseconds that a call waits for other processes before it fails as `store_busy`. */
  readonly waitLimit?: number | undefined;
  /** Queue up even when nobody waits: what follows a commit must be done before the next. */
  readonly always?: boolean;
  readonly warn: Warn;
  /** The statements of a connection. */
  prepare(db: Database, path: string): R;
  /** What was remembered of the file may be wrong. */
  forget?(): void;
}

/** What a piece of writing came to. Without events it is rolled back. */
export interface Written<T> {
  readonly answer: T;
  readonly events: number;
  /** The answer is that of an earlier commit, which must be durable before it is given again. */
  readonly again?: boolean;
  /** Called when it is committed, before the place in the queue is given up. */
  settled?(): void;
}

/** How the events of a kind are read in the order of their commits. */
export interface Log<R, E> {
  last(rows: R): number;
  after(rows: R, position: number, limit: number): readonly E[];
  placeOf(event: E): number;
}

/** A SQLite file that any number of processes write to in turn. */
export interface SharedFile<R> {
  readonly path: string;
  reading<T>(work: (rows: R) => T): Promise<T>;
  /** In one exclusive transaction. Calls take effect in their order. */
  writing<T>(work: (rows: R) => Written<T>): Promise<T>;
  /** Reads at once, for the few who know that nobody is in the way; busy is theirs to handle. */
  now<T>(work: (rows: R) => T): T;
  /** Calls back once for every event committed from now on, by whichever process. */
  follow<E>(log: Log<R, E>, listener: (event: E) => void): () => void;
  close(): Promise<void>;
}

const WAIT_LIMIT = 10_000;
const BATCH = 500;
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
  const isNew = !existsSync(path);
  const first = await openDatabase(driver, path, queue, waitLimit);
  // Said once, not with every command: whoever asks later is told by the check-up.
  if (isNew) warnOfNetwork(dirname(path), warn);
  const sweeps = createSweeps(dirname(path), warn);

  interface Connection {
    readonly db: Database;
    readonly rows: R;
    readonly checkVersion: () => number;
  }
  const connectionOf = (db: Database): Connection => ({
    db,
    rows: prepare(db, path),
    checkVersion: versionReader(db, path),
  });
  let connected: Connection | undefined = await patiently(path, waitLimit, () =>
    connectionOf(first),
  );
  let closed = false;
  /** There while a transaction of this object is open: its end may wait for other processes. */
  let ending: Promise<void> | undefined;
  /** Events of it that are written and not yet committed. */
  let uncommitted = 0;
  let lastWriting: Promise<unknown> = Promise.resolve();
  /** What was committed before the first writing of this object is durable. */
  let lastKept = false;

  function keepLast(doubtful: boolean): void {
    try {
      keepLastCommit(path, doubtful);
    } catch (error) {
      throw fileFailure("Writing the store", path, error);
    }
    lastKept = true;
    failed.delete(path);
  }

  function connection(): Connection {
    connected ??= connectionOf(connect(driver, path));
    return connected;
  }

  function assertOpen(): void {
    if (closed) throw closedError(`The store ${path}`);
  }

  /** What a failed connection believes of the file may be wrong: the next call opens a new one. */
  function disconnect(): void {
    options.forget?.();
    connected?.db.close();
    connected = undefined;
  }

  function rollback(reason?: unknown): void {
    try {
      connection().db.exec("ROLLBACK");
      if (isBroken(reason)) disconnect();
    } catch {
      // SQLite has ended the transaction by itself, as it does when the disk fails.
      disconnect();
    }
  }

  function readNow<T>(work: (rows: R) => T): T {
    const { db, rows } = connection();
    beginReading(db);
    try {
      return work(rows);
    } finally {
      db.exec("ROLLBACK");
    }
  }

  async function reading<T>(work: (rows: R) => T): Promise<T> {
    assertOpen();
    return patiently(path, waitLimit, () => {
      assertOpen();
      // Within an open transaction this connection would read what is not committed yet.
      return ending ? ending.then(() => reading(work)) : readNow(work);
    });
  }

  async function attempt<T>(work: (rows: R) => Written<T>) {
    const { db, rows, checkVersion } = connection();
    try {
      db.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (isBusy(error)) return BUSY;
      throw sqliteFailure(path, error);
    }
    let end = (): void => {};
    ending = new Promise((resolve) => {
      end = resolve;
    });
    let written: Written<T>;
    try {
      checkVersion();
      if (!lastKept) keepLast(failed.has(path));
      written = work(rows);
      if (written.events === 0) {
        if (written.again) keepLast(true);
        rollback();
        return written;
      }
      uncommitted = written.events;
      await commitPatiently(path, waitLimit, () => db.exec("COMMIT"));
    } catch (error) {
      options.forget?.();
      lastKept = false;
      failed.add(path);
      rollback(error);
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
    const written = await queue.turn(() => attempt(work));
    if (written === BUSY) throw busyError(path, waitLimit);
    if (written.events > 0) sweeps.now();
    return written.answer;
  }

  /** Where the watched events begin. It blocks: what is committed after the call must be told. */
  function startPosition<E>(log: Log<R, E>): number {
    const start = performance.now();
    for (;;) {
      try {
        if (ending) return log.last(connection().rows) - uncommitted;
        return readNow((rows) => log.last(rows));
      } catch (error) {
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

    follow(log, listener) {
      assertOpen();
      let position = startPosition(log);
      function* news() {
        if (ending) return true;
        try {
          for (;;) {
            const found = readNow((rows) => log.after(rows, position, BATCH));
            for (const event of found) {
              position = log.placeOf(event);
              yield { position, event };
            }
            if (found.length < BATCH) return false;
          }
        } catch (error) {
          if (isBusy(error)) return true;
          throw error;
        }
      }
      return watchNews(sweeps, news, listener, warn);
    },

    async close() {
      closed = true;
      sweeps.close();
      await lastWriting;
      connected?.db.close();
      connected = undefined;
    },
  };
}
