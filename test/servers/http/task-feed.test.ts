import { expect, onTestFinished, test } from "vitest";
import { openTaskFeed } from "../../../src/servers/http/tasks/feed.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import type { TaskOp } from "../../../src/tasks/model.ts";
import { pause } from "../../until.ts";

/** As many as are done and still shown. */
const SHOWN = 1_000;

test("what is not shown is counted once, however often it is changed", async () => {
  const store = memoryTaskStore();
  const apply = (op: TaskOp) => {
    const answer = store.apply(op, { by: "user", via: "test" });
    if (!answer.ok) throw new Error(answer.refused.message);
  };
  const done = (subject: string, finishedAt: number) =>
    ({ subject, status: "done", finishedAt }) as const;
  const olds = Array.from({ length: SHOWN + 1 }, (_, place) => done(`old ${place}`, place + 1));
  apply({ op: "add", tasks: olds });
  let told = 0;
  const feed = await openTaskFeed(store, {
    every: 0,
    onNews: ({ tasks }) => {
      told += tasks.length;
    },
    onProblem: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(() => feed.stop());
  const seen = async () => ({ left: await feed.left(), shown: feed.tasks().length });
  expect(await seen()).toEqual({ left: 1, shown: SHOWN });

  for (const priority of [0, 1, 3, 4] as const) {
    const before = told;
    apply({ op: "edit", id: "t1", set: { priority } });
    await expect.poll(() => told).toBe(before + 1);
    expect(await seen()).toEqual({ left: 1, shown: SHOWN });
  }
  // Open again it is shown, and the next that is done pushes out the oldest of the others.
  const before = told;
  apply({ op: "reopen", id: "t1" });
  await expect.poll(() => told).toBe(before + 1);
  expect(await seen()).toEqual({ left: 0, shown: SHOWN + 1 });
  apply({ op: "add", tasks: [done("new", SHOWN * 2)] });
  await expect.poll(() => told).toBe(before + 2);
  expect(await seen()).toEqual({ left: 1, shown: SHOWN + 1 });
  expect(feed.tasks().some(({ id }) => id === "t2")).toBe(false);
});

test("whoever changes a task is told of it before they go on, also when several do at once", async () => {
  const kept = memoryTaskStore();
  // As a database does, it takes its time.
  const store = {
    ...kept,
    get: (id: string) => pause(10, "a slow database").then(() => kept.get(id)),
  };
  for (const subject of ["one", "two", "three"])
    kept.apply({ op: "add", tasks: [{ subject }] }, { by: "user", via: "test" });
  const told: string[][] = [];
  const feed = await openTaskFeed(store, {
    onNews: ({ tasks }) => told.push(tasks.map(({ id, priority }) => `${id} P${priority}`)),
    onProblem: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(() => feed.stop());
  const change = async (id: string) => {
    kept.apply({ op: "edit", id, set: { priority: 0 } }, { by: "user", via: "test" });
    await feed.show([id]);
    expect(told.flat()).toContain(`${id} P0`);
  };
  await Promise.all(["t1", "t2", "t3"].map(change));
  expect(told.filter((tasks) => tasks.length === 0)).toEqual([]);
});
