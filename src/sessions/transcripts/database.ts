import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type zlib from "node:zlib";
import type { DatabaseFormat, Decoder } from "../../agents/agent.ts";
import { errorMessage } from "../../core/error.ts";
import { fields } from "../../core/values.ts";
import { beginReading, type Database, type Driver } from "../../engines/sqlite/driver.ts";
import { isBusy, RESULT, resultCode } from "../../engines/sqlite/result-code.ts";
import type { FoundSource } from "./discover.ts";
import { foldState } from "./documents.ts";
import { failed, type Indexed, indexed, isCurrent, newFold, type ReadOptions } from "./fold.ts";
import { START } from "./scan/tail.ts";

export interface DatabaseOptions extends ReadOptions {
  /** Read the whole history, not only the current state. */
  readonly history?: boolean;
}

/** Reads an agent's database. Writes nothing to it or beside it. */
export function readDatabase(
  found: FoundSource,
  known: Indexed | undefined,
  dialect: Decoder,
  driver: Driver,
  options: DatabaseOptions = {},
): Indexed {
  if (known && isCurrent(known, found)) return known;
  const shape = dialect.database;
  const state = known && !options.history ? shape?.resume?.(known.state) : undefined;
  const fold = newFold(found, dialect, options, state && { state, lives: {} });
  if (!shape) return indexed(found, fold, START);
  try {
    const queries = (options.history && shape.history) || shape.queries;
    const rows = databaseRows(driver, found.path, queries, shape.optional);
    const events = shape
      .records(unpacked(rows, shape.zstd))
      .flatMap((record, place) => fold.reader.record(record, place + 1));
    if (options.history) fold.apply(events);
    else foldState(fold, events, known);
    return indexed(found, fold, START);
  } catch (error) {
    // Keeps what was known; the next read may succeed.
    const problem = reasonOf(error);
    return known ? { ...known, problem } : failed(found, fold, problem);
  }
}

/** The longest text that is decompressed. */
const MAX_UNPACKED = 8 * 1024 * 1024;

/** Replaces compressed columns by their texts. A text that cannot be read is left out. */
export function unpacked(
  rows: Readonly<Record<string, readonly unknown[]>>,
  columns: readonly string[] = [],
): Readonly<Record<string, readonly unknown[]>> {
  if (columns.length === 0) return rows;
  // Loaded on demand: `node:zlib` pulls in the stream modules. It has the function since Node 22.15.
  const { zstdDecompressSync } = process.getBuiltinModule("node:zlib") as {
    readonly zstdDecompressSync?: typeof zlib.gunzipSync;
  };
  const textOf = (value: unknown): string | undefined => {
    if (!zstdDecompressSync || !(value instanceof Uint8Array)) return undefined;
    try {
      return zstdDecompressSync(value, { maxOutputLength: MAX_UNPACKED }).toString("utf8");
    } catch {
      return undefined;
    }
  };
  const unpack = (row: unknown): unknown => {
    const given = fields(row);
    if (!given || !columns.some((name) => given[name] != null)) return row;
    return { ...given, ...Object.fromEntries(columns.map((name) => [name, textOf(given[name])])) };
  };
  return Object.fromEntries(Object.entries(rows).map(([name, all]) => [name, all.map(unpack)]));
}

const LOCKED = "the database is locked by another program";
const CHANGING = "it changes faster than it can be read";

/** Whether a database that could not be read may be readable a moment later. */
export function isTransient(problem: string | undefined): boolean {
  return problem === LOCKED || problem === CHANGING;
}

const TRIES = 3;

/** The rows of queries on a database that an agent may have open. Queries with `?` get the values. */
export function databaseRows(
  driver: Driver,
  path: string,
  queries: DatabaseFormat["queries"],
  optional: DatabaseFormat["optional"],
  values: readonly string[] = [],
): Record<string, readonly unknown[]> {
  for (let attempt = 1; ; attempt++) {
    const before = filesOf(path);
    const read = (file: string, mode: string) => {
      const db = driver.open(`${pathToFileURL(file).href}?${mode}`);
      try {
        return ask(db, queries, optional, values);
      } finally {
        db.close();
      }
    };
    if (before.log === 0 && before.journal === 0) {
      // Reads without a lock, so the file must not change meanwhile.
      const rows = attemptTo(() => read(path, "immutable=1&mode=ro"));
      if (filesOf(path).version === before.version) return rows();
      if (attempt >= TRIES) throw new Error(CHANGING);
    } else if (before.shared || before.journal > 0) return read(path, "mode=ro");
    else return onCopy(path, (copy) => read(copy, "mode=rw"));
  }
}

/** Defers the error: it does not count if the file changed meanwhile. */
function attemptTo<T>(work: () => T): () => T {
  try {
    const value = work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The files of a database, which say how it can be read. */
function filesOf(path: string) {
  const stat = (file: string) => statSync(file, { throwIfNoEntry: false });
  const file = statSync(path);
  const log = stat(`${path}-wal`)?.size ?? 0;
  return {
    log,
    journal: stat(`${path}-journal`)?.size ?? 0,
    /** Another program has it open, so its WAL index exists and need not be created. */
    shared: stat(`${path}-shm`) !== undefined,
    version: `${file.size}.${file.mtimeMs}.${log}`,
  };
}

/** Reads a copy: opening a WAL that no program has open would recover it, which changes the files. */
function onCopy<T>(path: string, read: (copy: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "waymark-"));
  try {
    const copy = join(folder, "copy.db");
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    return read(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ask(
  db: Database,
  queries: DatabaseFormat["queries"],
  optional: DatabaseFormat["optional"] = [],
  values: readonly string[] = [],
): Record<string, readonly unknown[]> {
  beginReading(db);
  const rows = (name: string, sql: string): readonly unknown[] => {
    try {
      return db.prepare(sql).all(...(sql.includes("?") ? values : []));
    } catch (error) {
      if (optional.includes(name) && MISSING.test(errorMessage(error))) return [];
      throw error;
    }
  };
  try {
    return Object.fromEntries(
      Object.entries(queries).map(([name, sql]) => [name, rows(name, sql)]),
    );
  } finally {
    db.exec("ROLLBACK");
  }
}

const MISSING = /no such (table|column): (\S+)/;

function reasonOf(error: unknown): string {
  const message = errorMessage(error);
  if (isBusy(error)) return LOCKED;
  const missing = MISSING.exec(message);
  if (missing) return `the database is of another version: it has no ${missing[1]} ${missing[2]}`;
  const code = resultCode(error);
  if (code === RESULT.notADatabase || code === RESULT.corrupt)
    return "the file is damaged or not a database";
  return message;
}
