import { describe, expect, test } from "vitest";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import type { TaskOp, TaskSender } from "../../../src/tasks/model.ts";
import { undoTaskOps } from "../../../src/tasks/rules/user/undo-ops.ts";

const MINUTE = 60_000;

/** A store whose clock the test sets, in minutes. */
function opened() {
  let minutes = 0;
  const store = memoryTaskStore({ now: () => minutes * MINUTE });
  const apply = (op: TaskOp, sender: Partial<TaskSender> = {}) =>
    store.apply(op, { by: "user", via: "test", ...sender });
  return {
    store,
    apply,
    at: (time: number) => {
      minutes = time;
    },
    /** The event that an op made, or the message of its refusal. */
    result(op: TaskOp, sender: Partial<TaskSender> = {}): unknown {
      const before = store.events({ last: 1 })[0]?.seq ?? 0;
      const answer = apply(op, sender);
      if (!answer.ok) return answer.refused.message;
      return store.events({ after: before }).map(({ type, task, set }) => [type, task, set]);
    },
  };
}

const add = (...tasks: readonly object[]): TaskOp => ({ op: "add", tasks }) as TaskOp;
const held = (id: string, epoch?: number) => [epoch === undefined ? { id } : { id, epoch }];
const claim = (id: string, owner = "ann"): TaskOp => ({ op: "claim", owner, id, lease: MINUTE });

describe("adding tasks", () => {
  test("resolves names, refs and ids, and repeats of a ref add nothing", () => {
    const { result, store } = opened();
    result(add({ subject: "Old", ref: "gh-1" }));
    const ids = (op: TaskOp) => (result(op) as unknown[][]).map(([, id]) => id);
    expect(
      ids(
        add(
          { subject: "New", name: "n", blockedBy: ["gh-1", "t1", "gh-2"], parent: "gh-2" },
          { subject: "Second", ref: "gh-2" },
          { subject: "Again", ref: "gh-2" },
          { subject: "Known", ref: "gh-1" },
          { subject: "Last", blockedBy: ["n"], parent: "T1" },
        ),
      ),
    ).toEqual(["t2", "t3", "t4"]);
    const shown = store
      .list({})
      .map(({ id, subject, blockedBy, parent }) => [id, subject, blockedBy, parent]);
    expect(shown.sort()).toEqual([
      ["t1", "Old", [], undefined],
      ["t2", "New", ["t1", "t3"], "t3"],
      ["t3", "Second", [], undefined],
      ["t4", "Last", ["t2"], "t1"],
    ]);
    const answer = opened().apply(add({ subject: "One", ref: "r" }, { subject: "Two", ref: "r" }));
    expect(answer.ok && answer.tasks.map(({ id, subject }) => [id, subject])).toEqual([
      ["t1", "One"],
      ["t1", "One"],
    ]);
  });

  test("names the tasks of a cycle as the call names them", () => {
    const { result } = opened();
    expect(
      result(
        add(
          { subject: "A", name: "a", blockedBy: ["b"] },
          { subject: "B", name: "b", blockedBy: ["a"] },
        ),
      ),
    ).toBe('This would create a dependency cycle: "a" -> "b" -> "a". Nothing was changed.');
    expect(
      result(
        add({ subject: "A", name: "a", parent: "b" }, { subject: "B", name: "b", parent: "a" }),
      ),
    ).toBe('This would create a parent cycle: "a" -> "b" -> "a". Nothing was changed.');
    expect(result(add({ subject: "A", blockedBy: ["t9"] }))).toMatch(/t9/);
    expect(result(add({ subject: "A", parent: "t9" }))).toMatch(/t9/);
  });

  test("fills in what the call leaves out, and nothing else", () => {
    const { result, at } = opened();
    at(1);
    expect(result(add({ subject: "A" }), { actor: "ann" })).toStrictEqual([
      [
        "added",
        "t1",
        {
          subject: "A",
          status: "open",
          priority: 2,
          labels: [],
          blockedBy: [],
          epoch: 0,
          attempts: 0,
          maxAttempts: 3,
          evidence: [],
          metadata: {},
          author: "ann",
          createdAt: MINUTE,
        },
      ],
    ]);
    const whole = {
      subject: "B",
      description: "d",
      activeText: "Bing",
      status: "failed",
      priority: 0,
      labels: ["l"],
      parent: "t1",
      blockedBy: ["t1"],
      owner: "ben",
      maxAttempts: 1,
      notBefore: 2,
      deadline: 3,
      evidence: ["e"],
      check: "c",
      reason: "r",
      metadata: { m: 1 },
      ref: "x",
      author: "cat",
      createdAt: 4,
      finishedAt: 5,
    };
    expect(result(add(whole))).toStrictEqual([
      ["added", "t2", { ...whole, epoch: 0, attempts: 0 }],
    ]);
    expect(result(add({ subject: "C", status: "done" }))).toMatchObject([
      ["added", "t3", { status: "done", finishedAt: MINUTE }],
    ]);
  });
});

