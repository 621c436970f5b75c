import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { WaymarkError } from "../../core/error.ts";
import { busyError, fileFailure } from "../storage/failure.ts";
import { ensureDirectory, ensureFile } from "../storage/files.ts";
import { lostError, tracesOf } from "../storage/lost-store.ts";
import {
  latestVersion,
  pendingMigrations,
  refuseNewer,
  refuseOlder,
} from "../storage/migrations.ts";
import { BUSY, type Queue } from "../storage/queue.ts";
import { beginReading, type Database, type Driver, type DriverName } from "./driver.ts";
import { sqliteFailure } from "./failure.ts";
import { isBusy } from "./result-code.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";

/** Retries while another process has the file locked. Readers and writers exclude each other. */
export async function retryWhileBusy<T>(path: string, limit: number, work: () => T): Promise<T> {
  const start = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw sqliteFailure(path, error);
      const waited = performance.now() - start;
      if (waited >= limit) throw busyError(path, waited);
    }
    await setTimeout(Math.random() * Math.min(tries, 8));
  }
}

/**
 * Retries only the commit while other processes read. Repeating the whole transaction might never
 * end; once a commit was tried, SQLite admits no new readers.
 */
export async function commitWithRetry(path: string, limit: number, commit: () => void) {
  const start = performance.now();
  for (;;) {
    try {
      commit();
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      const waited = performance.now() - start;
      if (waited >= limit) throw busyError(path, waited);
    }
    await setTimeout(1);
  }
}

/**
 * The settings of every connection. The journal is a rollback journal, never WAL: SQLite before
 * 3.51.3 can lose committed pages when a checkpoint meets a writer, libsql 0.5 bundles 3.45, and the
 * journal mode belongs to the file, which builds with and without the bug may share. PERSIST avoids
 * the truncation that TRUNCATE costs with every commit.
 */
function configure(db: Database, path: string): void {
  db.exec("PRAGMA synchronous = FULL");
  db.exec("PRAGMA journal_mode = PERSIST");
  const mode = readValue(db, "PRAGMA journal_mode", "journal_mode");
  if (mode !== "persist")
    throw new WaymarkError(
      "store_failed",
      `The store ${path} stays in journal mode "${mode}", in which commits can be lost. Close every ` +
        "other program that has it open and try again.",
    );
  db.exec("PRAGMA journal_size_limit = 1048576");
}

function readValue(db: Database, sql: string, column: string): unknown {
  return db.prepare(sql).all()[0]?.[column];
}

/** The schema version of the file; 0 for a new one. Throws for a file that this Waymark cannot use. */
function schemaOf(db: Database, path: string): number {
  const schema = schemaReader(db)();
  refuseNewer(MIGRATIONS, schema, path);
  const owner = readValue(db, "PRAGMA application_id", "application_id");
  const tables = Number(readValue(db, "SELECT count(*) AS tables FROM sqlite_schema", "tables"));
  if (owner !== APPLICATION_ID && (schema > 0 || tables > 0))
    throw new WaymarkError(
      "foreign_store",
      `The file ${path} is a database of another program. It was not changed. Use another file.`,
    );
  refuseOlder(MIGRATIONS, schema, path);
  return schema;
}

export function schemaReader(db: Database): () => number {
  const statement = db.prepare("PRAGMA user_version");
  return () => Number(statement.get()?.user_version);
}

interface Found {
  readonly schema: number;
  readonly lists: boolean;
  readonly tasks: boolean;
}

function inspect(db: Database, path: string): Found {
  beginReading(db);
  try {
    const schema = schemaOf(db, path);
    const has = (table: string) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
    return { schema, lists: schema > 0 && has("tracks"), tasks: schema > 0 && has("tasks") };
  } finally {
    db.exec("ROLLBACK");
  }
}

/**
 * Refuses an empty store if traces of lists or tasks are left beside it. Traces are written after a
 * commit, which another process may just have made, so the store is inspected again after them.
 */
