import { expect, test } from "vitest";
import type { Task } from "../../../src/tasks/model.ts";
import { taskBoard, taskHeadline } from "../../../src/tasks/rules/board.ts";

const NOW = 1_000_000_000;
const MINUTE = 60_000;

function task(id: string, more: Partial<Task> = {}): Task {
  return {
    id,
    subject: `Do ${id}`,
    status: "open",
    priority: 2,
    labels: [],
    blockedBy: [],
    epoch: 0,
    attempts: 0,
    maxAttempts: 3,
    evidence: [],
    metadata: {},
    createdAt: NOW - 60 * MINUTE,
    updatedAt: NOW - 60 * MINUTE,
    ...more,
  };
}

const held = (id: string, left: number, more: Partial<Task> = {}) =>
  task(id, {
    status: "claimed",
    owner: "ann",
    epoch: 1,
    attempts: 1,
    lease: 5 * MINUTE,
    leaseUntil: NOW + left,
    claimedAt: NOW - 10 * MINUTE,
    ...more,
  });

const ids = (cards: readonly { task: Task }[]) => cards.map(({ task: { id } }) => id);

test("does not count a task that blocks itself as a bottleneck of itself", () => {
  const low = held("x", MINUTE / 60, { blockedBy: ["y"] });
  const { holdUps } = taskBoard([low, task("y", { blockedBy: ["x"] })], NOW);
  expect(holdUps).toEqual([{ id: "x", tasks: ["y"] }]);
});

test("sorts bottlenecks by the number of tasks they block", () => {
  const { holdUps } = taskBoard(
    [
      task("failed", { status: "failed" }),
      task("a", { blockedBy: ["failed"] }),
      task("cancelled", { status: "cancelled" }),
      task("b", { blockedBy: ["cancelled"] }),
      task("c", { blockedBy: ["b", "a"] }),
      task("d", { blockedBy: ["cancelled"] }),
      task("failed alone", { status: "failed" }),
      held("fine", 4 * MINUTE),
      task("e", { blockedBy: ["fine"] }),
      task("closed", { status: "done", blockedBy: ["failed"] }),
    ],
    NOW,
  );
  expect(holdUps.map(({ id, tasks }) => [id, tasks.toSorted()])).toEqual([
    ["cancelled", ["b", "c", "d"]],
    ["failed", ["a", "c"]],
  ]);
});

test("puts every task into one column, most important first", () => {
  const tasks = [
    task("t1", { status: "done", finishedAt: NOW - 3 * MINUTE, blockedBy: [] }),
    task("t2", { status: "done", finishedAt: NOW - 2 * MINUTE }),
    task("t3", { createdAt: NOW - 5 }),
    task("t4", { createdAt: NOW - 9 }),
    task("t5", { priority: 0, createdAt: NOW }),
    task("t6", { blockedBy: ["t1", "t7"], labels: ["db"] }),
    held("t7", 4 * MINUTE, { priority: 0 }),
    held("t8", 1 * MINUTE),
    task("t9", { status: "failed", reason: "no key", finishedAt: NOW - MINUTE, attempts: 3 }),
    task("t10", { status: "cancelled", finishedAt: NOW - MINUTE }),
    task("t11", { status: "done", finishedAt: NOW - 25 * 60 * MINUTE }),
    task("t12", { blockedBy: ["t8", "t6"], priority: 1 }),
    task("t13", { blockedBy: ["t99"], priority: 4 }),
  ];
  const board = taskBoard(tasks, NOW);
  const { columns, ...rest } = board;
  expect(
    Object.fromEntries(Object.entries(columns).map(([name, cards]) => [name, ids(cards)])),
  ).toEqual({
    ready: ["t5", "t4", "t3", "t13"],
    waiting: ["t12", "t6"],
    claimed: ["t8", "t7"],
    done: ["t10", "t2", "t1"],
    failed: ["t9"],
  });
  expect(rest).toEqual({
    counts: { ready: 4, waiting: 2, claimed: 2, done: 2, failed: 1, cancelled: 1 },
    older: 1,
    holdUps: [{ id: "t8", tasks: ["t12"] }],
    labels: ["db"],
  });
  expect(columns.claimed.map(({ lease, waitsFor }) => ({ lease, waitsFor }))).toEqual([
    {
      lease: { left: MINUTE, share: 0.2, isLow: true, renewedAt: NOW - 4 * MINUTE },
      waitsFor: [],
    },
    {
      lease: { left: 4 * MINUTE, share: 0.8, isLow: false, renewedAt: NOW - MINUTE },
      waitsFor: [],
    },
  ]);
  expect(columns.ready[0]).toEqual({ task: tasks[4], column: "ready", waitsFor: [], rank: 1 });
  expect(columns.waiting.map(({ waitsFor }) => waitsFor)).toEqual([["t8", "t6"], ["t7"]]);
  expect(taskHeadline(board)).toEqual([
    "4 ready, 2 claimed.",
    "2 blocked, 1 failed. 2 done today.",
  ]);
});