describe("closing and reopening", () => {
  test("cancels with a reason, which replaces the old one", () => {
    const { apply, result } = opened();
    apply(add({ subject: "A" }, { subject: "B" }));
    apply(claim("t1"));
    expect(result({ op: "cancel", id: "t1", reason: "why" })).toStrictEqual([
      ["cancelled", "t1", { status: "cancelled", finishedAt: 0, leaseUntil: null, reason: "why" }],
    ]);
    expect(result({ op: "cancel", id: "t1" })).toEqual([]);
    expect(result({ op: "cancel", id: "T2" })).toStrictEqual([
      ["cancelled", "t2", { status: "cancelled", finishedAt: 0 }],
    ]);
    apply(add({ subject: "C" }));
    apply(claim("t3"));
    apply({ op: "release", owner: "ann", held: held("t3", 1), reason: "tired" });
    expect(result({ op: "cancel", id: "t3" })).toStrictEqual([
      ["cancelled", "t3", { status: "cancelled", finishedAt: 0, reason: null }],
    ]);
    expect(result({ op: "cancel", id: "t9" })).toMatch(/t9/);
  });

  test("reopens a closed task without what the last attempt left", () => {
    const { apply, result, at } = opened();
    apply(add({ subject: "A" }));
    expect(result({ op: "reopen", id: "t1" })).toBe(
      "t1 is open; only done, failed and cancelled tasks can be reopened.",
    );
    at(1);
    apply(claim("t1"));
    apply({ op: "finish", owner: "ann", held: held("t1", 1), evidence: ["proof"] });
    expect(result({ op: "cancel", id: "t1" })).toBe(
      "t1 is already done. To work on it again: waymark task reopen t1.",
    );
    const [event] = result({ op: "reopen", id: "T1" }) as [string, string, object][];
    expect(event).toMatchObject([
      "reopened",
      "t1",
      { status: "open", attempts: 0, evidence: [], finishedAt: null },
    ]);
    expect(event?.[2]).not.toHaveProperty("notBefore");
    expect(event?.[2]).not.toHaveProperty("proof");
  });
});

describe("claims", () => {
  test("are refused with the present owner and epoch", () => {
    const { apply, result, at } = opened();
    apply(add({ subject: "A" }));
    const release = (owner: string, epoch?: number): TaskOp => ({
      op: "release",
      owner,
      held: held("t1", epoch),
    });
    expect(result(release("ann"))).toBe(
      "t1 is not claimed, so it can't be released. Claim it first: waymark task claim t1 --as OWNER.",
    );
    apply(claim("t1"));
    expect(result(release("ben", 1))).toBe(
      'Epoch 1 of t1 belongs to "ann", not to "ben"; "ann" owns it now, with epoch 1. Nothing was changed.',
    );
    expect(result(release("ann", 2))).toBe(
      'Epoch 2 of t1 does not exist; "ann" owns it now, with epoch 1. Nothing was changed.',
    );
    at(2);
    apply(claim("t1", "ben"));
    expect(result(release("ann", 1))).toBe(
      'Epoch 1 of t1 expired; "ben" owns it now, with epoch 2. Nothing was changed.',
    );
    expect(result(release("ben", 2))).toMatchObject([["released", "t1", { status: "open" }]]);
  });

  test("need the check of the task to have passed before it is finished", () => {
    const { apply, result } = opened();
    apply(add({ subject: "A", check: "unit tests" }));
    apply(claim("t1"));
    expect(result({ op: "finish", owner: "ann", held: held("t1", 1), evidence: ["e"] })).toBe(
      't1 can only be finished after its check "unit tests" has passed on the present files. Run: waymark verify --task t1.',
    );
  });

  test("are replayed by their keys, for ops of the same kind on the same tasks", () => {
    const { apply } = opened();
    apply(add({ subject: "A" }, { subject: "B" }));
    const replayed = (op: TaskOp, key: string) => {
      const answer = apply(op, { key });
      return answer.ok ? answer.duplicate : answer.refused.code;
    };
    const kinds: readonly TaskOp[] = [
      claim("t1"),
      { op: "renew", owner: "ann", held: held("t1", 1) },
      { op: "release", owner: "ann", held: held("t1", 1) },
      { op: "claim", owner: "ann" },
      { op: "fail", owner: "ann", held: held("t1", 2), reason: "r" },
    ];
    for (const [place, op] of kinds.entries()) {
      expect([op.op, replayed(op, `k${place}`), replayed(op, `k${place}`)]).toEqual([
        op.op,
        false,
        true,
      ]);
      expect(replayed({ op: "reopen", id: "t1" }, `k${place}`)).toBe("key_used");
    }
    expect(replayed(claim("t2"), "k0")).toBe("key_used");
  });

  test("by observation renew whole milliseconds, if they gain a quarter of the lease", () => {
    const renewed = (minutes: number, ago?: number) => {
      const { apply, store, at } = opened();
      apply(add({ subject: "A" }));
      apply(claim("t1"));
      at(minutes);
      return store.renewByObservation("ann", ago).map(({ leaseUntil }) => leaseUntil);
    };
    expect(renewed(0.2)).toEqual([]);
    expect(renewed(0.25)).toEqual([1.25 * MINUTE]);
    expect(renewed(0.5, 0.9)).toEqual([1.5 * MINUTE]);
    expect(renewed(0.5, 1.9)).toEqual([1.5 * MINUTE - 1]);
    expect(renewed(0.5, -5)).toEqual([1.5 * MINUTE]);
    // The lease expired, and no other agent claimed the task.
    expect(renewed(5)).toEqual([6 * MINUTE]);
    expect(renewed(5, MINUTE)).toEqual([]);
    expect(renewed(5, MINUTE - 1)).toEqual([5 * MINUTE + 1]);
  });
});

