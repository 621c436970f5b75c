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
import { adds, changesNothing, neverAsked } from "../../src/testing/judges.ts";
import { until } from "../until.ts";
import { closing, temporaryPlace } from "./place.ts";

const TRACK = { session: "s", agent: "main" };

function failsWith(code: string) {
  return { name: "WaymarkError", code };
}

async function rawDatabase(path: string) {
  const db = (await loadDriver()).open(path);
  onTestFinished(() => db.close());
  return db;
}

describe("sqliteStore on a broken world", () => {
  it("names a directory that stands in its place", async () => {
    const path = join(temporaryPlace(), "store.db");
    mkdirSync(path);
    await expect(sqliteStore(path, { createDirectory: true })).rejects.toMatchObject(
      failsWith("store_failed"),
    );
    expect(readdirSync(path)).toStrictEqual([]);
  });

  it("D6 leaves a file of garbage as it is", async () => {
    const path = join(temporaryPlace(), "store.db");
    writeFileSync(path, "no database at all. ".repeat(500));
    const before = readFileSync(path);
    await expect(sqliteStore(path, { createDirectory: true })).rejects.toMatchObject(
      failsWith("store_corrupt"),
    );
    expect(readFileSync(path)).toStrictEqual(before);
  });

  it("D6 leaves a truncated file as it is", async () => {
    const path = join(temporaryPlace(), "store.db");
    const store = await sqliteStore(path, { createDirectory: true });
    for (let n = 0; n < 20; n++)
      await store.commit(TRACK, `k${n}`, adds(`k${n}`, "long ".repeat(2_000)));
    await store.close();
    truncateSync(path, 8_192);
    const before = readFileSync(path);
    const reading = (async () =>
      closing(await sqliteStore(path, { createDirectory: true })).events(TRACK))();
    await expect(reading).rejects.toMatchObject(failsWith("store_corrupt"));
    expect(readFileSync(path)).toStrictEqual(before);
  });

  it("leaves the database of another program alone", async () => {
    const path = join(temporaryPlace(), "store.db");
    const db = await rawDatabase(path);
    db.exec("CREATE TABLE theirs (a)");
    const before = readFileSync(path);
    await expect(sqliteStore(path, { createDirectory: true })).rejects.toMatchObject(
      failsWith("foreign_store"),
    );
    expect(readFileSync(path)).toStrictEqual(before);
  });

  it("D12 refuses a newer schema without writing", async () => {
    const path = join(temporaryPlace(), "store.db");
    await (await sqliteStore(path, { createDirectory: true })).close();
    (await rawDatabase(path)).exec("PRAGMA user_version = 99");
    const before = readFileSync(path);
    await expect(sqliteStore(path, { createDirectory: true })).rejects.toMatchObject(
      failsWith("newer_store"),
    );
    expect(readFileSync(path)).toStrictEqual(before);
  });

  it("D9 takes a file out of WAL mode", async () => {
    const path = join(temporaryPlace(), "store.db");
    // In processes of their own: a connection of this one could linger and hold the mode.
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
    expect((await store.commit(TRACK, "k", adds("k", "kept"))).ok).toBe(true);
    expect(journalMode("journal_mode")).toBe("delete\n");
  });

  it("gives up after its limit and works again when the file is free", async () => {
    const path = join(temporaryPlace(), "store.db");
    const store = closing(await sqliteStore(path, { createDirectory: true, waitLimit: 200 }));
    const db = await rawDatabase(path);
    db.exec("BEGIN IMMEDIATE");
    const start = performance.now();
    await expect((async () => store.commit(TRACK, "k", neverAsked()))()).rejects.toMatchObject(
      failsWith("store_busy"),
    );
    expect(performance.now() - start).toBeLessThan(20_000);
    db.exec("ROLLBACK");
    expect((await store.commit(TRACK, "k", changesNothing("k"))).ok).toBe(true);
    expect(existsSync(`${path}.queue`)).toBe(false);
  });

  it("D8 does not acknowledge what goes to a file that was moved away", async () => {
    const path = join(temporaryPlace(), "store.db");
    const store = closing(await sqliteStore(path, { createDirectory: true }));
    await store.commit(TRACK, "k1", changesNothing("k1"));
    renameSync(path, `${path}.away`);
    await expect(
      (async () => store.commit(TRACK, "k2", changesNothing("k2")))(),
    ).rejects.toMatchObject({ name: "WaymarkError" });
  });

  it("commits although another process reads, once the reader is gone", async () => {
    const path = join(temporaryPlace(), "store.db");
    const store = closing(await sqliteStore(path, { createDirectory: true }));
    await store.commit(TRACK, "k1", changesNothing("k1"));
    const db = await rawDatabase(path);
    db.exec("BEGIN");
    db.prepare("SELECT count(*) FROM events").all();
    let kept = false;
    const commit = (async () => store.commit(TRACK, "k2", changesNothing("k2")))().then((o) => {
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

  it("makes directory and files for their owner only, whatever the umask", async () => {
    const place = temporaryPlace();
    const umask = process.umask(0o000);
    try {
      const store = closing(
        await sqliteStore(join(place, "home", "store.db"), { createDirectory: true }),
      );
      await store.commit(TRACK, "k", changesNothing("k"));
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

  it("folds a track again that was folded by other rules", async () => {
    const path = join(temporaryPlace(), "store.db");
    const store = await sqliteStore(path, { createDirectory: true });
    await store.commit(TRACK, "k1", adds("k1", "first"));
    const track = await store.read(TRACK);
    await store.close();
    (await rawDatabase(path)).exec("UPDATE tracks SET fold = 0, state = '{}'");
    const again = closing(await sqliteStore(path, { createDirectory: true }));
    expect(await again.read(TRACK)).toStrictEqual(track);
    expect(await again.tracks()).toStrictEqual([track]);
    expect((await again.commit(TRACK, "k2", changesNothing("k2"))).before).toStrictEqual(track);
  });

  it("calls back after each commit, says if it changed the list, and a failure there is only a warning", async () => {
    const path = join(temporaryPlace(), "store.db");
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
      outcomes.push(await store.commit(TRACK, key, adds(key, key)));
    expect(outcomes.map((outcome) => outcome.ok)).toStrictEqual([true, true, true]);
    expect(mirrored).toStrictEqual(outcomes.map((outcome) => outcome.after));
    expect(warnings).toStrictEqual([
      "Version 2 of s/main is kept, but what was to follow failed: no mirror",
    ]);
    await store.commit(TRACK, "a", neverAsked());
    await store.commit(TRACK, "d", changesNothing("d"));
    expect(changed).toStrictEqual([true, true, true, false]);
  });

  it("calls back again when another process committed meanwhile, and not for ever", async () => {
    const path = join(temporaryPlace(), "store.db");
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
    /** As a process does that did not wait for its turn. */
    const commitElsewhere = () =>
      db.exec(`UPDATE tracks SET version = version + 1, state = json_set(state,
        '$.version', version + 1, '$.revision', json_extract(state, '$.revision') + 1)`);
    others = 1;
    await store.commit(TRACK, "a", adds("a", "a"));
    expect(calls.splice(0)).toStrictEqual([
      { version: 1, listChanged: true, former: 0 },
      { version: 2, listChanged: true, former: 1 },
    ]);
    others = 10;
    await store.commit(TRACK, "b", changesNothing("b"));
    expect(calls.map(({ version, listChanged }) => [version, listChanged])).toStrictEqual([
      [3, false],
      [4, true],
      [5, true],
    ]);
  });

  it("names a driver that is not there", async () => {
    const path = join(temporaryPlace(), "store.db");
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
