import { readFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, test } from "vitest";
import type { NativeConstructor } from "../../src/engines/sqlite/driver.ts";
import { LIBSQL_VERSION, loadNative } from "../../src/engines/sqlite/libsql.ts";
import { resultCode } from "../../src/engines/sqlite/result-code.ts";
import { needs } from "../skipped.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const native = loadNative();
const MISSING = native ? "" : "the native part of libsql is not where npm installs it";

test("knows the native functions of the version that the package depends on", () => {
  const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(optionalDependencies).toEqual({ libsql: LIBSQL_VERSION });
});

describe("libsql without its JavaScript", needs(MISSING), () => {
  /** The answers of a driver to the same calls. */
  function answers(Database: NativeConstructor) {
    const path = join(temporaryDirectory(), "test.db");
    const db = new Database(path, { timeout: 0 });
    db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, size REAL)");
    const insert = db.prepare("INSERT INTO t (name, size) VALUES (?, ?)");
    const inserted = Array.from({ length: 250 }, (_, at) => {
      const done = insert.run(at % 3 === 0 ? null : `name ${at}`, at / 2);
      return [done.changes, done.lastInsertRowid];
    });
    const counts = [0, 1, 99, 100, 101, 250];
    const select = db.prepare("SELECT name, size FROM t ORDER BY id LIMIT ?");
    const failures = [
      () => db.exec("SELECT * FROM missing"),
      () => db.prepare("SELEC"),
      () => db.prepare("INSERT INTO t (id) VALUES (?)").run(1),
      () => new Database(join(path, "below"), { timeout: 0 }),
    ].map((fail) => {
      try {
        fail();
        return "no error";
      } catch (error) {
        return [resultCode(error), error instanceof Error && error.message.replace(path, "")];
      }
    });
    const other = new Database(path, { timeout: 0 });
    db.exec("BEGIN IMMEDIATE");
    let busy: unknown;
    try {
      other.exec("BEGIN IMMEDIATE");
    } catch (error) {
      busy = resultCode(error);
    }
    db.exec("ROLLBACK");
    const found = {
      inserted: inserted.at(-1),
      rows: counts.map((count) => select.all(count)),
      first: Object.entries(select.get(1) ?? {}).filter(([key]) => key !== "_metadata"),
      none: select.get(0),
      failures,
      busy,
    };
    other.close();
    db.close();
    return found;
  }

  test("answers and fails as with it", () => {
    const found = answers(native as NativeConstructor);
    expect(found).toEqual(answers(Libsql as unknown as NativeConstructor));
    expect([found.rows.map((rows) => rows.length), found.busy]).toEqual([
      [0, 1, 99, 100, 101, 250],
      5,
    ]);
  });
});
