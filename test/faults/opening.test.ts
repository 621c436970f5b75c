import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { APPLICATION_ID, MIGRATIONS } from "../../src/engines/sqlite/schema.ts";
import { latestVersion } from "../../src/engines/storage/migrations.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { waymark } from "../cli/running.ts";
import { integrityOf } from "../concurrency/integrity.ts";
import { bundleWorker, removeBundle } from "../concurrency/processes.ts";
import { FULL } from "../full.ts";
import { needs } from "../skipped.ts";
import { withNextMigration } from "../storage/next-migration.ts";
import { makeQuickPlace, quickPlace } from "./quick-place.ts";
import { compileShim, NO_SHIM, type Shim, shimIn } from "./shim.ts";

const TRACK = { session: "s", agent: "main" };
const NEVER = 1_000_000;
const NFS = 0x6969;
/** By their names; ext4 is local. */
const FILE_SYSTEMS: readonly (readonly [number: number, name: string | undefined])[] = [
  [NFS, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9p"],
  [0xef53, undefined],
];

let library: string;
let script: string;
beforeAll(async () => {
  if (NO_SHIM) return undefined;
  const place = makeQuickPlace();
  library = compileShim(place);
  script = await bundleWorker("test/faults/opening-worker.ts");
  return () => {
    rmSync(place, { recursive: true, force: true });
    removeBundle(script);
  };
});

/** The next schema step of a later program: a new table with data from an old one, and a changed table. */
const NEXT_SQL = `
  CREATE TABLE copies (position INTEGER PRIMARY KEY, key TEXT NOT NULL);
  INSERT INTO copies SELECT position, key FROM events;
  DROP INDEX tasks_owner;
  ALTER TABLE tasks ADD COLUMN later TEXT;
  CREATE INDEX tasks_later ON tasks (later) WHERE later IS NOT NULL;`;

/** A file with lists, of the present schema. */
async function oldStore(path: string): Promise<void> {
  const store = await sqliteStore(path, { createDirectory: true });
  for (let n = 0; n < 5; n++) await store.commit(TRACK, `k${n}`, addTodo(`k${n}`, `todo ${n}`));
  await store.close();
}

async function schemaOf(path: string) {
  const db = (await loadDriver()).open(path);
  try {
    const [version] = db.prepare("PRAGMA user_version").all();
    const [owner] = db.prepare("PRAGMA application_id").all();
    const names = db
      .prepare("SELECT name FROM sqlite_schema WHERE name IN ('copies', 'tasks_later')")
      .all();
    return { version: version?.user_version, owner: owner?.application_id, parts: names.length };
  } finally {
    db.close();
  }
}

/** Opens the store as the later program: no data is lost, and writes succeed. */
async function usable(path: string): Promise<void> {
  const lists = await sqliteStore(path);
  expect((await lists.events(TRACK)).map(({ key }) => key)).toStrictEqual([
    "k0",
    "k1",
    "k2",
    "k3",
    "k4",
  ]);
  await lists.close();
  const tasks = await sqliteTaskStore(path);
  const added = await tasks.apply(
    { op: "add", tasks: [{ subject: "x" }] },
    { by: "user", via: "test" },
  );
  await tasks.close();
  expect(added.ok).toBe(true);
  expect(await integrityOf(path)).toBe("ok");
}

describe("opening a store", { timeout: 600_000, ...needs(NO_SHIM) }, () => {
  const open = (shim: Shim, root: string, env: Record<string, string> = {}, sql = "") =>
    spawnSync(process.execPath, [script, join(root, "store.db"), sql], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, ...shim.env(root), ...env },
    });

  test("an upgrade killed at any call leaves the old or the new schema with all data", {
    tags: ["interrupted-upgrade"],
  }, async () => {
    const place = quickPlace();
    const shim = shimIn(place, library);
    const old = join(place, "old");
    mkdirSync(old);
    await oldStore(join(old, "store.db"));
    const version = latestVersion(MIGRATIONS);
    const before = { version, owner: APPLICATION_ID, parts: 0 };
    const after = { version: version + 1, owner: APPLICATION_ID, parts: 2 };
    expect(await schemaOf(join(old, "store.db"))).toStrictEqual(before);
    let roots = 0;
    const upgrade = (nth: number) => {
      const root = join(place, `root-${roots++}`);
      cpSync(old, root, { recursive: true });
      shim.control.arm({ nth, error: "killed" });
      const { signal, stderr } = open(shim, root, {}, NEXT_SQL);
      const { seen } = shim.control.counts();
      shim.control.disarm();
      return { path: join(root, "store.db"), signal, stderr, seen };
    };
    const whole = upgrade(NEVER);
    expect(whole).toMatchObject({ signal: null, stderr: "" });
    expect(whole.seen).toBeGreaterThan(10);
    const seen = new Set<unknown>();
    const step = FULL ? 1 : Math.ceil(whole.seen / 8);
    for (let nth = 1; nth <= whole.seen; nth += step) {
      const { path, signal } = upgrade(nth);
      expect({ nth, signal }).toStrictEqual({ nth, signal: "SIGKILL" });
      const schema = await schemaOf(path);
      seen.add(schema.version);
      expect([before, after]).toContainEqual(schema);
      await withNextMigration(MIGRATIONS, NEXT_SQL, () => usable(path));
    }
    if (FULL) expect(seen).toStrictEqual(new Set([version, version + 1]));
  });

  test("warns once on a network file system, keeps its rollback journal, and doctor reports it", {
    tags: ["network-file-system"],
  }, async () => {
    const place = quickPlace();
    const shim = shimIn(place, library);
    for (const [number, name] of FULL ? FILE_SYSTEMS : FILE_SYSTEMS.slice(-2)) {
      const root = join(place, String(number));
      mkdirSync(root);
      const env = { SHIM_FILE_SYSTEM: String(number) };
      const first = open(shim, root, env);
      const warned = /\((\w+)\)/.exec(first.stdout)?.[1];
      expect({ name: warned, stderr: first.stderr }).toStrictEqual({ name, stderr: "" });
      expect(first.stdout).toMatch(/rollback\n$/);
      expect(open(shim, root, env)).toMatchObject({ stdout: "rollback\n", stderr: "" });
    }
    const home = join(place, "home");
    mkdirSync(home);
    const env = {
      WAYMARK_HOME: home,
      HOME: place,
      ...shim.env(home),
      SHIM_FILE_SYSTEM: String(NFS),
    };
    const { stdout } = await waymark(["doctor", "--json"], "", env);
    expect(JSON.parse(String(stdout)).attention).toStrictEqual([
      expect.stringContaining(`${home} is on a network file system (NFS),`),
    ]);
  });
});

