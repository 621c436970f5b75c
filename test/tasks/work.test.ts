import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryTaskStore } from "../../src/tasks/memory.ts";
import type { Task, TaskDraft } from "../../src/tasks/model.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { type WorkEvent, type WorkOptions, work } from "../../src/tasks/work/index.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import { pause, until } from "../until.ts";

const SENDER = { by: "user", via: "test" } as const;
const IDLE = { shortest: 5, longest: 20 };

async function storeWith(...tasks: TaskDraft[]): Promise<TaskStore> {
  const store = memoryTaskStore();
  if (tasks.length > 0) await store.apply({ op: "add", tasks }, SENDER);
  onTestFinished(() => store.close());
  return store;
}

const named = (count: number): TaskDraft[] =>
  Array.from({ length: count }, (_, n) => ({ subject: `task ${n + 1}` }));

/** Works until nothing is left, and records what happened. */
async function drain(
  store: TaskStore,
  handler: Parameters<typeof work>[2],
  options: Partial<WorkOptions> = {},
) {
  const events: WorkEvent[] = [];
  const errors: unknown[] = [];
  const summary = await work(
    store,
    {
      owner: "ann",
      until: "left",
      idle: IDLE,
      retryIn: () => 0,
      onEvent: (event) => events.push(event),
      onError: (error) => errors.push(error),
      ...options,
    },
    handler,
  ).ended;
  return { summary, events, errors };
}

const statuses = async (store: TaskStore) => (await store.list()).map(({ status }) => status);

/** A handler that waits until it is released or aborted. */
function held() {
  const started: Task[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handler = async (task: Task, { signal }: { signal: AbortSignal }) => {
    started.push(task);
    const aborted = new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    );
    await Promise.race([released, aborted]);
  };
  return { started, handler, release: () => release() };
}