describe("taking back a change of the user", () => {
  const task = {
    id: "t1",
    subject: "A",
    status: "open",
    priority: 2,
    labels: ["l"],
    blockedBy: ["t2"],
    epoch: 3,
    evidence: ["e"],
  };
  const undone = (op: object, before: object | undefined, after: object = {}) =>
    undoTaskOps(op as never, before && ({ ...task, ...before } as never), {
      ...task,
      ...after,
    } as never);
  const mine = { status: "claimed", owner: "ann" };

  test.each<[string, object, object | undefined, object, readonly object[]]>([
    [
      "an added task is cancelled",
      { op: "add" },
      undefined,
      {},
      [{ op: "cancel", id: "t1", reason: "undone" }],
    ],
    ["a new task has no other change", { op: "edit" }, undefined, {}, []],
    ["an edit without effect", { op: "edit" }, {}, {}, []],
    [
      "an edit",
      { op: "edit" },
      { description: undefined },
      { subject: "B", description: "d", priority: 1, labels: [], blockedBy: ["t3"] },
      [
        {
          op: "edit",
          id: "t1",
          set: {
            subject: "A",
            description: null,
            priority: 2,
            labels: ["l"],
            addBlockedBy: ["t2"],
            removeBlockedBy: ["t3"],
          },
        },
      ],
    ],
    [
      "a description",
      { op: "edit" },
      { description: "d" },
      {},
      [{ op: "edit", id: "t1", set: { description: "d" } }],
    ],
    [
      "a first assignment",
      { op: "assign" },
      {},
      mine,
      [{ op: "release", owner: "ann", held: [{ id: "t1", epoch: 3 }] }],
    ],
    [
      "a second assignment",
      { op: "assign" },
      { status: "claimed", owner: "ben" },
      mine,
      [{ op: "assign", id: "t1", owner: "ben", from: { owner: "ann", epoch: 3 } }],
    ],
    ["a release", { op: "release" }, mine, {}, [{ op: "assign", id: "t1", owner: "ann" }]],
    [
      "a finish of a claimed task",
      { op: "finish" },
      mine,
      { status: "done", owner: "ann" },
      [
        { op: "reopen", id: "t1" },
        { op: "assign", id: "t1", owner: "ann" },
      ],
    ],
    [
      "a cancellation of an open task",
      { op: "cancel" },
      {},
      { status: "cancelled" },
      [{ op: "reopen", id: "t1" }],
    ],
    [
      "reopening a cancelled task",
      { op: "reopen" },
      { status: "cancelled", reason: "r" },
      {},
      [{ op: "cancel", id: "t1", reason: "r" }],
    ],
    [
      "reopening a done task",
      { op: "reopen" },
      { status: "done" },
      {},
      [{ op: "finish", owner: "user", held: [{ id: "t1" }], evidence: ["e"], force: true }],
    ],
    [
      "reopening a done task with a check",
      { op: "reopen" },
      { status: "done" },
      { check: "c" },
      [{ op: "finish", owner: "user", held: [{ id: "t1" }], evidence: ["e"] }],
    ],
    ["reopening a failed task", { op: "reopen" }, { status: "failed" }, {}, []],
    ["a renewal", { op: "renew" }, mine, mine, []],
  ])("%s", (_, op, before, after, expected) => {
    expect(undone(op, before, after)).toStrictEqual(expected);
  });
});
