import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { type Machine, newMachine } from "../cli/machine.ts";
import { makeTemporaryDirectory } from "../stores/temporary-directory.ts";

const ENVIRONMENT = 3;

/** A home with two lists and a task, as the program leaves it. */
let kept: string;
/** A store without lists, as the program creates it. */
let blank: string;

beforeAll(async () => {
  const machine = newMachine();
  machine.run(["todo", "add", "One", "--session", "a1", "--start"]);
  machine.run(["todo", "add", "Two", "--session", "a1"]);
  machine.run(["todo", "add", "Three", "--session", "b2", "--start"]);
  machine.run(["task", "add", "Team work"]);
  kept = machine.home;
  blank = join(makeTemporaryDirectory(), "blank.db");
  await (await sqliteStore(blank, { createDirectory: true })).close();
  return () => machine.remove();
});

function machineWith(home?: string): Machine & { readonly db: string } {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  if (home !== undefined) cpSync(home, machine.home, { recursive: true });
  return { ...machine, db: join(machine.home, "waymark.db") };
}

async function emptyDatabase(path: string): Promise<void> {
  rmSync(path);
  const db = (await loadDriver()).open(path);
  db.exec("CREATE TABLE a (b); DROP TABLE a; VACUUM");
  db.close();
}

const LOSSES: readonly (readonly [string, (db: string) => unknown])[] = [
  ["truncated to 0 bytes", (db) => truncateSync(db)],
  ["deleted", (db) => rmSync(db)],
  ["replaced by an empty database", emptyDatabase],
  ["replaced by a store without lists", (db) => copyFileSync(blank, db)],
];

const DAMAGES: readonly (readonly [string, (db: string) => unknown])[] = [
  ["overwritten", (db) => writeFileSync(db, "no database at all. ".repeat(500))],
  ["cut off", (db) => truncateSync(db, 8_192)],
];

describe("a home whose store was lost", () => {
  test.each(LOSSES)(
    "every command reports a store that was %s",
    { tags: ["lost-store"] },
    async (_, lose) => {
      const machine = machineWith(kept);
      await lose(machine.db);
      const before = existsSync(machine.db) && readFileSync(machine.db);
      const commands = [
        ["todos", "--session", "a1"],
        ["ls", "--json"],
        ["todo", "add", "Four", "--session", "a1"],
        ["task", "list"],
        ["task", "add", "More"],
      ];
      for (const command of commands) {
        const { status, stderr } = machine.run(command);
        expect({ command, status }).toStrictEqual({ command, status: ENVIRONMENT });
        expect(stderr).toMatch(/2 lists are mirrored in .*todos/);
        expect(stderr).toContain("`waymark doctor --restore`");
        expect(stderr).toContain("`waymark doctor --start-empty`");
      }
      const doctor = machine.run(["doctor"]);
      expect(doctor.status).toBe(1);
      expect(doctor.stdout).toMatch(/^ {2}fail {2}store .*\n {8}The store .* is missing or empty/m);
      // Nothing was decided yet.
      expect(existsSync(machine.db) && readFileSync(machine.db)).toStrictEqual(before);
    },
  );

  test.each([...LOSSES, ...DAMAGES])(
    "doctor --restore restores the lists after the store was %s",
    { tags: ["lost-store"] },
    async (_, lose) => {
      const machine = machineWith(kept);
      await lose(machine.db);
      const { status, stdout } = machine.run(["doctor", "--restore"]);
      expect(stdout).toContain("Restored 2 lists with 3 todos");
      expect(stdout).toMatch(/Not restored.*history.*tasks/);
      expect(status).toBe(0);
      const { todos } = machine.json(["todos", "--session", "a1"]) as { todos: unknown[] };
      expect(todos).toMatchObject([
        { text: "One", status: "in_progress" },
        { text: "Two", status: "pending" },
      ]);
      const added = machine.run(["todo", "add", "Four", "--session", "a1"]);
      expect(added).toMatchObject({ status: 0, stderr: "" });
      expect(readdirSync(join(machine.home, "todos")).sort()).toStrictEqual([
        "a1-agent-main.json",
        "b2-agent-main.json",
      ]);
      expect(machine.run(["doctor", "--restore"]).stdout).toContain("Nothing was changed");
      expect(machine.run(["doctor"]).stdout).toMatch(/^No problems\b/m);
    },
  );

  test.each([...LOSSES.slice(2), ...DAMAGES.slice(1)])(
    "doctor --start-empty starts over after the store was %s, and deletes nothing",
    { tags: ["lost-store"] },
    async (_, lose) => {
      const machine = machineWith(kept);
      await lose(machine.db);
      expect(machine.run(["doctor", "--start-empty"]).status).toBe(0);
      expect(machine.json(["ls"])).toStrictEqual([]);
      expect(machine.run(["task", "list"]).status).toBe(0);
      const aside = join(machine.home, "todos.before-1");
      expect(readdirSync(aside)).toHaveLength(2);
      expect(machine.run(["todo", "add", "New", "--session", "c3", "--start"]).status).toBe(0);
      const again = machine.run(["doctor", "--start-empty"]);
      expect(again).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/not empty.*1 list/),
      });
    },
  );

  test.each(DAMAGES)(
    "names the fix when the store was %s",
    { tags: ["lost-store"] },
    (_, damage) => {
      const machine = machineWith(kept);
      damage(machine.db);
      const { status, stderr } = machine.run(["todos", "--session", "a1"]);
      expect(status).toBe(ENVIRONMENT);
      expect(stderr).toMatch(/damaged.*`waymark doctor --restore`.*`waymark doctor --start-empty`/);
    },
  );

  test("hooks keep answering, log a line for doctor and lose no event", {
    tags: ["lost-store"],
  }, () => {
    const machine = machineWith(kept);
    truncateSync(machine.db);
    const event = { session_id: "a1", prompt: "Go on", hook_event_name: "UserPromptSubmit" };
    const input = JSON.stringify(event);
    const ran = machine.run(["hook", "claude", "UserPromptSubmit"], { input });
    expect(ran).toStrictEqual({ status: 0, stdout: "", stderr: "" });
    expect(machine.run(["doctor"]).stdout).toMatch(/hook\.log, the last at .*doctor --restore/);
    const waiting = () =>
      (JSON.parse(machine.run(["doctor", "--json"]).stdout) as { hooks: { waiting: number } }).hooks
        .waiting;
    expect(waiting()).toBe(1);
    machine.run(["doctor", "--restore"]);
    expect(machine.run(["todos", "--session", "a1"]).status).toBe(0);
    expect(waiting()).toBe(0);
    expect(machine.json(["show", "a1"])).toMatchObject({ title: "Go on" });
  });

  test("detects a lost store that only had tasks", { tags: ["lost-store"] }, () => {
    const machine = machineWith();
    machine.run(["task", "add", "Team work"]);
    rmSync(machine.db);
    const { status, stderr } = machine.run(["task", "list"]);
    expect(status).toBe(ENVIRONMENT);
    expect(stderr).toMatch(/it had tasks.*backup.*--start-empty/);
    expect(machine.run(["doctor", "--restore"]).status).toBe(1);
    expect(machine.run(["doctor", "--start-empty"]).status).toBe(0);
    expect(machine.run(["task", "list"]).status).toBe(0);
  });

  test("doctor finds lists that an old copy of the store does not have, and adds them", {
    tags: ["lost-store"],
  }, () => {
    const machine = machineWith();
    machine.run(["todo", "add", "One", "--session", "a1", "--start"]);
    const copy = join(machine.root, "copy.db");
    copyFileSync(machine.db, copy);
    machine.run(["todo", "add", "Three", "--session", "b2", "--start"]);
    renameSync(copy, machine.db);
    expect(machine.run(["todos", "--session", "a1"]).status).toBe(0);
    const { status, stdout } = machine.run(["doctor"]);
    expect({ status, stdout }).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(
        "1 list in the mirror is missing from the store. Run: waymark doctor --restore",
      ),
    });
    expect(machine.run(["doctor", "--restore"]).stdout).toContain("Restored 1 list with 1 todo");
    expect(machine.run(["doctor"]).status).toBe(0);
  });
});

