import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TaskEvent, TaskOp } from "../../src/tasks/model.ts";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { FULL } from "../full.ts";
import { faultsOf } from "../tasks/checker.ts";
import { pause } from "../until.ts";
import { startProxy } from "./proxy.ts";
import { serverForFile } from "./server.ts";

// With durable settings: every acknowledged change is on the disk.
const server = serverForFile();
let databases = 0;

async function newDatabase(): Promise<string> {
  databases += 1;
  return server.database(`faults${databases}`);
}

async function opened(url: string, connections = 4): Promise<TaskStore> {
  const store = await postgresTaskStore(url, {
    connections,
    waitLimit: 30_000,
    onWarning: () => {},
  });
  onTestFinished(() => store.close());
  return store;
}

interface Done {
  readonly added: string[];
  readonly finished: string[];
  slowest: number;
}

/** Adds, claims and finishes until stopped; records every acknowledgement. */
async function work(store: TaskStore, name: string, done: Done, stopped: () => boolean) {
  const act = async (op: TaskOp) => {
    const begun = performance.now();
    const answer = await store.apply(op, { by: "agent", via: "test", actor: name });
    done.slowest = Math.max(done.slowest, performance.now() - begun);
    return answer;
  };
  for (let n = 0; !stopped(); n++) {
    const subject = `${name}:${n}`;
    const added = await act({ op: "add", tasks: [{ subject }] });
    if (added.ok) done.added.push(subject);
    const claimed = await act({ op: "claim", owner: name, lease: 600_000 });
    const [task] = claimed.ok ? claimed.tasks : [];
    if (!task) continue;
    const held = [{ id: task.id, epoch: task.epoch }];
    const finished = await act({ op: "finish", owner: name, held });
    if (finished.ok) done.finished.push(task.id);
  }
}

/** Every acknowledged change is present once, and nothing else. */
async function expectSound(store: TaskStore, done: Done): Promise<void> {
  const tasks = await store.list();
  const subjects = tasks.map(({ subject }) => subject);
  expect(new Set(subjects).size).toBe(subjects.length);
  expect(subjects.toSorted()).toStrictEqual(done.added.toSorted());
  expect(new Set(done.finished).size).toBe(done.finished.length);
  const closed = tasks.filter(({ status }) => status === "done").map(({ id }) => id);
  expect(closed.toSorted()).toStrictEqual(done.finished.toSorted());
  expect(tasks.every(({ epoch }) => epoch <= 1)).toBe(true);
  expect(faultsOf(await store.events(), [])).toStrictEqual([]);
}

async function underLoad(store: TaskStore, trouble: () => Promise<void>): Promise<Done> {
  const done: Done = { added: [], finished: [], slowest: 0 };
  let over = false;
  const crew = ["a", "b", "c"].map((name) => work(store, name, done, () => over));
  await trouble();
  over = true;
  await Promise.all(crew);
  return done;
}

