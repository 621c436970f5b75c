import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { foldEvents } from "../../src/core/evolve.ts";
import { createTracker, todoTools } from "../../src/index.ts";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { addTodo } from "../../src/testing/decisions.ts";
import { FULL } from "../full.ts";
import { closing, temporaryDirectory } from "../stores/temporary-directory.ts";
import { pause } from "../until.ts";
import { bundleWorker, race, removeBundle, startWorker } from "./processes.ts";
import type { Orders } from "./worker.ts";

const TRACK = { session: "shared", agent: "main" };
const STORES = ["sqlite", "snapshots"] as const;

let script: string;
beforeAll(async () => {
  script = await bundleWorker();
  return () => removeBundle(script);
});

const pathIn = (kind: Orders["store"], dir: string) =>
  kind === "sqlite" ? join(dir, "store.db") : dir;

async function opened(kind: Orders["store"], path: string): Promise<Store> {
  return closing(
    kind === "sqlite" ? await sqliteStore(path, { createDirectory: true }) : snapshotStore(path),
  );
}

describe.each(STORES)("on %s", { timeout: 300_000 }, (kind) => {
  it("leaves no lock behind when a writer is killed: waiting writers continue soon", {
    tags: ["dead-lock-owner"],
  }, async () => {
    const kills = FULL ? 100 : 2;
    const path = pathIn(kind, temporaryDirectory());
    const stores = await Promise.all(Array.from({ length: 4 }, () => opened(kind, path)));
    for (let n = 0; n < kills; n++) {
      const worker = startWorker(script, { store: kind, path, name: `k${n}`, stuck: true });
      onTestFinished(() => worker.kill());
      await worker.ready;
      worker.go();
      await expect.poll(() => worker.lines).toStrictEqual(["inside"]);
      // Half of the writers are waiting when it is killed.
      const write = async (store: Store, index: number) => {
        const key = `${n}.${index}`;
        const begun = performance.now();
        const { ok } = await store.commit(TRACK, key, addTodo(key, key));
        return { ok, wait: performance.now() - begun };
      };
      const early = stores.slice(0, 2).map((store, index) => write(store, index));
      await pause(20, "half of them wait by then");
      worker.kill();
      await worker.ended;
      const late = stores.slice(2).map((store, index) => write(store, index + 2));
      const all = await Promise.all([...early, ...late]);
      expect(all.map(({ ok }) => ok)).toStrictEqual([true, true, true, true]);
      expect(Math.max(...all.map(({ wait }) => wait))).toBeLessThan(FULL ? 2_000 : 20_000);
    }
    const keys = (await stores[0]?.events(TRACK))?.map(({ key }) => key) ?? [];
    expect(keys.toSorted()).toStrictEqual(
      Array.from({ length: kills }, (_, n) => [0, 1, 2, 3].map((index) => `${n}.${index}`))
        .flat()
        .toSorted(),
    );
  });

  it("records a removal for every todo lost to concurrent whole-list writes", {
    tags: ["replace-during-edit"],
  }, async () => {
    const [processes, commits] = FULL ? [4, 250] : [2, 12];
    const path = pathIn(kind, temporaryDirectory());
    const orders = (["replace", "patch"] as const).flatMap((mix) =>
      Array.from({ length: processes }, (_, n): Orders => {
        return { store: kind, path, name: `${mix}${n}`, mix, commits };
      }),
    );
    const reports = await race(script, orders);
    if (kind === "snapshots")
      // No writer mistook the list of another writer for one of another program.
      expect(readdirSync(path).filter((name) => name.includes(".edited-"))).toStrictEqual([]);
    const acknowledged = reports.flatMap((report) => report.acknowledged);
    expect(acknowledged).toHaveLength(2 * processes * commits);
    const store = await opened(kind, path);
    const events = await store.events(TRACK);
    expect(events.map(({ key }) => key).toSorted()).toStrictEqual(acknowledged.toSorted());
    const there = new Map<string, string>();
    let removals = 0;
    for (const { key, changes } of events) {
      for (const change of changes) {
        if (change.type === "todo.added") there.set(change.todo.id, change.todo.text);
        if (change.type === "todo.edited" && typeof change.set.text === "string")
          there.set(change.id, change.set.text);
        if (change.type === "list.started") there.clear();
        if (change.type === "todo.removed" && there.delete(change.id)) removals += 1;
      }
      // Every change is there when it is acknowledged.
      expect([...there.values()]).toContain(key);
    }
    expect(removals).toBeGreaterThan(0);
    const track = await store.read(TRACK);
    expect(track).toStrictEqual(foldEvents(TRACK, events));
    expect(new Map(track.todos.map(({ id, text }) => [id, text]))).toStrictEqual(there);
  });

  it("applies 64 calls of one turn atomically and in order", {
    tags: ["parallel-calls"],
  }, async () => {
    const turns = FULL ? 100 : 1;
    const tracker = createTracker({
      store: await opened(kind, pathIn(kind, temporaryDirectory())),
    });
    const list = tracker.list(TRACK);
    const [tool] = todoTools(list, { tools: ["TodoWrite"] });
    for (let turn = 0; turn < turns; turn++) {
      const calls = Array.from({ length: 64 }, (_, n) =>
        tool?.execute({
          todos: [1, 2, 3].map((index) => {
            const content = `${turn}.${n}.${index}`;
            return { content, status: "pending", activeForm: content };
          }),
        }),
      );
      const texts = (await Promise.all(calls)).map((result) =>
        result?.text.split("\n").slice(0, 3),
      );
      expect(texts).toStrictEqual(
        Array.from({ length: 64 }, (_, n) => [1, 2, 3].map((index) => `[ ] ${turn}.${n}.${index}`)),
      );
    }
    const written = (await list.events()).map(({ changes }) =>
      changes.flatMap((change) => {
        if (change.type === "todo.added") return [change.todo.text];
        return change.type === "todo.edited" ? [change.set.text] : [];
      }),
    );
    expect(written).toHaveLength(turns * 64);
    expect(
      written.map((texts) => String(texts[0]).split(".").slice(0, 2).map(Number)),
    ).toStrictEqual(Array.from({ length: turns * 64 }, (_, n) => [Math.floor(n / 64), n % 64]));
  });
});