describe("work", () => {
  it("finishes every task once, at most so many at a time", async () => {
    const store = await storeWith(...named(20));
    let now = 0;
    let most = 0;
    const { summary } = await drain(
      store,
      async (task) => {
        most = Math.max(most, ++now);
        await pause(2, "so that tasks overlap");
        now -= 1;
        return { evidence: [`did ${task.id}`] };
      },
      { concurrency: 4 },
    );
    expect(summary).toStrictEqual({ done: 20, retried: 0, failed: 0, released: 0, lost: 0 });
    expect(most).toBe(4);
    const tasks = await store.list();
    expect(tasks.every(({ status }) => status === "done")).toBe(true);
    expect(tasks[4]?.evidence).toStrictEqual(["did t5"]);
    expect(new Set(tasks.map(({ owner }) => owner))).toStrictEqual(
      new Set(["ann/1", "ann/2", "ann/3", "ann/4"]),
    );
    const done = (await store.events()).filter(({ type }) => type === "done");
    expect(done).toHaveLength(20);
  });

  it("fails an attempt with the reason, retries it, and leaves a dead letter", async () => {
    const store = await storeWith(
      { subject: "flaky", name: "first" },
      { subject: "broken", maxAttempts: 2 },
      { subject: "after", blockedBy: ["first"] },
    );
    const { summary, events } = await drain(store, (task) => {
      if (task.subject === "broken" || (task.subject === "flaky" && task.attempts === 1))
        throw new Error("postgres://me:secret@host/db\u001b[31m is down");
    });
    expect(summary).toStrictEqual({ done: 2, retried: 2, failed: 1, released: 0, lost: 0 });
    expect(await statuses(store)).toStrictEqual(["done", "failed", "done"]);
    const { reason, attempts } = (await store.get("t2")) ?? {};
    expect(attempts).toBe(2);
    expect(reason).not.toMatch(/secret|\u001b/);
    expect(reason).toContain("is down");
    expect(events.find(({ type }) => type === "failed")).toMatchObject({ reason, worker: 1 });
  });

  it("waits before a retry", async () => {
    const store = await storeWith({ subject: "flaky" });
    const waits: number[] = [];
    const { summary } = await drain(
      store,
      ({ attempts, notBefore = 0, claimedAt = 0 }) => {
        if (attempts === 1) throw new Error("no");
        waits.push(claimedAt - notBefore);
      },
      { retryIn: () => 60 },
    );
    expect(summary).toMatchObject({ done: 1, retried: 1 });
    expect(waits[0]).toBeGreaterThanOrEqual(0);
  });

  it("renews the lease while a handler runs, so that no other owner gets the task", async () => {
    const store = await storeWith({ subject: "long" });
    const { summary } = await drain(
      store,
      async () => {
        for (let n = 0; n < 8; n++) {
          await pause(100, "longer than the lease in all");
          const other = await store.apply({ op: "claim", owner: "bob" }, SENDER);
          expect(other.ok).toBe(false);
        }
      },
      { lease: 600 },
    );
    expect(summary.done).toBe(1);
    expect(await store.get("t1")).toMatchObject({ epoch: 1, owner: "ann" });
  });

  it("aborts a handler whose claim another owner took over, and writes nothing", async () => {
    const store = await storeWith({ subject: "one" });
    const { handler, started } = held();
    const running = drain(store, handler, { lease: 60 });
    await until(() => started.length > 0, "the handler runs");
    await store.apply({ op: "assign", id: "t1", owner: "bob", lease: 60_000 }, SENDER);
    const { summary, events } = await running;
    expect(summary).toStrictEqual({ done: 0, retried: 0, failed: 0, released: 0, lost: 1 });
    expect(events.at(-1)).toMatchObject({ type: "lost", task: { id: "t1" } });
    expect(await store.get("t1")).toMatchObject({ status: "claimed", owner: "bob", epoch: 2 });
  });

  it("fails an attempt that exceeds the time limit", async () => {
    const store = await storeWith({ subject: "slow", maxAttempts: 1 });
    const { summary } = await drain(store, held().handler, { timeout: 30 });
    expect(summary.failed).toBe(1);
    expect(await store.get("t1")).toMatchObject({ status: "failed", reason: "Stopped after 0s." });
  });

  it("stops gracefully: finishes running tasks and claims no more", async () => {
    const store = await storeWith(...named(5));
    const { handler, started, release } = held();
    const stop = new AbortController();
    const workers = work(store, { owner: "ann", concurrency: 2, signal: stop.signal }, handler);
    await until(() => started.length === 2, "two tasks run");
    stop.abort();
    release();
    expect(await workers.ended).toMatchObject({ done: 2, released: 0 });
    expect(await statuses(store)).toStrictEqual(["done", "done", "open", "open", "open"]);
  });

  it("releases running tasks when it is aborted, without using up an attempt", async () => {
    const store = await storeWith(...named(3));
    const { handler, started } = held();
    const workers = work(store, { owner: "ann", concurrency: 2 }, handler);
    await until(() => started.length === 2, "two tasks run");
    expect(await workers.abort()).toMatchObject({ done: 0, released: 2 });
    expect(await store.list()).toMatchObject([
      { status: "open", attempts: 0 },
      { status: "open", attempts: 0 },
      { status: "open", attempts: 0 },
    ]);
  });

  it("works only on tasks with one of its labels, and ends after the first on demand", async () => {
    const store = await storeWith(
      { subject: "a", labels: ["x"] },
      { subject: "b" },
      { subject: "c", labels: ["y"] },
    );
    const { summary } = await drain(store, () => {}, { labels: ["x", "y"] });
    expect(summary.done).toBe(2);
    expect(await statuses(store)).toStrictEqual(["done", "open", "done"]);
    expect((await drain(store, () => {}, { until: "first" })).summary.done).toBe(1);
    expect((await drain(store, () => {}, { until: "first" })).summary.done).toBe(0);
  });

  it("starts soon after a task is added, released or resumed, by any process", async () => {
    const path = join(temporaryDirectory(), "waymark.db");
    const [store, other] = [await sqliteTaskStore(path), await sqliteTaskStore(path)];
    onTestFinished(async () => {
      await store.close();
      await other.close();
    });
    // Without the watch, it would look again only after a minute.
    const idle = { shortest: 60_000, longest: 60_000 };
    const workers = work(store, { owner: "ann", idle }, () => {});
    onTestFinished(async () => void (await workers.abort()));
    await other.apply({ op: "add", tasks: [{ subject: "one" }] }, SENDER);
    await until(async () => (await other.get("t1"))?.status === "done", "t1 is done");
    const notBefore = (await other.now()) + 100;
    await other.apply({ op: "add", tasks: [{ subject: "two", notBefore }] }, SENDER);
    await until(async () => (await other.get("t2"))?.status === "done", "t2 is done");
    expect((await other.get("t2"))?.claimedAt).toBeGreaterThanOrEqual(notBefore);
  });

  it("claims nothing while the queue is paused", async () => {
    const store = await storeWith({ subject: "one" });
    await store.setQueue({ paused: {} }, SENDER);
    let ran = 0;
    const workers = work(store, { owner: "ann", until: "left", idle: IDLE }, () => void ran++);
    await pause(60, "several looks at the queue");
    expect(ran).toBe(0);
    await store.setQueue({ paused: null }, SENDER);
    expect((await workers.ended).done).toBe(1);
  });

  it("finishes a task with a check only with its proof", async () => {
    const store = await storeWith({ subject: "one", check: "test", maxAttempts: 2 });
    const proof = { check: "test", tree: "", exitCode: 0, at: 1, machine: "m" } as const;
    const { summary } = await drain(store, ({ attempts }) => ({
      prove: () =>
        attempts === 1 ? { ok: false, reason: "exit 1", output: "3 failed" } : { ok: true, proof },
    }));
    expect(summary).toMatchObject({ done: 1, retried: 1 });
    const [failed] = (await store.events()).filter(({ type }) => type === "retried");
    expect(failed?.set.reason).toBe("exit 1\n3 failed");
    expect(await store.get("t1")).toMatchObject({ status: "done", proof });
  });

  it("keeps working when the store fails for a while", async () => {
    const store = await storeWith(...named(6));
    let calls = 0;
    const shaky: TaskStore = {
      ...store,
      apply: (op, sender) => {
        calls += 1;
        if (calls % 3 === 0) throw new Error("no connection");
        return store.apply(op, sender);
      },
    };
    const { summary, errors } = await drain(shaky, () => {}, { concurrency: 2 });
    expect(summary.done).toBe(6);
    expect(errors.length).toBeGreaterThan(0);
  });

  it("cuts evidence at its beginning and keeps its end", async () => {
    const store = await storeWith({ subject: "one" });
    await drain(store, () => ({ evidence: [`${"x\n".repeat(5_000)}\u0007the end\t!`, "  "] }));
    const [text = "", ...more] = (await store.get("t1"))?.evidence ?? [];
    expect(more).toStrictEqual([]);
    expect(text).toHaveLength(2_000);
    expect(text).toMatch(/^…[\s\S]*the end {2}!$/);
  });

  it("refuses invalid arguments", async () => {
    const store = await storeWith();
    const bad = (options: object, given: unknown = () => {}) =>
      expect(() => work(store, options as WorkOptions, given as () => void)).toThrow(TypeError);
    bad({});
    bad({ owner: " " });
    bad({ owner: "ann", concurrency: 0 });
    bad({ owner: "ann", lease: -1 });
    bad({ owner: "ann", timeout: 2 ** 31 });
    bad({ owner: "ann" }, "run");
    expect(() => work({} as TaskStore, { owner: "ann" }, () => {})).toThrow(TypeError);
  });
});
