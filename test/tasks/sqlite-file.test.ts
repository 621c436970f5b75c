import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ClockReading, readClock, timeSince } from "../../src/engines/sqlite/clock.ts";
import { type Database, loadDriver, type Value } from "../../src/engines/sqlite/driver.ts";
import { MIGRATIONS } from "../../src/engines/sqlite/schema.ts";
import { latestVersion } from "../../src/engines/storage/migrations.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { TaskSender } from "../../src/tasks/model.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { COUNTS, claimStatement, listQuery, readyQuery } from "../../src/tasks/sqlite-rows.ts";
import type { TaskFilter, TaskStore } from "../../src/tasks/store.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { withNextMigration } from "../storage/next-migration.ts";
import { closing, temporaryDirectory } from "../stores/temporary-directory.ts";

const SENDER: TaskSender = { by: "user", via: "test" };

async function raw(path: string) {
  const db = (await loadDriver()).open(path);
  onTestFinished(() => db.close());
  return db;
}

async function opened(path: string): Promise<TaskStore> {
  const store = await sqliteTaskStore(path, { createDirectory: true });
  onTestFinished(() => store.close());
  return store;
}

/** The steps of a query plan that search tasks. */
function tasksSought(db: Database, query: { sql: string; values: readonly Value[] }): string[] {
  return db
    .prepare(`EXPLAIN QUERY PLAN ${query.sql}`)
    .all(...query.values)
    .map(({ detail }) => String(detail))
    .filter((step) => /^(SCAN|SEARCH) tasks\b/.test(step));
}

/** Statements that copy tables into new ones of the same name, with their indexes. */
function rebuilt(db: Database, tables: readonly string[]): string {
  const columnOf = (query: string, table: string) =>
    db
      .prepare(query)
      .all(table)
      .map(({ sql }) => String(sql));
  const copies = tables.flatMap((table) => {
    const [create = ""] = columnOf("SELECT sql FROM sqlite_schema WHERE name = ?", table);
    const indexes = columnOf(
      "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?",
      table,
    );
    return [
      create.replace(`"${table}"`, `${table}_copy`),
      `INSERT INTO ${table}_copy SELECT * FROM ${table}`,
      `DROP TABLE ${table}`,
      `ALTER TABLE ${table}_copy RENAME TO ${table}`,
      ...indexes,
    ];
  });
  return copies.join(";\n");
}

const add = (subject: string, more: object = {}) =>
  ({ op: "add", tasks: [{ subject, ...more }] }) as const;

