import { expect, test } from "vitest";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import type { Task, TaskOp } from "../../../src/tasks/model.ts";
import { taskHeadline } from "../../../src/tasks/rules/board.ts";
import { eventVerb, expiryEvent } from "../../../src/tasks/rules/expired.ts";
import {
  blockedBy,
  cycleOf,
  noneReady,
  notFound,
  queuePaused,
} from "../../../src/tasks/rules/refusals.ts";
import { finishObjection, userOps } from "../../../src/tasks/rules/user-ops.ts";

const task = { id: "t1", subject: "A", status: "open", epoch: 3 } as unknown as Task;
const claimed = { ...task, status: "claimed", owner: "ann" } as const;

test("the headline of the board names what stops and what is done", () => {
  const headline = (counts: object) =>
    taskHeadline({
      counts: { ready: 1, claimed: 2, waiting: 0, failed: 0, done: 0, ...counts },
    } as never);
  expect(headline({})).toEqual(["1 ready, 2 claimed.", ""]);
  expect(headline({ waiting: 3 })[1]).toBe("3 blocked.");
  expect(headline({ failed: 1, done: 5 })[1]).toBe("1 failed. 5 done today.");
  expect(headline({ waiting: 3, failed: 1 })[1]).toBe("3 blocked, 1 failed.");
  expect(headline({ done: 5 })[1]).toBe("5 done today.");
});

test("refusals name eight tasks at most, and quote all names but ids", () => {
  const names = (count: number) => Array.from({ length: count }, (_, place) => `t${place + 1}`);
  const eight = names(8).join(", ");
  expect(blockedBy(task, names(8)).message).toBe(`t1 is blocked by ${eight}, not done yet.`);
  expect(blockedBy(task, names(9)).message).toBe(`t1 is blocked by ${eight}, …, not done yet.`);
  expect(cycleOf(["t1", "a", "t1"], "parents").message).toBe(
    'This would create a parent cycle: t1 -> "a" -> t1. Nothing was changed.',
  );
  expect([notFound("t9").message, notFound("x y").short]).toEqual([
    "No task has the id t9. See: waymark task list.",
    'No task has the id "x y".',
  ]);
  expect(noneReady().message).toBe(
    "No task is ready: all are closed, claimed, blocked or delayed.",
  );
  expect(noneReady("ui").message).toMatch(/^No task with the label "ui" is ready:/);
  const paused = (more: object) => queuePaused({ at: 0, by: "ann", ...more }).short;
  expect(paused({})).toMatch(
    /^The queue has been paused by "ann" since 1970-01-01T00:00:00\.000Z\. /,
  );
  expect(paused({ reason: "deploy" })).toContain('000Z ("deploy"). Claimed tasks continue');
});

test("the expired lease of a failed task is an event of its own", () => {
  const lapsed = { owner: "ann", at: 5 };
  const failed = { ...task, status: "failed", lapsed } as unknown as Task;
  expect(expiryEvent(failed)).toStrictEqual({
    at: 5,
    type: "failed",
    task: "t1",
    by: "system",
    via: "lease",
    set: { status: "failed", owner: "ann", finishedAt: 5 },
    derived: true,
  });
  expect(expiryEvent({ ...failed, reason: "late" })?.set).toMatchObject({ reason: "late" });
  expect(expiryEvent({ ...failed, status: "open" })).toBeUndefined();
  expect(expiryEvent({ ...task, status: "failed" })).toBeUndefined();
  expect([eventVerb("retried"), eventVerb("failed")]).toEqual([
    "failed, will be retried",
    "failed",
  ]);
});

test("ops of the user name the claim that the user saw", () => {
  const held = [{ id: "t1", epoch: 3 }];
  expect(userOps.release(claimed)).toStrictEqual({ op: "release", owner: "ann", held });
  expect(userOps.renew({ ...claimed, status: "open" })).toStrictEqual({
    op: "renew",
    owner: "user",
    held: [{ id: "t1" }],
  });
  expect(userOps.handOver(claimed, "ben")).toStrictEqual({
    op: "assign",
    id: "t1",
    owner: "ben",
    from: { owner: "ann", epoch: 3 },
  });
  expect(userOps.handOver(task, "ben")).toStrictEqual({ op: "assign", id: "t1", owner: "ben" });
  expect(userOps.cancel(task)).toStrictEqual({ op: "cancel", id: "t1" });
  expect(userOps.describe({ ...task, description: "d" }, " ")).toStrictEqual({
    op: "edit",
    id: "t1",
    set: { description: null },
    base: { description: "d" },
  });
  expect(userOps.describe(task, "new")).toMatchObject({
    set: { description: "new" },
    base: { description: null },
  });
});

test("finishing is forced exactly if something speaks against it and no check has to pass", () => {
  expect(finishObjection(claimed, [])).toBeUndefined();
  expect(finishObjection(task, [])).toBe("t1 is not claimed");
  expect(finishObjection(claimed, ["t2", "t3"])).toBe("t1 is blocked by t2, t3");
  expect(userOps.finish(claimed)).not.toHaveProperty("force");
  expect(userOps.finish(claimed, "", ["t2"])).toMatchObject({ force: true });
  expect(userOps.finish(task, "proof")).toMatchObject({ force: true, evidence: ["proof"] });
  expect(userOps.finish({ ...task, check: "c" })).toStrictEqual({
    op: "finish",
    owner: "user",
    held: [{ id: "t1" }],
  });
});

test("a forced finish records up to eight blockers, and refs name tasks that exist", () => {
  const store = memoryTaskStore({ now: () => 0 });
  const apply = (op: object) => store.apply(op as TaskOp, { by: "user", via: "test" });
  apply({
    op: "add",
    tasks: Array.from({ length: 9 }, (_, place) => ({ subject: "S", ref: `gh-${place}` })),
  });
  const blockers = Array.from({ length: 9 }, (_, place) => `gh-${place}`);
  apply({ op: "add", tasks: [{ subject: "Last", blockedBy: blockers, parent: "gh-0" }] });
  expect(store.get("t10")).toMatchObject({
    parent: "t1",
    blockedBy: ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"],
  });
  apply({ op: "finish", owner: "user", held: [{ id: "t10" }], force: true });
  expect(store.get("t10")?.evidence).toEqual([
    "Forced: it was not claimed",
    "Forced: it was blocked by t1, t2, t3, t4, t5, t6, t7, t8",
  ]);
});
