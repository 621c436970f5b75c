import { expect, test } from "vitest";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import type { Task } from "../../../src/tasks/model.ts";
import { userOpResult, userOps } from "../../../src/tasks/rules/user-ops.ts";
import type { UserTaskOp } from "../../../src/tasks/wire.ts";

const YOU = { by: "user", via: "test" } as const;

/** A store with one task; returns the message that the user sees. */
function newStore() {
  const store = memoryTaskStore();
  const act = (make: (task: Task) => UserTaskOp): string => {
    const op = make(store.get("t1") as Task);
    const answer = store.apply(op, YOU);
    if (!answer.ok) return answer.refused.message;
    return userOpResult(op, answer.tasks[0] as Task);
  };
  const claim = (owner: string) => store.apply({ op: "claim", id: "t1", owner }, YOU);
  store.apply({ op: "add", tasks: [{ subject: "Paint" }, { subject: "Dry" }] }, YOU);
  return { store, act, claim };
}

test("applies each user op and describes the result", () => {
  const { store, act, claim } = newStore();
  expect(act((task) => userOps.setPriority(task, 0))).toBe("Set the priority of t1 to 0.");
  expect(act((task) => userOps.rename(task, "Paint it"))).toBe("Updated t1.");
  expect(act((task) => userOps.waitFor(task, "t2"))).toBe("t1 is now blocked by t2.");
  expect(act(({ id }) => ({ op: "edit", id, set: { removeBlockedBy: ["t2"] } }))).toBe(
    "t1 is no longer blocked by t2.",
  );
  expect(act((task) => userOps.handOver(task, "ann"))).toBe("Assigned t1 to ann.");
  expect(act(userOps.renew)).toBe("Extended the lease of ann on t1.");
  expect(act(userOps.release)).toBe("Released t1. ann can no longer update it.");
  expect(act((task) => userOps.cancel(task, "too wet"))).toBe("Cancelled t1.");
  expect(act(userOps.reopen)).toBe("Reopened t1.");
  claim("bob");
  expect(act((task) => userOps.finish(task, "a photo"))).toBe("Finished t1.");
  expect(store.get("t1")).toMatchObject({ owner: "bob", evidence: ["a photo"], status: "done" });
  expect(act(userOps.reopen)).toBe("Reopened t1.");
  expect(act((task) => userOps.finish(task))).toBe(
    "Finished t1 without evidence, although it was not claimed.",
  );
  // It was never claimed, so it has no last owner.
  expect(store.get("t1")).toMatchObject({ evidence: ["Forced: it was not claimed"] });
  expect(store.get("t1")).not.toHaveProperty("owner");
  expect(act(() => ({ op: "add", tasks: [{ subject: "Hang" }] }))).toBe("Added t3.");
});

test("reports refusals of the store", () => {
  const { act, claim, store } = newStore();
  expect(act(userOps.release)).toMatch(/^t1 is not claimed, so it can't be released\./);
  expect(act(userOps.reopen)).toMatch(/^t1 is open; only done/);
  // Another agent claimed it after the user looked.
  claim("ann");
  const seen = store.get("t1") as Task;
  store.apply({ op: "assign", id: "t1", owner: "bob" }, YOU);
  expect(act(() => userOps.finish(seen))).toMatch(/^Epoch 1 of t1 expired; "bob" owns it now/);
  expect(act(() => userOps.release(seen))).toMatch(/^Epoch 1 of t1 expired/);
  expect(act(() => userOps.handOver(seen, "cid"))).toMatch(/^Epoch 1 of t1 expired; "bob" owns it/);
  expect(act(() => userOps.finish({ ...seen, epoch: 9 }))).toMatch(
    /^Epoch 9 of t1 does not exist; "bob" owns it now, with epoch 2\./,
  );
  expect(store.get("t1")).toMatchObject({ owner: "bob", epoch: 2 });
  expect(act((task) => userOps.handOver(task, "cid"))).toBe("Assigned t1 to cid.");
});
