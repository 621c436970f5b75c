import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { adds, changesNothing } from "../../src/testing/judges.ts";
import { sized } from "../full.ts";
import { until } from "../until.ts";
import { closing, temporaryPlace } from "./place.ts";

const TRACK = { session: "s", agent: "main" };

async function add(store: Store, text: string): Promise<void> {
  const { ok } = await store.commit(TRACK, text, adds(text, text));
  expect(ok).toBe(true);
}

async function textsOf(store: Pick<Store, "read">): Promise<string[]> {
  return (await store.read(TRACK)).todos.map(({ text }) => text);
}

/** The todos in the file, read through a new store. */
async function kept(path: string): Promise<string[]> {
  const store = await sqliteStore(path, { createDirectory: true });
  try {
    return await textsOf(store);
  } finally {
    await store.close();
  }
}

/** A store of another home, closed. */
async function another(...texts: string[]): Promise<string> {
  const path = join(temporaryPlace(), "another.db");
  const store = await sqliteStore(path, { createDirectory: true });
  for (const text of texts) await add(store, text);
  await store.close();
  return path;
}

interface Case {
  readonly how: string;
  readonly replace: (path: string, backup: string) => Promise<void> | void;
  /** What the new file holds at first. */
  readonly holds: readonly string[];
}

const CASES: readonly Case[] = [
  {
    how: "another database is renamed over it",
    replace: async (path) => renameSync(await another("theirs"), path),
    holds: ["theirs"],
  },
  {
    how: "a backup is copied over it in place",
    replace: (path, backup) => copyFileSync(backup, path),
    holds: ["early"],
  },
  {
    how: "its directory is renamed and made again with a backup",
    replace(path, backup) {
      const dir = dirname(path);
      renameSync(dir, `${dir}.away`);
      onTestFinished(() => rmSync(`${dir}.away`, { recursive: true }));
      mkdirSync(dir);
      copyFileSync(backup, path);
    },
    holds: ["early"],
  },
  {
    how: "an empty file takes its place",
    replace: (path) => truncateSync(path),
    holds: [],
  },
];

