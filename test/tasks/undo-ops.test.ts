import { expect, test } from "vitest";
import { memoryTaskStore } from "../../src/tasks/memory.ts";
import type { Task } from "../../src/tasks/model.ts";
import { undoTaskOps } from "../../src/tasks/rules/user/undo-ops.ts";
import { userOps } from "../../src/tasks/rules/user-ops.ts";
import type { UserTaskOp } from "../../src/tasks/wire.ts";

const BY = { by: "user", via: "test" } as const;

test("takes back every change of a user that a task remembers", async () => {
  const store = memoryTaskStore();
  const apply = async (op: UserTaskOp): Promise<Task> => {
    const answer = await store.apply(op, BY);
    if (!answer.ok) throw new Error(answer.refused.message);
    const [task] = answer.tasks;
    if (!task) throw new Error("no task");
    return task;
  };
  const other = await apply({ op: "add", tasks: [{ subject: "Other" }] });
  let task = await apply({ op: "add", tasks: [{ subject: "Dig", labels: ["wet"] }] });
  const changes: readonly ((now: Task) => UserTaskOp)[] = [
    (now) => userOps.rename(now, "Dig deeper"),
    (now) => userOps.setPriority(now, 0),
    (now) => ({ op: "edit", id: now.id, set: { addLabels: ["deep"], removeLabels: ["wet"] } }),
    (now) => userOps.waitFor(now, other.id),
    (now) => userOps.handOver(now, "mole"),
    (now) => userOps.cancel(now, "too wet"),
  ];
  const shown = ({ subject, status, priority, labels, blockedBy }: Task) => ({
    subject,
    status,
    priority,
    labels,
    blockedBy,
  });
  for (const change of changes) {
    const before = task;
    const op = change(before);
    const after = await apply(op);
    expect(shown(after)).not.toEqual(shown(before));
    for (const undo of undoTaskOps(op, before, after)) task = await apply(undo);
    expect(shown(task)).toEqual(shown(before));
  }
  const claimed = await apply(userOps.handOver(task, "mole"));
  const released = await apply(userOps.release(claimed));
  for (const undo of undoTaskOps(userOps.release(claimed), claimed, released))
    task = await apply(undo);
  expect([task.status, task.owner]).toEqual(["claimed", "mole"]);
  const done = await apply(userOps.finish(task, "a hole"));
  const reopened = await apply(userOps.reopen(done));
  expect(reopened.status).toBe("open");
  for (const undo of undoTaskOps(userOps.reopen(done), done, reopened)) task = await apply(undo);
  expect([task.status, task.evidence]).toEqual(["done", ["Forced: it was not claimed", "a hole"]]);
  const added = await apply({ op: "add", tasks: [{ subject: "Wrong" }] });
  const [undo] = undoTaskOps({ op: "add", tasks: [] }, undefined, added);
  expect(undo && (await apply(undo)).status).toBe("cancelled");
});
