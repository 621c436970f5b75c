import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Track } from "../../src/core/model.ts";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { addTodo, neverCalled, noChange } from "../../src/testing/decisions.ts";
import { until } from "../until.ts";
import { closing, temporaryDirectory } from "./temporary-directory.ts";

const TRACK = { session: "s", agent: "main" };

function failsWith(code: string) {
  return { name: "WaymarkError", code };
}

async function rawDatabase(path: string) {
  const db = (await loadDriver()).open(path);
  onTestFinished(() => db.close());
  return db;
}

describe("sqliteStore with failures", () => {
  it("reports a directory at its path", async () => {
    const path = join(temporaryDirectory(), "store.db");
    mkdirSync(path);
    await expect(sqliteStore(path, { createDirectory: true })).rejects.toMatchObject(
      failsWith("store_failed"),
    );
    expect(readdirSync(path)).toStrictEqual([]);
  });

  it("leaves an invalid file unchanged", { tags: ["damaged-store"] }, async () => {
    const path = join(temporaryDirectory(), "store.db");
    writeFileSync(path, "no database at all. ".repeat(500));
    const before = readFileSync(path);
    await expect(sqliteStore(path, { createDirectory: true })).rejects.toMatchObject(
      failsWith("store_corrupt"),
    );
    expect(readFileSync(path)).toStrictEqual(before);
  });

  it("leaves a truncated file unchanged", { tags: ["damaged-store"] }, async () => {
    const path = join(temporaryDirectory(), "store.db");
    const store = await sqliteStore(path, { createDirectory: true });
    for (let n = 0; n < 20; n++)
      await store.commit(TRACK, `k${n}`, addTodo(`k${n}`, "long ".repeat(2_000)));
    await store.close();
    truncateSync(path, 8_192);
    const before = readFileSync(path);
    const reading = (async () =>
      closing(await sqliteStore(path, { createDirectory: true })).events(TRACK))();
    await expect(reading).rejects.toMatchObject(failsWith("store_corrupt"));
    expect(readFileSync(path)).toStrictEqual(before);
  });

  it("leaves the database of another program unchanged", async () => {
    const path = join(temporaryDirectory(), "store.db");
    const db = await rawDatabase(path);
    db.exec("CREATE TABLE theirs (a)");
    const before = readFileSync(path);
    await expect(sqliteStore(path, { createDirectory: true })).rejects.toMatchObject(
      failsWith("foreign_store"),
    );
    expect(readFileSync(path)).toStrictEqual(before);
  });

  it("refuses a newer schema without writing", { tags: ["interrupted-upgrade"] }, async () => {
    const path = join(temporaryDirectory(), "store.db");
    await (await sqliteStore(path, { createDirectory: true })).close();
    (await rawDatabase(path)).exec("PRAGMA user_version = 99");
    const before = readFileSync(path);
    await expect(sqliteStore(path, { createDirectory: true })).rejects.toMatchObject(
      failsWith("newer_store"),
    );
    expect(readFileSync(path)).toStrictEqual(before);
  });

  it("switches a file out of WAL mode", { tags: ["sqlite-wal-bug"] }, async () => {
    const path = join(temporaryDirectory(), "store.db");
    // In separate processes, because a connection of this one could stay open and keep the mode.
    const run = (source: string) => {
      const args = ["--input-type=module", "--eval", source, path];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
      return stdout + stderr;
    };
    const journalMode = (pragma: string) =>
      run(`import Database from "libsql";
        const db = new Database(process.argv[1]);
        console.log(db.prepare("PRAGMA ${pragma}").get().journal_mode);`);
    expect(journalMode("journal_mode = WAL")).toBe("wal\n");
    const store = closing(await sqliteStore(path, { createDirectory: true }));
    expect((await store.commit(TRACK, "k", addTodo("k", "kept"))).ok).toBe(true);
    expect(journalMode("journal_mode")).toBe("delete\n");
  });

  it("fails after its wait limit and works again when the file is free", async () => {
    const path = join(temporaryDirectory(), "store.db");
    const store = closing(await sqliteStore(path, { createDirectory: true, waitLimit: 200 }));
    const db = await rawDatabase(path);
    db.exec("BEGIN IMMEDIATE");
    const start = performance.now();
    await expect((async () => store.commit(TRACK, "k", neverCalled()))()).rejects.toMatchObject(
      failsWith("store_busy"),
    );
    expect(performance.now() - start).toBeLessThan(20_000);
    db.exec("ROLLBACK");
    expect((await store.commit(TRACK, "k", noChange("k"))).ok).toBe(true);
    expect(existsSync(`${path}.queue`)).toBe(false);
  });

  it("does not acknowledge writes to a file that was moved", {
    tags: ["external-change"],
  }, async () => {
    const path = join(temporaryDirectory(), "store.db");
    const store = closing(await sqliteStore(path, { createDirectory: true }));
    await store.commit(TRACK, "k1", noChange("k1"));
    renameSync(path, `${path}.away`);
    await expect((async () => store.commit(TRACK, "k2", noChange("k2")))()).rejects.toMatchObject({
      name: "WaymarkError",
    });
  });

  it("commits after a concurrent reader has finished", async () => {
    const path = join(temporaryDirectory(), "store.db");
    const store = closing(await sqliteStore(path, { createDirectory: true }));
    await store.commit(TRACK, "k1", noChange("k1"));
    const db = await rawDatabase(path);
    db.exec("BEGIN");
    db.prepare("SELECT count(*) FROM events").all();
    let kept = false;
    const commit = (async () => store.commit(TRACK, "k2", noChange("k2")))().then((o) => {
      kept = true;
      return o;
    });
    await until(() => existsSync(`${path}-journal`), "the commit to wait for the reader");
    expect(kept).toBe(false);
    const reading = store.read(TRACK);
    db.exec("COMMIT");
    expect((await commit).event?.seq).toBe(2);
    expect((await reading).version).toBe(2);
  });

  it("creates directory and files for the owner only, with any umask", async () => {
    const place = temporaryDirectory();
    const umask = process.umask(0o000);
    try {
      const store = closing(
        await sqliteStore(join(place, "home", "store.db"), { createDirectory: true }),
      );
      await store.commit(TRACK, "k", noChange("k"));
    } finally {
      process.umask(umask);
    }
    const mode = (name: string) => (statSync(join(place, name)).mode & 0o777).toString(8);
    expect(["home", "home/store.db", "home/store.db-journal"].map(mode)).toStrictEqual([
      "700",
      "600",
      "600",
    ]);
  });

  it("folds a track again after the fold version changed", async () => {
    const path = join(temporaryDirectory(), "store.db");
    const store = await sqliteStore(path, { createDirectory: true });
    await store.commit(TRACK, "k1", addTodo("k1", "first"));
    const track = await store.read(TRACK);
    await store.close();
    (await rawDatabase(path)).exec("UPDATE tracks SET fold = 0, state = '{}'");
    const again = closing(await sqliteStore(path, { createDirectory: true }));
    expect(await again.read(TRACK)).toStrictEqual(track);
    expect(await again.tracks()).toStrictEqual([track]);
    expect((await again.commit(TRACK, "k2", noChange("k2"))).before).toStrictEqual(track);
  });

  it("calls onCommit with whether the list changed, and warns if it throws", async () => {
    const path = join(temporaryDirectory(), "store.db");
    const mirrored: Track[] = [];
    const changed: boolean[] = [];
    const warnings: string[] = [];
    const store = closing(
      await sqliteStore(path, {
        createDirectory: true,
        onCommit(track, listChanged) {
          mirrored.push(track);
          changed.push(listChanged);
          if (track.version === 2) throw new Error("no mirror");
        },
        onWarning: (message) => warnings.push(message),
      }),
    );
    const outcomes = [];
    for (const key of ["a", "b", "c"])
      outcomes.push(await store.commit(TRACK, key, addTodo(key, key)));
    expect(outcomes.map((outcome) => outcome.ok)).toStrictEqual([true, true, true]);
    expect(mirrored).toStrictEqual(outcomes.map((outcome) => outcome.after));
    expect(warnings).toStrictEqual([
      "Version 2 of s/main is stored, but mirroring it failed: no mirror",
    ]);
    await store.commit(TRACK, "a", neverCalled());
    await store.commit(TRACK, "d", noChange("d"));
    expect(changed).toStrictEqual([true, true, true, false]);
  });

  it("calls onCommit again a few times if another process committed meanwhile", async () => {
    const path = join(temporaryDirectory(), "store.db");
    const db = await rawDatabase(path);
    const calls: { version: number; listChanged: boolean; former: number | undefined }[] = [];
    let others = 0;
    const store = closing(
      await sqliteStore(path, {
        onCommit({ version }, listChanged, former) {
          const [last] = former();
          calls.push({ version, listChanged, former: last?.version });
          if (others-- > 0) commitElsewhere();
        },
      }),
    );
    /** As a process that does not wait for its turn. */
    const commitElsewhere = () =>
      db.exec(`UPDATE tracks SET version = version + 1, state = json_set(state,
        '$.version', version + 1, '$.revision', json_extract(state, '$.revision') + 1)`);
    others = 1;
    await store.commit(TRACK, "a", addTodo("a", "a"));
    expect(calls.splice(0)).toStrictEqual([
      { version: 1, listChanged: true, former: 0 },
      { version: 2, listChanged: true, former: 1 },
    ]);
    others = 10;
    await store.commit(TRACK, "b", noChange("b"));
    expect(calls.map(({ version, listChanged }) => [version, listChanged])).toStrictEqual([
      [3, false],
      [4, true],
      [5, true],
    ]);
  });

  it("reports a missing driver", async () => {
    const path = join(temporaryDirectory(), "store.db");
    const before = process.env.WAYMARK_SQLITE_DRIVER;
    onTestFinished(() => {
      if (before === undefined) delete process.env.WAYMARK_SQLITE_DRIVER;
      else process.env.WAYMARK_SQLITE_DRIVER = before;
    });
    process.env.WAYMARK_SQLITE_DRIVER = "oracle";
    await expect(sqliteStore(path, { createDirectory: true })).rejects.toMatchObject(
      failsWith("no_sqlite"),
    );
    expect(existsSync(path)).toBe(false);
  });
});
