import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as postgres from "../../src/engines/postgres/schema.ts";
import * as sqlite from "../../src/engines/sqlite/schema.ts";
import {
  pendingMigrations,
  refuseNewer,
  refuseOlder,
} from "../../src/engines/storage/migrations.ts";

const LATER = [
  { version: 3, sql: "three" },
  { version: 4, sql: "four" },
];

describe("migrations", () => {
  it.each([
    ["sqlite", sqlite.MIGRATIONS],
    ["postgres", postgres.MIGRATIONS],
  ])("of %s are the files of its sql directory in order", (engine, migrations) => {
    const folder = `src/engines/${engine}/sql`;
    const files = readdirSync(folder)
      .filter((name) => !name.startsWith("000-"))
      .toSorted();
    expect(migrations).toEqual(
      files.map((name) => ({
        version: Number(/^(\d{3})-[a-z-]+\.sql$/.exec(name)?.[1]),
        sql: readFileSync(`${folder}/${name}`, "utf8"),
      })),
    );
    for (const { sql } of migrations) expect(sql).toMatch(/^[\t\n -~]*$/);
  });

  it("are the only sources that define tables, indexes and functions", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.(?:ts|tsx|sql)$/.test(file),
    );
    const defines =
      /\b(?:CREATE|ALTER) (?:OR REPLACE |UNIQUE )?(?:TABLE|INDEX|FUNCTION|SEQUENCE)\b/;
    expect(
      files.filter((file) => defines.test(readFileSync(join("src", file), "utf8"))).toSorted(),
    ).toEqual(
      [
        "postgres/sql/000-migrations.sql",
        "postgres/sql/007-first-release.sql",
        "postgres/sql/008-task-checks.sql",
        "postgres/sql/009-task-queue.sql",
        "sqlite/sql/003-first-release.sql",
        "sqlite/sql/004-task-checks.sql",
        "sqlite/sql/005-task-queue.sql",
      ].map((file) => join("engines", file)),
    );
  });

  it("are all pending in an empty store, and only the later ones in an older store", () => {
    const pending = (version: number) => pendingMigrations(LATER, version).map(({ sql }) => sql);
    expect([0, 3, 4].map(pending)).toEqual([["three", "four"], ["four"], []]);
  });

  it("refuses versions before the first release and versions of a newer program", () => {
    for (const version of [0, 3, 4]) {
      refuseOlder(LATER, version, "here");
      refuseNewer(LATER, version, "here");
    }
    for (const version of [1, 2])
      expect(() => refuseOlder(LATER, version, "here")).toThrow(
        /here has schema [12], .*unreleased/,
      );
    expect(() => refuseNewer(LATER, 5, "here")).toThrow(
      /here has schema 5, but this Waymark supports up to 4/,
    );
  });
});