test("shows a task with an expired lease as ready, or as failed after its last attempt", () => {
  const { columns } = taskBoard([held("t1", -1), held("t2", -1, { attempts: 3 })], NOW);
  expect(ids(columns.claimed)).toEqual([]);
  expect(columns.ready.map(({ task: { status, lapsed } }) => ({ status, lapsed }))).toEqual([
    { status: "open", lapsed: { owner: "ann", at: NOW - 1 } },
  ]);
  expect(ids(columns.failed)).toEqual(["t2"]);
});

test("follows failed and cancelled blockers through any distance", () => {
  const tasks = [
    task("t1", { status: "failed" }),
    task("t2", { blockedBy: ["t1"] }),
    task("t3", { blockedBy: ["t2", "t5"] }),
    task("t4", { blockedBy: ["t3"], status: "done" }),
    task("t5", { status: "cancelled", finishedAt: NOW }),
    held("t6", 4 * MINUTE),
    task("t7", { blockedBy: ["t6"] }),
  ];
  expect(taskBoard(tasks, NOW).holdUps).toEqual([
    { id: "t1", tasks: ["t2", "t3"] },
    { id: "t5", tasks: ["t3"] },
  ]);
});

test("searches all texts of a task, also of tasks closed long ago", () => {
  const tasks = [
    task("t1", { subject: "Paint the DOOR", labels: ["house"] }),
    task("t2", { description: "behind the door", owner: "bob" }),
    task("t3", { status: "done", finishedAt: 0, evidence: ["door.png"] }),
    task("t4", { reason: "no key", labels: ["house"] }),
  ];
  const found = (search: string, label?: string) => {
    const { columns } = taskBoard(tasks, NOW, { search, label });
    return Object.values(columns).flatMap(ids).sort();
  };
  expect(found("  dooR ")).toEqual(["t1", "t2", "t3"]);
  expect(found("door bob")).toEqual(["t2"]);
  expect(found("T4")).toEqual(["t4"]);
  expect(found("key door")).toEqual([]);
  expect(found("", "house")).toEqual(["t1", "t4"]);
});

test("handles a chain of ten thousand tasks", () => {
  const tasks = Array.from({ length: 10_000 }, (_, n) =>
    task(`t${n + 1}`, n === 0 ? { status: "failed" } : { blockedBy: [`t${n}`] }),
  );
  const { counts, holdUps } = taskBoard(tasks, NOW);
  expect(counts).toMatchObject({ ready: 0, waiting: 9_999, failed: 1 });
  expect(holdUps[0]?.tasks.length).toBe(9_999);
});

test("puts delayed tasks last among the ready ones, without a place in the queue", () => {
  const tasks = [
    task("t1", { notBefore: NOW + 2 * MINUTE, priority: 0 }),
    task("t2", { notBefore: NOW + MINUTE }),
    task("t3", { notBefore: NOW - MINUTE }),
    task("t4", { notBefore: NOW + MINUTE, blockedBy: ["t3"] }),
  ];
  const { columns } = taskBoard(tasks, NOW);
  expect(columns.ready.map(({ task: { id }, rank }) => [id, rank])).toEqual([
    ["t3", 1],
    ["t2", undefined],
    ["t1", undefined],
  ]);
  expect(ids(columns.waiting)).toEqual(["t4"]);
});

test("shows leases of claimed tasks only, the lowest first", () => {
  const ended = { status: "done", finishedAt: NOW, lease: 5 * MINUTE, leaseUntil: NOW } as const;
  const { columns } = taskBoard(
    [
      task("unknown", { status: "claimed", owner: "ben", epoch: 1 }),
      held("fine", 4 * MINUTE),
      held("low", MINUTE / 60),
      task("ended", ended),
    ],
    NOW,
  );
  expect(columns.claimed.map(({ task: { id }, lease }) => [id, lease])).toEqual([
    ["low", { left: 1_000, share: 1 / 300, isLow: true, renewedAt: NOW + 1_000 - 5 * MINUTE }],
    ["unknown", undefined],
    ["fine", { left: 4 * MINUTE, share: 0.8, isLow: false, renewedAt: NOW - MINUTE }],
  ]);
  expect(columns.done.map((card) => "lease" in card)).toEqual([false]);
});

test("follows what a bottleneck blocks through claimed tasks, not through closed ones", () => {
  const { holdUps } = taskBoard(
    [
      task("failed", { status: "failed" }),
      held("claimed", 4 * MINUTE, { blockedBy: ["failed"] }),
      task("later", { blockedBy: ["claimed"] }),
      task("cancelled", { status: "cancelled", blockedBy: ["failed"] }),
      task("never", { blockedBy: ["gone"] }),
    ],
    NOW,
  );
  expect(holdUps).toEqual([{ id: "failed", tasks: ["claimed", "later"] }]);
});
