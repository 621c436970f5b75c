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
import { addTodo, noChange } from "../../src/testing/decisions.ts";
import { sized } from "../full.ts";
import { until } from "../until.ts";
import { closing, temporaryDirectory } from "./temporary-directory.ts";

const TRACK = { session: "s", agent: "main" };

async function add(store: Store, text: string): Promise<void> {
  const { ok } = await store.commit(TRACK, text, addTodo(text, text));
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
  const path = join(temporaryDirectory(), "another.db");
  const store = await sqliteStore(path, { createDirectory: true });
  for (const text of texts) await add(store, text);
  await store.close();
  return path;
}

interface Case {
  readonly how: string;
  readonly replace: (path: string, backup: string) => Promise<void> | void;
  /** The initial content of the new file. */
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
    how: "its directory is renamed and created again with a backup",
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
    how: "an empty file replaces it",
    replace: (path) => truncateSync(path),
    holds: [],
  },
];

describe("a store that is replaced while it is open", () => {
  async function opened() {
    const path = join(temporaryDirectory(), "home", "store.db");
    const warnings: string[] = [];
    const store = closing(
      await sqliteStore(path, { createDirectory: true, onWarning: (line) => warnings.push(line) }),
    );
    await add(store, "early");
    const backup = join(temporaryDirectory(), "backup.db");
    copyFileSync(path, backup);
    await add(store, "late");
    return { path, backup, store, warnings };
  }

  it.each(CASES)(
    "writes to the new file when $how",
    { tags: ["replaced-store"] },
    async ({ replace, holds }) => {
      const { path, backup, store } = await opened();
      await replace(path, backup);
      await add(store, "next");
      expect(await textsOf(store)).toStrictEqual([...holds, "next"]);
      expect(await kept(path)).toStrictEqual([...holds, "next"]);
    },
  );

  it.each(CASES)(
    "reads from the new file when $how",
    { tags: ["replaced-store"] },
    async ({ replace, holds }) => {
      const { path, backup, store } = await opened();
      expect(await textsOf(store)).toStrictEqual(["early", "late"]);
      await replace(path, backup);
      expect(await textsOf(store)).toStrictEqual(holds);
      expect((await store.tracks()).flatMap(({ todos }) => todos.map(({ text }) => text))).toEqual(
        holds,
      );
    },
  );

  it.each(CASES)(
    "asks subscribers to resync when $how",
    { tags: ["replaced-store"] },
    async ({ replace }) => {
      const { path, backup, store } = await opened();
      const received: string[] = [];
      let replaced = 0;
      store.watch(
        ({ event }) => received.push(event.key),
        () => {
          replaced += 1;
        },
      );
      await replace(path, backup);
      await until(() => replaced === 1, "the resync");
      await add(store, "next");
      const other = closing(await sqliteStore(path, { createDirectory: true }));
      await add(other, "other");
      await until(() => received.includes("other"), "the subscriber to follow the new file");
      expect(received).toStrictEqual(["next", "other"]);
      expect(replaced).toBe(1);
    },
  );

  it("fails while the file is missing, and recovers when it is back", {
    tags: ["replaced-store"],
  }, async () => {
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

  it("creates a new file with a warning if it stays missing", {
    tags: ["replaced-store"],
  }, async () => {
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

  it("does not acknowledge a commit to a file that was replaced meanwhile", {
    tags: ["replaced-store"],
  }, async () => {
    const { path, backup, store } = await opened();
    const reader = (await loadDriver()).open(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM events").all();
    let decisions = 0;
    const decide = addTodo("next", "next");
    const commit = (async () =>
      store.commit(TRACK, "next", (track) => {
        decisions += 1;
        return decide(track);
      }))();
    await until(() => decisions === 1, "the commit to wait for the reader");
    renameSync(backup, path);
    reader.exec("COMMIT");
    reader.close();
    expect((await commit).ok).toBe(true);
    expect(await kept(path)).toStrictEqual(["early", "next"]);
  });

  it("loses no acknowledged write while the file is replaced repeatedly", {
    tags: ["replaced-store"],
  }, async () => {
    const path = join(temporaryDirectory(), "store.db");
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
          await store.commit(TRACK, key, noChange(key));
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

  it("distinguishes files of the same size and mtime", { tags: ["replaced-store"] }, async () => {
    const { path, backup, store } = await opened();
    const time = new Date(1_700_000_000_000);
    for (const file of [path, backup]) utimesSync(file, time, time);
    expect(statSync(backup).size).toBe(statSync(path).size);
    expect(await textsOf(store)).toStrictEqual(["early", "late"]);
    renameSync(backup, path);
    expect(await textsOf(store)).toStrictEqual(["early"]);
  });

  it("detects an older copy with as many later writes", { tags: ["replaced-store"] }, async () => {
    const { path, backup, store } = await opened();
    copyFileSync(backup, path);
    const other = closing(await sqliteStore(path, { createDirectory: true }));
    await add(other, "instead");
    expect(await textsOf(store)).toStrictEqual(["early", "instead"]);
    await add(store, "next");
    expect(await kept(path)).toStrictEqual(["early", "instead", "next"]);
  });

  it("writes tasks to the new file", { tags: ["replaced-store"] }, async () => {
    const path = join(temporaryDirectory(), "store.db");
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
