/**
 * engines/sqlite: SQLite for stores and tasks. `driver` is one interface over node:sqlite and libsql,
 * `open` retries and migrates, `failure` maps result codes to errors, `shared-file` lets many processes
 * write one database.
 */
import { errorMessage, WaymarkError } from "../../core/error.ts";

export type DriverName = "node" | "libsql";
export type Value = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

export interface Statement {
  all(...values: Value[]): Row[];
  /** The first row; of libsql with a field more. Cheaper than all of them where there is one only. */
  get(...values: Value[]): Row | undefined;
  run(...values: Value[]): { readonly changes: number; readonly lastRow: number };
}

/**
 * The little of SQLite that is needed, the same from either driver. Everything blocks.
 *
 * Only `exec` may meet a lock of another process: libsql does not reset a prepared statement that
 * failed as busy, and as long as it lives every later reading keeps its lock on the file. So who
 * reads begins with `beginReading`, and who writes with `exec("BEGIN IMMEDIATE")`.
 */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** Takes the read lock. Until the transaction ends, nothing that only reads can be busy. */
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
  /** Of the SQLite inside. */
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

interface NativeDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): NativeStatement;
  close(): unknown;
}

type NativeConstructor = new (path: string, options: { timeout: number }) => NativeDatabase;

function driverOf(name: DriverName, Native: NativeConstructor): Driver {
  const open = (path: string): Database => {
    // Waiting for a lock is the queue's work: the driver would block the whole process.
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
  const memory = open(":memory:");
  const version = String(memory.prepare("SELECT sqlite_version() AS version").all()[0]?.version);
  memory.close();
  return { name, version, open };
}

/** Loads the SQLite of Node itself, where the running Node has one. */
function nodeDriver(): Driver | undefined {
  const emitWarning = process.emitWarning;
  // Loading it announces that the interface may still change, on every start of every program.
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
 * To find out which C library this system has, libsql first has the whole state of the process
 * written down. The answer "unknown" makes it look at the files of the system, which is all it takes;
 * who asks again gets the true one.
 */
function withoutFirstReport<T>(load: () => Promise<T>): Promise<T> {
  const { report } = process;
  if (!report) return load();
  const { getReport } = report;
  const given = { header: {} } as ReturnType<typeof getReport>;
  report.getReport = () => {
    report.getReport = getReport;
    return given;
  };
  return load().finally(() => {
    report.getReport = getReport;
  });
}

async function libsqlDriver(): Promise<Driver> {
  const { default: Libsql } = await withoutFirstReport(() => import("libsql"));
  return driverOf("libsql", Libsql as unknown as NativeConstructor);
}

let loaded: Promise<Driver> | undefined;

/**
 * The SQLite of this process: Node's own, else libsql. A process never works on a file with both:
 * each copy of SQLite in a process undoes the file locks of the other.
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
    `WAYMARK_SQLITE_DRIVER is "${name}". Set it to "node" or "libsql", or leave it out.`,
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
    `Node ${process.versions.node} has no SQLite of its own. Use Node 22.13 or newer, or the driver "libsql".`,
  );
}

async function onlyLibsql(): Promise<Driver> {
  try {
    return await libsqlDriver();
  } catch (cause) {
    throw new WaymarkError(
      "no_sqlite",
      `No SQLite for Node ${process.versions.node}: the optional package "libsql" does not load ` +
        `(${errorMessage(cause)}). Use Node 22.13 or newer, or install libsql.`,
      { cause },
    );
  }
}