async function inspectWithRetry(db: Database, path: string, limit: number, startEmpty: boolean) {
  const inspectNow = () => retryWhileBusy(path, limit, () => inspect(db, path));
  const found = await inspectNow();
  if (found.lists || startEmpty) return found;
  const traces = tracesOf(path);
  if (!traces) return found;
  const again = await inspectNow();
  const isLost = !again.lists && (traces.lists > 0 || !again.tasks);
  if (isLost) throw lostError(path, traces);
  return again;
}

async function migrate(db: Database, path: string, limit: number) {
  // A referenced table can be recreated only while foreign keys are off. The setting has no effect
  // inside a transaction.
  db.exec("PRAGMA foreign_keys = OFF");
  try {
    return await runMigrations(db, path, limit);
  } finally {
    db.exec("PRAGMA foreign_keys = ON");
  }
}

async function runMigrations(db: Database, path: string, limit: number) {
  try {
    db.exec("BEGIN IMMEDIATE");
  } catch (error) {
    if (isBusy(error)) return BUSY;
    throw error;
  }
  try {
    // Another process may have migrated while this one waited.
    const schema = schemaOf(db, path);
    for (const { sql } of pendingMigrations(MIGRATIONS, schema)) db.exec(sql);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec(`PRAGMA user_version = ${latestVersion(MIGRATIONS)}`);
    await commitWithRetry(path, limit, () => db.exec("COMMIT"));
    return undefined;
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

export interface OpenOptions {
  /** How long to wait for other processes, in milliseconds. */
  readonly limit: number;
  /** Accept an empty store even if an earlier one left traces. */
  readonly startEmpty?: boolean | undefined;
  /** Create the directory of the file if it does not exist. */
  readonly createDirectory?: boolean | undefined;
}

/**
 * Creates directory, file and schema as needed, and connects. A file of another program is not
 * changed. All of it uses one connection: libsql releases a closed one only when its statements are
 * garbage-collected, and until then the file cannot leave WAL mode.
 */
export async function openDatabase(
  driver: Driver,
  path: string,
  queue: Queue,
  { limit, startEmpty = false, createDirectory = false }: OpenOptions,
): Promise<{ readonly db: Database; readonly isNew: boolean }> {
  const isNew = !existsSync(path);
  const traces = isNew && !startEmpty ? tracesOf(path) : undefined;
  if (traces) throw lostError(path, traces);
  try {
    if (createDirectory) ensureDirectory(dirname(path));
    else requireDirectory(dirname(path));
    ensureFile(path);
  } catch (error) {
    throw fileFailure("Opening the store", path, error);
  }
  requireSameDriver(path, driver.name);
  const db = await retryWhileBusy(path, limit, () => driver.open(path));
  try {
    const { schema } = await inspectWithRetry(db, path, limit, startEmpty);
    await retryWhileBusy(path, limit, () => configure(db, path));
    if (schema === latestVersion(MIGRATIONS)) return { db, isNew };
    if ((await queue.turn(() => migrate(db, path, limit))) === BUSY) throw busyError(path, limit);
    return { db, isNew };
  } catch (error) {
    db.close();
    throw sqliteFailure(path, error);
  }
}

function requireDirectory(dir: string): void {
  if (existsSync(dir)) return;
  throw new WaymarkError(
    "no_directory",
    `The directory ${dir} does not exist. Create it, or open the store with { createDirectory: true }.`,
  );
}

const OPEN = Symbol.for("waymark.sqlite.open");

/** Shared by all copies of this module in the process. */
function driverByFile(): Map<string, DriverName> {
  const shared = globalThis as { [OPEN]?: Map<string, DriverName> };
  shared[OPEN] ??= new Map();
  return shared[OPEN];
}

/**
 * Refuses a second driver for a file that this process has opened: each would release the locks of the
 * other, and libsql may release a file long after it was closed.
 */
function requireSameDriver(path: string, driver: DriverName): void {
  const files = driverByFile();
  const name = realpathSync(path);
  const other = files.get(name) ?? driver;
  if (other !== driver)
    throw new WaymarkError(
      "two_drivers",
      `The store ${path} was opened in this process through "${other}" and cannot be opened through ` +
        `"${driver}" as well. Use one driver.`,
    );
  files.set(name, driver);
}