describe("a store that is replaced while it is open", () => {
  async function opened() {
    const path = join(temporaryPlace(), "home", "store.db");
    const warnings: string[] = [];
    const store = closing(
      await sqliteStore(path, { createDirectory: true, onWarning: (line) => warnings.push(line) }),
    );
    await add(store, "early");
    const backup = join(temporaryPlace(), "backup.db");
    copyFileSync(path, backup);
    await add(store, "late");
    return { path, backup, store, warnings };
  }

  it.each(CASES)("N7 writes go to the new file when $how", async ({ replace, holds }) => {
    const { path, backup, store } = await opened();
    await replace(path, backup);
    await add(store, "next");
    expect(await textsOf(store)).toStrictEqual([...holds, "next"]);
    expect(await kept(path)).toStrictEqual([...holds, "next"]);
  });

  it.each(CASES)("N7 reads come from the new file when $how", async ({ replace, holds }) => {
    const { path, backup, store } = await opened();
    expect(await textsOf(store)).toStrictEqual(["early", "late"]);
    await replace(path, backup);
    expect(await textsOf(store)).toStrictEqual(holds);
    expect((await store.tracks()).flatMap(({ todos }) => todos.map(({ text }) => text))).toEqual(
      holds,
    );
  });

  it.each(CASES)("N7 a watcher is told to read again when $how", async ({ replace }) => {
    const { path, backup, store } = await opened();
    const told: string[] = [];
    let replaced = 0;
    store.watch(
      ({ event }) => told.push(event.key),
      () => {
        replaced += 1;
      },
    );
    await replace(path, backup);
    await until(() => replaced === 1, "the watcher to be told");
    await add(store, "next");
    const other = closing(await sqliteStore(path, { createDirectory: true }));
    await add(other, "other");
    await until(() => told.includes("other"), "the watcher to follow the new file");
    expect(told).toStrictEqual(["next", "other"]);
    expect(replaced).toBe(1);
  });

  it("N7 fails with the reason while the file is missing, and continues when it is back", async () => {
    const { path, store } = await opened();
    renameSync(path, `${path}.away`);
    const removed = { name: "WaymarkError", code: "store_removed" };
    await expect((async () => add(store, "lost"))()).rejects.toMatchObject(removed);
    await expect((async () => store.read(TRACK))()).rejects.toMatchObject(removed);
    expect(readdirSync(dirname(path)).filter((name) => name === "store.db")).toStrictEqual([]);
    renameSync(`${path}.away`, path);
    await add(store, "next");
    expect(await kept(path)).toStrictEqual(["early", "late", "next"]);
  });

  it("N7 starts a new file after a while, with a warning, when it stays away", async () => {
    const { path, store, warnings } = await opened();
    rmSync(dirname(path), { recursive: true });
    await expect((async () => add(store, "next"))()).rejects.toMatchObject({
      code: "store_removed",
      message: expect.stringMatching(/was removed/),
    });
    await until(async () => {
      await add(store, "next");
      return true;
    }, "a write on a new file");
    expect(await kept(path)).toStrictEqual(["next"]);
    expect(warnings).toStrictEqual([expect.stringMatching(/was removed.*new one/)]);
  });

  it("N7 acknowledges no commit to a file that was replaced meanwhile", async () => {
    const { path, backup, store } = await opened();
    const reader = (await loadDriver()).open(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM events").all();
    let judged = 0;
    const judge = adds("next", "next");
    const commit = (async () =>
      store.commit(TRACK, "next", (track) => {
        judged += 1;
        return judge(track);
      }))();
    await until(() => judged === 1, "the commit to wait for the reader");
    renameSync(backup, path);
    reader.exec("COMMIT");
    reader.close();
    expect((await commit).ok).toBe(true);
    expect(await kept(path)).toStrictEqual(["early", "next"]);
  });

  it("N7 keeps every acknowledged write while the file comes and goes", async () => {
    const path = join(temporaryPlace(), "store.db");
    const stores = [
      closing(await sqliteStore(path, { createDirectory: true })),
      closing(await sqliteStore(path, { createDirectory: true })),
    ];
    const acknowledged: string[] = [];
    let refused = 0;
    let isOver = false;
    const writers = stores.map(async (store, writer) => {
      for (let n = 0; !isOver; n++) {
        await new Promise((resolve) => setImmediate(resolve));
        const key = `${writer}-${n}`;
        try {
          await store.commit(TRACK, key, changesNothing(key));
          acknowledged.push(key);
        } catch {
          refused += 1;
        }
      }
    });
    for (let round = 0; round < sized(20, 500); round++) {
      const [written, failed] = [acknowledged.length, refused];
      await until(() => acknowledged.length > written, "a write", { interval: 1 });
      renameSync(path, `${path}.away`);
      await until(() => refused > failed, "a refused write", { interval: 1 });
      renameSync(`${path}.away`, path);
    }
    isOver = true;
    await Promise.all(writers);
    const keys = new Set((await stores[0]?.events(TRACK))?.map(({ key }) => key));
    expect(acknowledged.filter((key) => !keys.has(key))).toStrictEqual([]);
  });

  it("N7 tells apart files of one size that were written at the same time", async () => {
    const { path, backup, store } = await opened();
    const time = new Date(1_700_000_000_000);
    for (const file of [path, backup]) utimesSync(file, time, time);
    expect(statSync(backup).size).toBe(statSync(path).size);
    expect(await textsOf(store)).toStrictEqual(["early", "late"]);
    renameSync(backup, path);
    expect(await textsOf(store)).toStrictEqual(["early"]);
  });

  it("N7 takes an older list for what it is, though others have written as much again", async () => {
    const { path, backup, store } = await opened();
    copyFileSync(backup, path);
    const other = closing(await sqliteStore(path, { createDirectory: true }));
    await add(other, "instead");
    expect(await textsOf(store)).toStrictEqual(["early", "instead"]);
    await add(store, "next");
    expect(await kept(path)).toStrictEqual(["early", "instead", "next"]);
  });

  it("N7 tasks go to the new file", async () => {
    const path = join(temporaryPlace(), "store.db");
    const store = await sqliteTaskStore(path, { createDirectory: true });
    onTestFinished(() => store.close());
    const sender = { by: "user", via: "test" } as const;
    const addTask = (subject: string) => store.apply({ op: "add", tasks: [{ subject }] }, sender);
    expect((await addTask("one")).ok).toBe(true);
    renameSync(await another("theirs"), path);
    expect((await addTask("two")).ok).toBe(true);
    expect((await store.list()).map(({ subject }) => subject)).toStrictEqual(["two"]);
    expect(await kept(path)).toStrictEqual(["theirs"]);
  });
});
