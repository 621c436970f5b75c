import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ClockReading, readClock, timeSince } from "../../src/sqlite/clock.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { APPLICATION_ID, MIGRATIONS } from "../../src/sqlite/schema.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { TaskSender } from "../../src/tasks/model.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { claimStatement, readyQuery } from "../../src/tasks/sqlite-rows.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { adds } from "../../src/testing/judges.ts";
import { closing, temporaryPlace } from "../stores/place.ts";

const SENDER: TaskSender = { by: "user", via: "test" };

async function raw(path: string) {
  const db = (await loadDriver()).open(path);
  onTestFinished(() => db.close());
  return db;
}

async function opened(path: string): Promise<TaskStore> {
  const store = await sqliteTaskStore(path);
  onTestFinished(() => store.close());
  return store;
}

const add = (subject: string, more: object = {}) =>
  ({ op: "add", tasks: [{ subject, ...more }] }) as const;

describe("the SQLite file of tasks", () => {
  it("has the schema that stands in the golden", async () => {
    const path = join(temporaryPlace(), "waymark.db");
    await (await sqliteTaskStore(path)).close();
    const db = await raw(path);
    const rows = db
      .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name")
      .all();
    const text = rows.map(({ sql }) => `${String(sql).replace(/\n {2}/g, "\n")};`).join("\n");
    await expect(`${text}\n`).toMatchFileSnapshot("goldens/sqlite-schema.sql");
    expect(db.prepare("PRAGMA foreign_key_check").all()).toStrictEqual([]);
  });

  it("grows out of a file that has lists only", async () => {
    const path = join(temporaryPlace(), "waymark.db");
    const db = await raw(path);
    db.exec(MIGRATIONS[0] ?? "");
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec("PRAGMA user_version = 1");
    const tasks = await opened(path);
    const lists = closing(await sqliteStore(path));
    const track = { session: "s", agent: "main" };
    await lists.commit(track, "k", adds("k", "a todo"));
    await tasks.apply(add("a task"), SENDER);
    expect((await lists.read(track)).todos.map(({ text }) => text)).toStrictEqual(["a todo"]);
    expect((await tasks.list()).map(({ subject }) => subject)).toStrictEqual(["a task"]);
  });

  it("is made once by many who open it at the same time", async () => {
    const path = join(temporaryPlace(), "deep", "waymark.db");
    const stores = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => (n % 2 ? opened(path) : sqliteStore(path))),
    );
    onTestFinished(async () => {
      for (const store of stores) await store.close();
    });
    const db = await raw(path);
    expect(db.prepare("PRAGMA user_version").all()).toStrictEqual([
      { user_version: MIGRATIONS.length },
    ]);
  });

  it("finds what is ready by an index", async () => {
    const path = join(temporaryPlace(), "waymark.db");
    const store = await opened(path);
    await store.apply(add("one"), SENDER);
    const db = await raw(path);
    const { sql, values } = readyQuery(undefined, 5, 0);
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map(({ detail }) => String(detail));
    expect(plan).toContain("SCAN tasks USING COVERING INDEX tasks_ready");
    expect(plan.filter((step) => step.startsWith("SEARCH tasks"))).toStrictEqual([
      "SEARCH tasks USING INDEX tasks_leases (lease_until<?)",
    ]);
  });

  it("claims by number: no claim goes through all tasks of a status", async () => {
    const path = join(temporaryPlace(), "waymark.db");
    const store = await opened(path);
    await store.apply(add("one"), SENDER);
    const db = await raw(path);
    const { sql, values } = readyQuery(undefined, 1, 0);
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${claimStatement(sql)}`)
      .all("ann", 1, 1, 1, 1, ...values, 0)
      .map(({ detail }) => String(detail));
    expect(plan[0]).toBe("SEARCH tasks USING INTEGER PRIMARY KEY (rowid=?)");
    expect(plan.join("\n")).not.toContain("tasks_status");
  });

  it("counts blockers right whatever happens to them", async () => {
    const path = join(temporaryPlace(), "waymark.db");
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
    await store.apply({ op: "finish", owner: "x", held: [{ id: "t1" }, { id: "t2" }] }, SENDER);
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

  it("L1 goes on by the clock that nobody sets, whatever a process believes", () => {
    for (const off of [0, 86_400_000, -86_400_000, 1e12]) {
      const reading = later(2_500, { wall: anchor.wall + off });
      expect(timeSince(anchor, reading)).toBe(anchor.wall + 2_500);
    }
  });

  it("L3 is set anew after a restart and after a sleep of the machine", () => {
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

  it("L3 makes no lease immortal when it was far ahead before a restart", async () => {
    const path = join(temporaryPlace(), "waymark.db");
    const store = await opened(path);
    await store.apply(add("a"), SENDER);
    await store.apply({ op: "claim", owner: "ann", lease: 50 }, SENDER);
    const year = 365 * 86_400_000;
    const db = await raw(path);
    db.exec(`UPDATE tasks SET lease_until = lease_until + ${year}`);
    db.exec("UPDATE clock SET boot = 'another'");
    await store.apply(add("b"), SENDER);
    await new Promise((resolve) => setTimeout(resolve, 70));
    expect(await store.get("t1")).toMatchObject({ status: "open", lapsed: { owner: "ann" } });
  });
});
