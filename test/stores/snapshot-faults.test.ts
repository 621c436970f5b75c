import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { snapshotStore, writeSnapshot } from "../../src/stores/snapshots.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { bundleWorker, removeBundle } from "../concurrency/processes.ts";
import { FULL } from "../full.ts";
import { closing, temporaryDirectory } from "./temporary-directory.ts";

const ID = { session: "s", agent: "main" };
const NAME = "s-agent-main.json";
const JOURNAL = "s-agent-main.events.jsonl";

let script: string;
beforeAll(async () => {
  script = await bundleWorker("test/faults/same-name-worker.ts");
  return () => removeBundle(script);
});

describe("temporary files", { timeout: 120_000 }, () => {
  it("of processes with the same pid and random numbers never collide", {
    tags: ["temporary-files"],
  }, async () => {
    const dir = temporaryDirectory();
    const [processes, writes] = FULL ? [16, 500] : [4, 60];
    const children = Array.from({ length: processes }, (_, n) =>
      spawn(process.execPath, [script, dir, String(n), String(writes)], {
        stdio: ["ignore", "pipe", "inherit"],
      }),
    );
    const printed = await Promise.all(
      children.map(async (child) => {
        const ended = once(child, "close");
        let text = "";
        for await (const chunk of child.stdout.setEncoding("utf8")) text += chunk;
        await ended;
        return text;
      }),
    );
    expect(printed).toStrictEqual(Array(processes).fill("no problem\n"));
    // Only complete lists of one of them, and no partial file.
    expect(readdirSync(dir).toSorted()).toStrictEqual([NAME, "small"]);
    const list: { content: string }[] = JSON.parse(readFileSync(join(dir, NAME), "utf8"));
    expect(new Set(list.map(({ content }) => content)).size).toBe(1);
    expect(readFileSync(join(dir, "small"), "utf8")).toMatch(/^(\d+)(?: \1){999}$/);
  });

  it("of a killed process are removed when they are old", {
    tags: ["temporary-files"],
  }, async () => {
    const dir = temporaryDirectory();
    const old = [`.${NAME}.1.tmp`, `.small.${process.pid}.part`];
    for (const name of old) {
      writeFileSync(join(dir, name), "half");
      utimesSync(join(dir, name), 1, 1);
    }
    writeFileSync(join(dir, `.${NAME}.2.tmp`), "in use");
    const store = closing(snapshotStore(dir));
    await store.commit(ID, "k", addTodo("k", "todo"));
    // The first file of a process.
    vi.resetModules();
    const { replaceWithoutSync } = await import("../../src/engines/storage/files.ts");
    replaceWithoutSync(join(dir, "small"), "text");
    expect(readdirSync(dir).toSorted()).toStrictEqual([`.${NAME}.2.tmp`, JOURNAL, NAME, "small"]);
  });
});

describe("files changed by other programs", () => {
  const LISTS: Readonly<
    Record<string, (dir: string, warn: (text: string) => void) => Promise<Store>>
  > = {
    snapshots: async (dir, onWarning) => snapshotStore(dir, { onWarning }),
    sqlite: (dir, onWarning) =>
      sqliteStore(join(dir, "db", "store.db"), {
        createDirectory: true,
        onWarning,
        onCommit: (track, _, former) => writeSnapshot(dir, track, onWarning, former),
      }),
  };

  it.each(Object.keys(LISTS))(
    "keeps an edited list under another name, %s",
    { tags: ["external-change"] },
    async (kind) => {
      const dir = temporaryDirectory();
      const warnings: string[] = [];
      const store = closing((await LISTS[kind]?.(dir, (text) => warnings.push(text))) as Store);
      await store.commit(ID, "k1", addTodo("k1", "first"));
      const ours = readFileSync(join(dir, NAME), "utf8");
      await store.commit(ID, "k2", addTodo("k2", "second"));
      expect(warnings).toStrictEqual([]);
      const edited = JSON.stringify([{ content: "mine", status: "pending", activeForm: "mine" }]);
      writeFileSync(join(dir, NAME), edited);
      await store.commit(ID, "k3", addTodo("k3", "third"));
      expect(readFileSync(join(dir, `${NAME}.edited-1`), "utf8")).toBe(edited);
      expect(JSON.parse(readFileSync(join(dir, NAME), "utf8"))).toHaveLength(3);
      expect(warnings).toStrictEqual([
        `The list ${join(dir, NAME)} was changed by another program. It was renamed to ${join(dir, NAME)}.edited-1.`,
      ]);
      // An earlier list of our own is not one of another program.
      writeFileSync(join(dir, NAME), ours);
      await store.commit(ID, "k4", addTodo("k4", "fourth"));
      expect(warnings).toHaveLength(1);
      expect(readdirSync(dir).filter((name) => name.includes("edited"))).toHaveLength(1);
    },
  );

  it("reads a journal again that was replaced between reading and writing, and loses no acknowledged write", {
    tags: ["external-change"],
  }, async () => {
    const rounds = FULL ? 1_000 : 40;
    const dir = temporaryDirectory();
    const path = join(dir, JOURNAL);
    const store = closing(snapshotStore(dir, { onWarning() {} }));
    await store.commit(ID, "start", addTodo("start", "start"));
    const copy = join(dir, "copy");
    copyFileSync(path, copy);
    for (let n = 0; n < rounds; n++) {
      const key = `k${n}`;
      const decide = addTodo(key, key);
      let exchanged = false;
      const outcome = await store.commit(ID, key, (track) => {
        // As a checkout of an older version does: with a new file, or in place.
        if (!exchanged && n % 2 === 0) writeFileSync(path, readFileSync(copy));
        else if (!exchanged) {
          copyFileSync(copy, `${path}.new`);
          renameSync(`${path}.new`, path);
        }
        exchanged = true;
        return decide(track);
      });
      expect({ n, ok: outcome.ok }).toStrictEqual({ n, ok: true });
      const other = snapshotStore(dir, { onWarning() {} });
      const keys = (await other.events(ID)).map((event) => event.key);
      await other.close();
      expect({ n, keys }).toStrictEqual({ n, keys: ["start", key] });
      expect((await store.events(ID)).map((event) => event.key)).toStrictEqual(keys);
    }
  });
});