describe("a home that lost nothing", () => {
  test("works when it is new, also with six concurrent starts", {
    tags: ["lost-store"],
  }, async () => {
    const machine = machineWith();
    const sessions = Array.from({ length: 6 }, (_, n) => `s${n}`);
    const ran = await Promise.all(
      sessions.map((session) => machine.start(["todo", "add", "One", "--session", session])),
    );
    expect(ran.map(({ status, stderr }) => ({ status, stderr }))).toStrictEqual(
      sessions.map(() => ({ status: 0, stderr: "" })),
    );
    expect(machine.json(["ls"])).toHaveLength(sessions.length);
  });

  test("works when every list was finished or cleared before the store was deleted", {
    tags: ["lost-store"],
  }, () => {
    const machine = machineWith();
    machine.run(["todo", "add", "One", "--session", "a1", "--start"]);
    machine.run(["todo", "done", "1", "--session", "a1"]);
    rmSync(machine.db);
    expect(readdirSync(join(machine.home, "todos"))).toHaveLength(1);
    expect(machine.run(["todo", "add", "Two", "--session", "b2"]).status).toBe(0);
  });

  test("works without a mirror, with part of it, and with one that cannot be read", {
    tags: ["lost-store"],
  }, () => {
    const machine = machineWith(kept);
    rmSync(join(machine.home, "todos", "a1-agent-main.json"));
    expect(machine.run(["todos", "--session", "a1"]).status).toBe(0);
    writeFileSync(join(machine.home, "todos", "b2-agent-main.json"), "{ half");
    expect(machine.run(["todos", "--session", "b2"]).status).toBe(0);
    rmSync(join(machine.home, "todos"), { recursive: true });
    expect(machine.run(["todos", "--session", "a1"]).status).toBe(0);
    rmSync(machine.home, { recursive: true });
    mkdirSync(join(machine.home, "todos"), { recursive: true });
    writeFileSync(join(machine.home, "todos", "b2-agent-main.json"), "{ half");
    expect(machine.run(["todo", "add", "One", "--session", "b2"]).status).toBe(0);
  });

  test("works after being moved", { tags: ["lost-store"] }, () => {
    const machine = machineWith(kept);
    const moved = join(machine.root, "moved");
    renameSync(machine.home, moved);
    const env = { WAYMARK_HOME: moved };
    expect(machine.run(["todos", "--session", "a1"], { env }).status).toBe(0);
    expect(machine.run(["todo", "add", "One", "--session", "a1"]).status).toBe(0);
  });

  test("ignores the lists of a snapshot store", { tags: ["lost-store"] }, async () => {
    const machine = machineWith();
    const store = snapshotStore(join(machine.home, "todos"));
    await store.commit({ session: "s", agent: "main" }, "k", addTodo("k", "One"));
    await store.close();
    expect(machine.run(["todo", "add", "One", "--session", "a1"]).status).toBe(0);
  });

  test("ignores files beside the store of a library user", { tags: ["lost-store"] }, async () => {
    const machine = machineWith(kept);
    const path = join(machine.home, "todos.db");
    const store = await sqliteStore(path, { createDirectory: true });
    await store.close();
    expect(existsSync(path)).toBe(true);
    truncateSync(machine.db);
    await expect(sqliteStore(machine.db)).rejects.toMatchObject({ code: "store_lost" });
  });
});