describe("a long-running reader", () => {
  test("causes no growth: there is no write-ahead log, and the journal is limited", {
    tags: ["growing-journal"],
  }, async () => {
    const path = join(quickPlace(), "store.db");
    const lists = await sqliteStore(path, { createDirectory: true, waitLimit: 250 });
    const tasks = await sqliteTaskStore(path, { createDirectory: true });
    onTestFinished(async () => {
      await tasks.close();
      await lists.close();
    });
    const db = (await loadDriver()).open(path);
    onTestFinished(() => db.close());
    const long = "long ".repeat(80);
    for (let n = 0; n < 40; n++)
      await tasks.apply(
        { op: "add", tasks: Array.from({ length: 100 }, () => ({ subject: long })) },
        { by: "user", via: "test" },
      );
    // Changes every row: its journal is as long as the file.
    db.exec("BEGIN IMMEDIATE; UPDATE tasks SET subject = subject || 'x'; ROLLBACK");
    db.exec("BEGIN");
    db.prepare("SELECT count(*) FROM events").all();
    // A concurrent writer gets an error in time.
    await expect(
      (async () => lists.commit(TRACK, "k", addTodo("k", "todo")))(),
    ).rejects.toMatchObject({
      code: "store_busy",
    });
    db.exec("COMMIT");
    expect((await lists.commit(TRACK, "k", addTodo("k", "todo"))).ok).toBe(true);
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(readdirSync(join(path, "..")).toSorted()).toStrictEqual([
      "store.db",
      "store.db-journal",
    ]);
    expect(statSync(path).size).toBeGreaterThan(1_048_576);
    expect(statSync(`${path}-journal`).size).toBeLessThanOrEqual(1_048_576);
  });
});