describe("the SQLite file of tasks", () => {
  it("has the golden schema", async () => {
    const path = join(temporaryDirectory(), "waymark.db");
    await (await sqliteTaskStore(path, { createDirectory: true })).close();
    const db = await raw(path);
    const rows = db
      .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name")
      .all();
    const text = rows.map(({ sql }) => `${sql};`).join("\n");
    await expect(`${text}\n`).toMatchFileSnapshot("goldens/sqlite-schema.sql");
    expect(db.prepare("PRAGMA foreign_key_check").all()).toStrictEqual([]);
  });

  it("opens a file of the last version before the first release", async () => {
    const path = join(temporaryDirectory(), "waymark.db");
    const db = await raw(path);
    db.exec(readFileSync("test/tasks/fixtures/sqlite-schema-3.sql", "utf8"));
    const schema = () =>
      db
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name")
        .all()
        .map(({ sql }) => `${String(sql).replace(/\n +/g, "\n")};`)
        .join("\n");
    const golden = readFileSync("test/tasks/goldens/sqlite-schema.sql", "utf8").replace(
      /\n +/g,
      "\n",
    );
    const added = (sql: string) => /\bqueue\b|tasks_(delayed|deadline)/.test(sql);
    const released = golden
      .replace(/, check_name TEXT, proof TEXT.*(?=\);)/, "")
      .replace("tasks_open ON tasks (delayed, ", "tasks_open ON tasks (")
      .split(/(?<=;\n)/)
      .filter((sql) => !added(sql));
    expect(`${schema()}\n`).toBe(released.join(""));
    const tasks = await opened(path);
    const lists = closing(await sqliteStore(path));
    expect(await tasks.list()).toMatchObject([
      { id: "t1", subject: "Parent", status: "open" },
      { id: "t2", subject: "Child", parent: "t1", labels: ["api"], ref: "r2", status: "done" },
      { id: "t3", subject: "Waits", blockedBy: ["t1"], status: "open" },
      { id: "t4", subject: "Claimed", status: "claimed", owner: "ann", epoch: 1 },
    ]);
    expect((await tasks.events({ task: "t2" })).map(({ type }) => type)).toStrictEqual([
      "added",
      "claimed",
      "done",
    ]);
    const track = { session: "s", agent: "main" };
    expect((await lists.read(track)).todos.map(({ text }) => text)).toStrictEqual(["One", "Two"]);
    expect((await lists.events(track)).map(({ key }) => key)).toStrictEqual(["k1", "k2"]);
    await lists.commit(track, "k3", addTodo("k3", "Three"));
    const later = { check: "test", notBefore: Date.now() + 3_600_000 };
    const next = await tasks.apply(add("Next", later), SENDER);
    expect(next).toMatchObject({ ok: true, tasks: [{ id: "t5", ...later }] });
    expect((await tasks.ready()).map(({ id }) => id)).toStrictEqual(["t1"]);
    expect(await tasks.queue()).toStrictEqual({});
    expect((await lists.read(track)).todos).toHaveLength(3);
    expect(`${schema()}\n`).toBe(golden);
    expect(db.prepare("PRAGMA user_version").all()).toEqual([{ user_version: 5 }]);
  });

  it.each([1, 2])("refuses schema %i, which was never released, unchanged", async (version) => {
    const path = join(temporaryDirectory(), "waymark.db");
    await (await sqliteTaskStore(path)).close();
    const db = await raw(path);
    db.exec(`PRAGMA user_version = ${version}`);
    const before = readFileSync(path);
    await expect(sqliteTaskStore(path)).rejects.toMatchObject({ code: "older_store" });
    await expect(sqliteStore(path)).rejects.toMatchObject({ code: "older_store" });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("keeps every task, event and edge when a migration rebuilds its tables", async () => {
    const path = join(temporaryDirectory(), "waymark.db");
    await (await sqliteTaskStore(path)).close();
    const db = await raw(path);
    const columns = "subject, priority, labels, blocked_by, evidence, metadata, epoch, attempts";
    const rest = "status, parent, blockers, max_attempts, ref, created_at, updated_at";
    db.exec(`INSERT INTO tasks (num, ${columns}, ${rest}) VALUES
      (3, 'child', 1, '["a"]', '[]', '[]', '{}', 0, 0, 'open', 7, 0, 3, NULL, 10, 10),
      (5, 'waits', 2, '[]', '[7]', '[]', '{}', 0, 0, 'open', NULL, 1, 3, 'r5', 10, 10),
      (7, 'parent', 2, '[]', '[]', '["seen"]', '{"k":1}', 0, 0, 'failed', NULL, 0, 3, NULL, 10, 10);
      INSERT INTO task_blockers VALUES (5, 7);
      INSERT INTO task_events (seq, at, type, task, sent_by, via, key, part, fields)
        VALUES (4, 10, 'added', 3, 'user', 'test', 'k1', 0, '{"subject":"child"}')`);
    const everything = () =>
      ["tasks", "task_blockers", "task_events"].map((table) =>
        db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all(),
      );
    const before = everything();
    await withNextMigration(MIGRATIONS, rebuilt(db, ["tasks", "task_events"]), async (version) => {
      const store = await opened(path);
      expect(db.prepare("PRAGMA user_version").all()).toEqual([{ user_version: version }]);
      expect(everything()).toStrictEqual(before);
      expect(db.prepare("PRAGMA foreign_key_check").all()).toStrictEqual([]);
      expect(db.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
      const added = await store.apply(add("next", { ref: "r5" }), SENDER);
      expect(added).toMatchObject({ tasks: [{ id: "t5" }] });
      const next = await store.apply(add("next"), SENDER);
      expect(next).toMatchObject({ tasks: [{ id: "t8" }], seq: 5 });
      expect(() => db.exec("UPDATE tasks SET ref = 'r5' WHERE num = 8")).toThrow(/UNIQUE/);
      expect(() => db.exec("UPDATE task_events SET task = 99 WHERE seq = 5")).toThrow(
        /FOREIGN KEY/,
      );
    });
  });

  it("is created once by concurrent openers", async () => {
    const path = join(temporaryDirectory(), "deep", "waymark.db");
    const stores = await Promise.all(
      Array.from({ length: 12 }, async (_, n) =>
        n % 2 ? opened(path) : sqliteStore(path, { createDirectory: true }),
      ),
    );
    onTestFinished(async () => {
      for (const store of stores) await store.close();
    });
    const db = await raw(path);
    expect(db.prepare("PRAGMA user_version").all()).toEqual([
      { user_version: latestVersion(MIGRATIONS) },
    ]);
  });

  it("finds ready tasks by an index", async () => {
    const path = join(temporaryDirectory(), "waymark.db");
    const store = await opened(path);
    await store.apply(add("one"), SENDER);
    const db = await raw(path);
    expect(tasksSought(db, readyQuery(undefined, 5, 0))).toStrictEqual([
      "SEARCH tasks USING COVERING INDEX tasks_open (delayed=? AND blockers=?)",
      "SEARCH tasks USING INDEX tasks_leases (lease_until<?)",
      "SEARCH tasks USING INDEX tasks_delayed (not_before<?)",
    ]);
  });

  it.each<[TaskFilter, string[]]>([
    [
      { status: "open" },
      [
        "SEARCH tasks USING INTEGER PRIMARY KEY (rowid=?)",
        "SCAN tasks USING COVERING INDEX tasks_open",
        "SEARCH tasks USING INDEX tasks_leases (lease_until<?)",
      ],
    ],
    [
      { status: "claimed" },
      [
        "SEARCH tasks USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH tasks USING COVERING INDEX tasks_leases (lease_until>?)",
      ],
    ],
    [
      { status: "failed", label: "a" },
      [
        "SEARCH tasks USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH tasks USING COVERING INDEX tasks_closed (status=?)",
        "SEARCH tasks USING INDEX tasks_leases (lease_until<?)",
      ],
    ],
    [
      { status: "done" },
      [
        "SEARCH tasks USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH tasks USING COVERING INDEX tasks_closed (status=?)",
      ],
    ],
    [{ owner: "ann" }, ["SEARCH tasks USING INDEX tasks_owner (owner=?)"]],
    [{ owner: "ann", status: "claimed" }, ["SEARCH tasks USING INDEX tasks_owner (owner=?)"]],
    [{ parent: "t1", status: "open" }, ["SEARCH tasks USING INDEX tasks_parent (parent=?)"]],
    [{ blockedBy: "t1" }, ["SEARCH tasks USING INTEGER PRIMARY KEY (rowid=?)"]],
  ])("lists %j by an index", async (filter, expected) => {
    const path = join(temporaryDirectory(), "waymark.db");
    await opened(path);
    expect(tasksSought(await raw(path), listQuery(filter, 0))).toStrictEqual(expected);
  });

  it("counts by indexes alone", async () => {
    const path = join(temporaryDirectory(), "waymark.db");
    await opened(path);
    expect(tasksSought(await raw(path), { sql: COUNTS, values: [] })).toStrictEqual([
      "SCAN tasks USING COVERING INDEX tasks_open",
      "SCAN tasks USING COVERING INDEX tasks_leases",
      "SEARCH tasks USING COVERING INDEX tasks_closed (status=?)",
    ]);
  });

  it("claims by number, without scanning all tasks of a status", async () => {
    const path = join(temporaryDirectory(), "waymark.db");
    const store = await opened(path);
    await store.apply(add("one"), SENDER);
    const db = await raw(path);
    const { sql, values } = readyQuery(undefined, 1, 0);
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${claimStatement(sql)}`)
      .all("ann", 1, 1, 1, 1, ...values, 0, 0)
      .map(({ detail }) => String(detail));
    expect(plan[0]).toBe("SEARCH tasks USING INTEGER PRIMARY KEY (rowid=?)");
    expect(plan.join("\n")).not.toContain("tasks_closed");
  });

  it("counts open blockers correctly after any change", async () => {
    const path = join(temporaryDirectory(), "waymark.db");
    const store = await opened(path);
    await store.apply(add("a"), SENDER);
    await store.apply(add("b", { status: "done" }), SENDER);
    await store.apply(add("c", { blockedBy: ["t1", "t2"] }), SENDER);
    const db = await raw(path);
    const blockers = () =>
      db.prepare("SELECT blockers FROM tasks WHERE num = 3").all()[0]?.blockers;
    expect(blockers()).toBe(1);
    await store.apply({ op: "reopen", id: "t2" }, SENDER);
    expect(blockers()).toBe(2);
    const held = [{ id: "t1" }, { id: "t2" }];
    await store.apply({ op: "finish", owner: "x", held, force: true }, SENDER);
    expect(blockers()).toBe(0);
    await store.apply({ op: "reopen", id: "t1" }, SENDER);
    await store.apply({ op: "edit", id: "t3", set: { removeBlockedBy: ["t1"] } }, SENDER);
    expect(blockers()).toBe(0);
  });
});

describe("the time of a SQLite file", () => {
  const anchor: ClockReading = { boot: "b", ran: 1_000, up: 5_000, wall: 1_700_000_000_000 };
  const later = (ms: number, more: Partial<ClockReading> = {}): ClockReading => ({
    ...anchor,
    ran: anchor.ran + ms,
    up: anchor.up + ms,
    wall: anchor.wall + ms,
    ...more,
  });

  it("follows the monotonic clock, whatever the clock of a process says", {
    tags: ["clock-jump"],
  }, () => {
    for (const off of [0, 86_400_000, -86_400_000, 1e12]) {
      const reading = later(2_500, { wall: anchor.wall + off });
      expect(timeSince(anchor, reading)).toBe(anchor.wall + 2_500);
    }
  });

  it("is set again after a reboot and after sleep", { tags: ["sleep-or-reboot"] }, () => {
    expect(timeSince(anchor, later(10, { boot: "c" }))).toBeUndefined();
    expect(timeSince(anchor, later(-10))).toBeUndefined();
    expect(timeSince(anchor, later(10, { up: anchor.up + 3_600_000 }))).toBeUndefined();
    expect(timeSince(anchor, later(10, { up: anchor.up + 2_000 }))).toBe(anchor.wall + 10);
  });

  it("reads the same clock twice", () => {
    const [first, second] = [readClock(), readClock()];
    expect(second.boot).toBe(first.boot);
    expect(second.ran).toBeGreaterThan(first.ran);
    expect(timeSince(first, second)).toBeGreaterThanOrEqual(Math.floor(first.wall));
  });

  it("computes the uptime without checking for sleep each time", () => {
    const first = readClock();
    const quick = Array.from({ length: 3 }, () => readClock(false));
    for (const { ran, up } of quick) expect(up - ran).toBe(first.up - first.ran);
    const { up, ran } = readClock();
    expect(Math.abs(up - ran - (first.up - first.ran))).toBeLessThan(2_000);
  });

  it("expires leases even if it was far ahead before a reboot", {
    tags: ["sleep-or-reboot"],
  }, async () => {
    const path = join(temporaryDirectory(), "waymark.db");
    const store = await opened(path);
    await store.apply(add("a"), SENDER);
    await store.apply({ op: "claim", owner: "ann", lease: 50 }, SENDER);
    const year = 365 * 86_400_000;
    const db = await raw(path);
    db.exec(`UPDATE tasks SET lease_until = lease_until + ${year}`);
    db.exec("UPDATE clock SET boot = 'another'");
    await store.apply(add("b"), SENDER);
    await expect
      .poll(() => store.get("t1"))
      .toMatchObject({ status: "open", lapsed: { owner: "ann" } });
  });
});
