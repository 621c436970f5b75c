import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NativeConstructor, NativeDatabase, Value } from "./driver.ts";

/** The version whose native functions are known. */
export const LIBSQL_VERSION = "0.5.29";

type Handle = object;
type Result = ReturnType<ReturnType<NativeDatabase["prepare"]>["run"]>;

/** The native functions of libsql that the driver needs; `this` is a database, a statement or its rows. */
interface Functions {
  databaseOpen(
    path: string,
    token: string,
    cipher: string,
    key: string,
    timeout: number,
    remoteKey: string,
  ): Handle;
  databaseExecSync(this: Handle, sql: string): void;
  databasePrepareSync(this: Handle, sql: string): Handle;
  databaseClose(this: Handle): void;
  statementRun(this: Handle, values: readonly Value[]): Result;
  statementGet(this: Handle, values: readonly Value[]): unknown;
  statementRowsSync(this: Handle, values: readonly Value[]): Handle;
  /** Fills the array with the next rows. */
  rowsNext(this: Handle, rows: unknown[]): void;
}

/**
 * Loads the native part of libsql without the JavaScript of the package, which loads modules that take longer than everything
 * else a command does. Undefined if it is not found where npm installs it, or is another version: the package has to be imported.
 */
export function loadNative(): NativeConstructor | undefined {
  const target = nativeTarget();
  try {
    const file = target && findNative(target);
    if (!file) return undefined;
    const module = { exports: {} };
    process.dlopen(module, file);
    return constructorOf(module.exports as Functions);
  } catch {
    return undefined;
  }
}

function nativeTarget(): string | undefined {
  const { platform, arch } = process;
  if (arch !== "x64" && arch !== "arm64") return undefined;
  if (platform === "darwin") return `darwin-${arch}`;
  if (platform === "win32" && arch === "x64") return "win32-x64-msvc";
  return platform === "linux" && hasGlibc() ? `linux-${arch}-gnu` : undefined;
}

function hasGlibc(): boolean {
  try {
    return readFileSync("/usr/bin/ldd", "latin1").includes("GNU C Library");
  } catch {
    return false;
  }
}

/** As Node finds the package, and the package its native part. */
function findNative(target: string): string | undefined {
  const description = findInstalled(import.meta.dirname, "libsql/package.json");
  if (description === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(description, "utf8")) as { version?: unknown };
  if (version !== LIBSQL_VERSION) return undefined;
  return findInstalled(dirname(description), `@libsql/${target}/index.node`);
}

function findInstalled(from: string, path: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    try {
      return realpathSync(join(at, "node_modules", path));
    } catch {
      if (dirname(at) === at) return undefined;
    }
  }
}

const ROWS_AT_ONCE = 100;

function constructorOf(native: Functions): NativeConstructor {
  return class implements NativeDatabase {
    readonly #db: Handle;
    constructor(path: string, { timeout }: { timeout: number }) {
      this.#db = native.databaseOpen(path, "", "aes256cbc", "", timeout, "");
    }
    exec(sql: string): void {
      native.databaseExecSync.call(this.#db, sql);
    }
    close(): void {
      native.databaseClose.call(this.#db);
    }
    prepare(sql: string) {
      const statement = native.databasePrepareSync.call(this.#db, sql);
      return {
        run: (...values: Value[]) => native.statementRun.call(statement, values),
        get: (...values: Value[]) => native.statementGet.call(statement, values),
        all(...values: Value[]) {
          const cursor = native.statementRowsSync.call(statement, values);
          const found: unknown[] = [];
          for (;;) {
            const rows: unknown[] = Array(ROWS_AT_ONCE);
            native.rowsNext.call(cursor, rows);
            const end = rows.findIndex((row) => !row);
            found.push(...(end === -1 ? rows : rows.slice(0, end)));
            if (end !== -1) return found;
          }
        },
      };
    }
  };
}