describe("a failing server", { timeout: 3_600_000 }, () => {
  it("loses and duplicates nothing when backends are killed", {
    tags: ["ended-connection"],
  }, async () => {
    const kills = FULL ? 200 : 15;
    const url = await newDatabase();
    const store = await opened(url);
    const killer = new pg.Client({ connectionString: server.url });
    await killer.connect();
    let killed = 0;
    const done = await underLoad(store, async () => {
      while (killed < kills) {
        const { rowCount } = await killer.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = $1 ORDER BY random() LIMIT 1`,
          [new URL(url).pathname.slice(1)],
        );
        killed += rowCount ?? 0;
        await pause(20 + Math.random() * 60, "kills spread over the work");
      }
    });
    await killer.end();
    expect(done.added.length).toBeGreaterThan(2);
    expect(done.slowest).toBeLessThan(FULL ? 10_000 : 30_000);
    await expectSound(store, done);
  });

  it("crashes no client when it closes new connections; the next one is used", {
    tags: ["ended-connection"],
  }, async () => {
    const proxy = await startProxy(await newDatabase());
    onTestFinished(() => proxy.close());
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on("uncaughtException", note);
    onTestFinished(() => void process.off("uncaughtException", note));
    const store = await opened(proxy.url, 2);
    for (let round = 0; round < (FULL ? 100 : 5); round++) {
      // Existing connections end, and so do the next ones, for changes and for subscriptions.
      const stop = store.watch(() => {});
      proxy.cutNext("before");
      proxy.dismiss(3);
      const tasks = [{ subject: `round ${round}` }];
      const { ok } = await store.apply({ op: "add", tasks }, { by: "user", via: "test" });
      expect(ok).toBe(true);
      stop();
    }
    expect(proxy.dismissed()).toBeGreaterThan(2);
    expect(uncaught).toStrictEqual([]);
    expect(await store.list()).toHaveLength(FULL ? 100 : 5);
  });

  it("loses and duplicates nothing in a crash and restart", {
    tags: ["server-crash"],
  }, async () => {
    const crashes = FULL ? 20 : 2;
    const store = await opened(await newDatabase());
    const done = await underLoad(store, async () => {
      for (let n = 0; n < crashes; n++) {
        await pause(300 + Math.random() * 300, "work before the crash");
        await server.crash();
        await pause(100, "time without a server");
        await server.start();
        const begun = performance.now();
        await store.counts();
        expect(performance.now() - begun).toBeLessThan(FULL ? 5_000 : 30_000);
      }
    });
    expect(done.added.length).toBeGreaterThan(2);
    await expectSound(store, done);
  });

  it("loses and duplicates nothing when answers are lost around a commit", {
    tags: ["cut-around-commit", "lost-answer"],
  }, async () => {
    const cuts = FULL ? 1_000 : 40;
    const url = await newDatabase();
    const proxy = await startProxy(url);
    onTestFinished(() => proxy.close());
    const store = await opened(proxy.url, 2);
    const done = await underLoad(store, async () => {
      while (proxy.cuts.before + proxy.cuts.after < cuts) {
        proxy.cutNext(proxy.cuts.before < proxy.cuts.after ? "before" : "after");
        await pause(15, "cuts spread over the work");
      }
    });
    expect(proxy.cuts.after).toBeGreaterThanOrEqual(cuts / 2 - 1);
    expect(done.added.length).toBeGreaterThan(2);
    await expectSound(await opened(url), done);
  });

  it("reports a change as made when it is committed while its call is repeated", {
    tags: ["cut-around-commit", "lost-answer"],
  }, async () => {
    const proxy = await startProxy(await newDatabase());
    onTestFinished(() => proxy.close());
    const store = await opened(proxy.url, 2);
    const sender = { by: "user", via: "test" } as const;
    const apply = (op: TaskOp) => store.apply(op, sender);
    await apply({ op: "add", tasks: [{ subject: "One" }, { subject: "Two" }] });
    await apply({ op: "claim", id: "t1", owner: "ann" });
    await apply({ op: "finish", owner: "ann", held: [{ id: "t1", epoch: 1 }] });
    proxy.cutNext("late");
    expect(await apply({ op: "reopen", id: "t1" })).toMatchObject({
      ok: true,
      duplicate: false,
      tasks: [{ status: "open" }],
    });
    const claimed = await apply({ op: "claim", id: "t1", owner: "ann", lease: 60_000 });
    expect(claimed).toMatchObject({ ok: true, tasks: [{ epoch: 2 }] });
    await apply({ op: "renew", owner: "ann", held: [{ id: "t1", epoch: 2 }], lease: 200 });
    await pause(60, "a renewal must gain a part of the lease");
    proxy.cutNext("after");
    expect(await store.renewByObservation("ann")).toMatchObject([{ id: "t1", owner: "ann" }]);
    expect(proxy.cuts).toStrictEqual({ before: 0, after: 1, late: 1 });
  });

  it("delivers everything in order while the listener connection is cut repeatedly", {
    tags: ["lost-notification"],
  }, async () => {
    const changes = FULL ? 5_000 : 150;
    const url = await newDatabase();
    const store = await opened(url);
    const writers = [await opened(url), await opened(url)];
    const received: TaskEvent[] = [];
    const stop = store.watch((event) => received.push(event));
    // A store writes only after its watchers have started; `writers` do not wait for those of `store`.
    await store.apply({ op: "add", tasks: [{ subject: "first" }] }, { by: "user", via: "test" });
    const killer = new pg.Client({ connectionString: server.url });
    await killer.connect();
    let over = false;
    const cutting = (async () => {
      while (!over) {
        await killer.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = $1",
          [new URL(url).pathname.slice(1)],
        );
        await pause(40, "cuts spread over the work");
      }
    })();
    await Promise.all(
      writers.map(async (writer, n) => {
        for (let count = 0; count < changes; count++)
          await writer.apply(
            { op: "add", tasks: [{ subject: `${n}:${count}` }] },
            { by: "user", via: "test" },
          );
      }),
    );
    over = true;
    await cutting;
    await killer.end();
    const events = await store.events();
    await expect.poll(() => received.length).toBe(events.length);
    stop();
    expect(received).toStrictEqual(events);
    expect(received).toHaveLength(1 + 2 * changes);
  });

  it("refuses writes while read-only and says so", { tags: ["read-only-server"] }, async () => {
    const url = await newDatabase();
    await (await opened(url)).close();
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(
      `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET default_transaction_read_only = on`,
    );
    await client.end();
    const store = await postgresTaskStore(url, { waitLimit: 300, onWarning: () => {} });
    onTestFinished(() => store.close());
    expect(await store.list()).toStrictEqual([]);
    await expect(
      store.apply({ op: "add", tasks: [{ subject: "x" }] }, { by: "user", via: "test" }),
    ).rejects.toMatchObject({ code: "store_read_only" });
  });
});
