import { expect, test } from "vitest";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import type { Task } from "../../../src/tasks/model.ts";
import { byHand, doneByHand } from "../../../src/tasks/rules/by-hand.ts";
import type { PersonTaskOp } from "../../../src/tasks/wire.ts";

const YOU = { by: "user", via: "test" } as const;

/** A store, and what a person is told of what they do to its one task. */
function newStore() {
  const store = memoryTaskStore();
  const act = (make: (task: Task) => PersonTaskOp): string => {
    const op = make(store.get("t1") as Task);
    const answer = store.apply(op, YOU);
    if (!answer.ok) return answer.refused.message;
    return doneByHand(op, answer.tasks[0] as Task);
  };
  const claim = (owner: string) => store.apply({ op: "claim", id: "t1", owner }, YOU);
  store.apply({ op: "add", tasks: [{ subject: "Paint" }, { subject: "Dry" }] }, YOU);
  return { store, act, claim };
}

test("each op by hand is carried out by the store and told in words", () => {
  const { store, act, claim } = newStore();
  expect(act((task) => byHand.setPriority(task, 0))).toBe("t1 has priority 0 now.");
  expect(act((task) => byHand.rename(task, "Paint it"))).toBe("Changed t1.");
  expect(act((task) => byHand.waitFor(task, "t2"))).toBe("t1 waits for t2 now.");
  expect(act(({ id }) => ({ op: "edit", id, set: { removeBlockedBy: ["t2"] } }))).toBe(
    "t1 no longer waits for t2.",
  );
  expect(act((task) => byHand.handOver(task, "ann"))).toBe("ann has t1 now.");
  expect(act(byHand.renew)).toBe("ann keeps t1 for another while.");
  expect(act(byHand.release)).toBe("t1 is free. ann is refused when it writes to it.");
  expect(act((task) => byHand.cancel(task, "too wet"))).toBe("Dropped t1.");
  expect(act(byHand.reopen)).toBe("t1 is open again.");
  claim("bob");
  expect(act((task) => byHand.finish(task, "a photo"))).toBe("t1 is done.");
  expect(store.get("t1")).toMatchObject({ owner: "bob", evidence: ["a photo"], status: "done" });
  expect(act(byHand.reopen)).toBe("t1 is open again.");
  expect(act((task) => byHand.finish(task))).toBe("t1 is done, without evidence.");
  expect(store.get("t1")).toMatchObject({ owner: "user", evidence: [] });
  expect(act(() => ({ op: "add", tasks: [{ subject: "Hang" }] }))).toBe("Added t3.");
});

test("what cannot be is told in the words of the store", () => {
  const { act, claim, store } = newStore();
  expect(act(byHand.release)).toMatch(/^Nobody holds t1, so it cannot be released\./);
  expect(act(byHand.reopen)).toMatch(/^t1 is open; only what is done/);
  // Somebody else has taken it since the person looked.
  claim("ann");
  const seen = store.get("t1") as Task;
  store.apply({ op: "assign", id: "t1", owner: "bob" }, YOU);
  expect(act(() => byHand.finish(seen))).toMatch(/^Epoch 1 of t1 is over; "bob" holds it now/);
  expect(act(() => byHand.release(seen))).toMatch(/^Epoch 1 of t1 is over/);
  expect(act(() => byHand.handOver(seen, "cid"))).toMatch(/^Epoch 1 of t1 is over; "bob" holds it/);
  expect(act(() => byHand.finish({ ...seen, epoch: 9 }))).toMatch(
    /^Epoch 9 of t1 was never given; "bob" holds it now, with epoch 2\./,
  );
  expect(store.get("t1")).toMatchObject({ owner: "bob", epoch: 2 });
  expect(act((task) => byHand.handOver(task, "cid"))).toBe("cid has t1 now.");
});
