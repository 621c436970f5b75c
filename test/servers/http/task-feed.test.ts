import { expect, onTestFinished, test } from "vitest";
import { openTaskFeed } from "../../../src/servers/http/tasks/feed.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import type { TaskOp } from "../../../src/tasks/model.ts";
import { pause } from "../../until.ts";

/** The number of done tasks that are shown. */
const SHOWN = 1_000;

test("counts each task that is left out once, however often it changes", async () => {
  const store = memoryTaskStore();
  const apply = (op: TaskOp) => {
    const answer = store.apply(op, { by: "user", via: "test" });
    if (!answer.ok) throw new Error(answer.refused.message);
  };
  const done = (subject: string, finishedAt: number) =>
    ({ subject, status: "done", finishedAt }) as const;
  const oldest = Array.from({ length: SHOWN + 1 }, (_, index) => done(`old ${index}`, index + 1));
  apply({ op: "add", tasks: oldest });
  let updates = 0;
  const feed = await openTaskFeed(store, {
    every: 0,
    onUpdate: ({ tasks }) => {
      updates += tasks.length;
    },
    onError: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(() => feed.stop());
  const seen = async () => ({ left: await feed.left(), shown: feed.tasks().length });
  expect(await seen()).toEqual({ left: 1, shown: SHOWN });

  for (const priority of [0, 1, 3, 4] as const) {
    const before = updates;
    apply({ op: "edit", id: "t1", set: { priority } });
    await expect.poll(() => updates).toBe(before + 1);
    expect(await seen()).toEqual({ left: 1, shown: SHOWN });
  }
  // A reopened task is shown; the next task that is done displaces the oldest done one.
  const before = updates;
  apply({ op: "reopen", id: "t1" });
  await expect.poll(() => updates).toBe(before + 1);
  expect(await seen()).toEqual({ left: 0, shown: SHOWN + 1 });
  apply({ op: "add", tasks: [done("new", SHOWN * 2)] });
  await expect.poll(() => updates).toBe(before + 2);
  expect(await seen()).toEqual({ left: 1, shown: SHOWN + 1 });
  expect(feed.tasks().some(({ id }) => id === "t2")).toBe(false);
});

test("shows each concurrent writer its own change before it continues", async () => {
  const kept = memoryTaskStore();
  // Slow like a database.
  const store = {
    ...kept,
    get: (id: string) => pause(10, "a slow database").then(() => kept.get(id)),
  };
  for (const subject of ["one", "two", "three"])
    kept.apply({ op: "add", tasks: [{ subject }] }, { by: "user", via: "test" });
  const updates: string[][] = [];
  const feed = await openTaskFeed(store, {
    onUpdate: ({ tasks }) => updates.push(tasks.map(({ id, priority }) => `${id} P${priority}`)),
    onError: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(() => feed.stop());
  const change = async (id: string) => {
    kept.apply({ op: "edit", id, set: { priority: 0 } }, { by: "user", via: "test" });
    await feed.show([id]);
    expect(updates.flat()).toContain(`${id} P0`);
  };
  await Promise.all(["t1", "t2", "t3"].map(change));
  expect(updates.filter((tasks) => tasks.length === 0)).toEqual([]);
});
