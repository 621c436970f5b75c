import { expect, test } from "vitest";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import type { TaskOp } from "../../../src/tasks/model.ts";

const SENDER = { by: "user", via: "test" } as const;

test("adds a closed task with its reason, owner and time", async () => {
  const store = memoryTaskStore();
  const op: TaskOp = {
    op: "add",
    tasks: [
      {
        subject: "Dropped",
        status: "cancelled",
        reason: "not needed",
        owner: "ann",
        finishedAt: 5,
      },
      { subject: "Open", owner: "ann" },
    ],
  };
  const answer = await store.apply(op, SENDER);
  if (!answer.ok) throw new Error(JSON.stringify(answer));
  const [dropped, open] = answer.tasks;
  expect(dropped).toMatchObject({ reason: "not needed", owner: "ann", finishedAt: 5 });
  for (const field of ["reason", "owner", "finishedAt"]) expect(open).not.toHaveProperty(field);
});

test("replays the answer of an operation for its own key only", async () => {
  const store = memoryTaskStore();
  const apply = (op: TaskOp, key: string) => store.apply(op, { ...SENDER, key });
  await apply({ op: "add", tasks: [{ subject: "Cut" }, { subject: "Sew" }] }, "add");
  const ops: readonly TaskOp[] = [
    { op: "edit", id: "t1", set: { subject: "Cut it" } },
    { op: "cancel", id: "t1" },
    { op: "reopen", id: "t1" },
    { op: "assign", id: "t1", owner: "ann" },
  ] as const;
  for (const op of ops) {
    const first = await apply(op, op.op);
    expect([op.op, first.ok]).toEqual([op.op, true]);
    expect(await apply(op, op.op)).toMatchObject({ ok: true, duplicate: true });
    const other = { ...op, id: "t2" } as TaskOp;
    expect((await apply(other, op.op)).ok).toBe(false);
  }
  expect((await apply({ op: "cancel", id: "t1" }, "edit")).ok).toBe(false);
});
