/**
 * engines/sqlite: SQLite for stores and tasks. `driver` is one interface over node:sqlite and libsql,
 * `open` retries and migrates, `failure` maps result codes to errors, `shared-file` lets many processes
 * write one database.
 */
import { errorMessage, WaymarkError } from "../../core/error.ts";
import { loadNative } from "./libsql.ts";

export type DriverName = "node" | "libsql";
export type Value = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

export interface Statement {
  all(...values: Value[]): Row[];
  /** The first row; libsql adds a field to it. Cheaper than `all` for a single row. */
  get(...values: Value[]): Row | undefined;
  run(...values: Value[]): { readonly changes: number; readonly lastRow: number };
}

/**
 * The part of SQLite that Waymark needs, the same for both drivers. All calls block.
 *
 * Only `exec` may meet a lock of another process: libsql does not reset a prepared statement that
 * failed as busy, and while that statement exists, every later read keeps its lock on the file. So a
 * reader calls `beginReading` first, and a writer `exec("BEGIN IMMEDIATE")`.
 */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** Takes the read lock. Until the transaction ends, no read fails as busy. */
export function beginReading(db: Pick<Database, "exec">): void {
  db.exec("BEGIN");
  try {
    db.exec("SELECT 1 FROM sqlite_schema LIMIT 1");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

export interface Driver {
  readonly name: DriverName;
  /** Version of the bundled SQLite. */
  readonly version: string;
  open(path: string): Database;
}

interface NativeStatement {
  all(...values: Value[]): unknown[];
  get(...values: Value[]): unknown;
  run(...values: Value[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
}

export interface NativeDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): NativeStatement;
  close(): unknown;
}

export type NativeConstructor = new (path: string, options: { timeout: number }) => NativeDatabase;

function driverOf(name: DriverName, Native: NativeConstructor): Driver {
  const open = (path: string): Database => {
    // The queue waits for locks: the driver would block the whole process.
    const native = new Native(path, { timeout: 0 });
    return {
      exec: (sql) => void native.exec(sql),
      close: () => void native.close(),
      prepare(sql) {
        const statement = native.prepare(sql);
        return {
          all: (...values) => statement.all(...values) as Row[],
          get: (...values) => statement.get(...values) as Row | undefined,
          run(...values) {
            const { changes, lastInsertRowid } = statement.run(...values);
            return { changes: Number(changes), lastRow: Number(lastInsertRowid) };
          },
        };
      },
    };
  };
  return {
    name,
    get version() {
      const memory = open(":memory:");
      const [row] = memory.prepare("SELECT sqlite_version() AS version").all();
      memory.close();
      return String(row?.version);
    },
    open,
  };
}

/** Loads Node's own SQLite, if this version of Node has it. */
function nodeDriver(): Driver | undefined {
  const emitWarning = process.emitWarning;
  // Loading it prints an ExperimentalWarning on every start.
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    const type = typeof rest[0] === "string" ? rest[0] : (rest[0] as { type?: string })?.type;
    if (type !== "ExperimentalWarning") Reflect.apply(emitWarning, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    const module: unknown = process.getBuiltinModule?.("node:sqlite");
    const { DatabaseSync } = (module ?? {}) as { DatabaseSync?: NativeConstructor };
    return DatabaseSync && driverOf("node", DatabaseSync);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * To detect the C library, libsql first asks for a full diagnostic report of the process, which is
 * slow. An empty report makes it check the file system instead. Later reports are real.
 */
function withoutFirstReport<T>(load: () => Promise<T>): Promise<T> {
  const { report } = process;
  if (!report) return load();
  const { getReport } = report;
  const emptyReport = { header: {} } as ReturnType<typeof getReport>;
  report.getReport = () => {
    report.getReport = getReport;
    return emptyReport;
  };
  return load().finally(() => {
    report.getReport = getReport;
  });
}

async function libsqlDriver(): Promise<Driver> {
  const native = loadNative();
  if (native) return driverOf("libsql", native);
  const { default: Libsql } = await withoutFirstReport(() => import("libsql"));
  return driverOf("libsql", Libsql as unknown as NativeConstructor);
}

let loaded: Promise<Driver> | undefined;

/**
 * The SQLite of this process: Node's own, or else libsql. A process never opens a file with both: each
 * copy of SQLite in a process releases the file locks of the other.
 */
export function loadDriver(wanted?: DriverName): Promise<Driver> {
  const name = wanted ?? namedByEnvironment();
  if (!name) {
    loaded ??= pickDriver();
    return loaded;
  }
  return name === "node" ? onlyNode() : onlyLibsql();
}

function namedByEnvironment(): DriverName | undefined {
  const name = process.env.WAYMARK_SQLITE_DRIVER;
  if (!name) return undefined;
  if (name === "node" || name === "libsql") return name;
  throw new WaymarkError(
    "no_sqlite",
    `Invalid WAYMARK_SQLITE_DRIVER "${name}". Use "node" or "libsql", or unset it.`,
  );
}

async function pickDriver(): Promise<Driver> {
  return nodeDriver() ?? (await onlyLibsql());
}

async function onlyNode(): Promise<Driver> {
  const driver = nodeDriver();
  if (driver) return driver;
  throw new WaymarkError(
    "no_sqlite",
    `Node ${process.versions.node} has no built-in SQLite. Use Node 22.13 or newer, or the driver "libsql".`,
  );
}

async function onlyLibsql(): Promise<Driver> {
  try {
    return await libsqlDriver();
  } catch (cause) {
    throw new WaymarkError(
      "no_sqlite",
      `No SQLite for Node ${process.versions.node}: the optional package "libsql" cannot be loaded ` +
        `(${errorMessage(cause)}). Use Node 22.13 or newer, or install libsql.`,
      { cause },
    );
  }
}
