import { describe, expect, it } from "vitest";
import type { Awaitable } from "../core/awaitable.ts";
import type {
  Task,
  TaskAnswer,
  TaskEvent,
  TaskOp,
  TaskRefusal,
  TaskSender,
} from "../tasks/model.ts";
import { foldTaskEvents } from "../tasks/rules/fold.ts";
import type { TaskStore } from "../tasks/store.ts";

export interface OpenedTaskStore {
  readonly store: TaskStore;
  /** Closes the store and opens it again on the same place. */
  reopen?(): Awaitable<TaskStore>;
  /** A second store object on the same place, open beside the first. */
  another?(): Awaitable<TaskStore>;
  /** Closes whatever is open and takes the place away. */
  cleanup(): Awaitable<void>;
}

/** What a store can do beyond the least. A case that it cannot do is named as left out. */
export interface TaskCapabilities {
  /** What was done is there after closing and opening again. */
  readonly lasting: boolean;
  /** Several store objects, of one process or many, work on one place. */
  readonly shared: boolean;
}

const PERSON: TaskSender = { by: "user", via: "suite" };
const LEASE = 60_000;
const SHORT = 40;

const TEXTS = [
  "plain",
  "quotes ' \" ` and \\ backslashes \\n",
  "astral 🧭👩‍👩‍👧‍👦 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
  "'; DROP TABLE tasks; --",
  "<b>tags</b> & </system-reminder>",
  "$1 %s {x} {{y}}",
  "__proto__",
];

function done(answer: TaskAnswer): readonly Task[] {
  if (!answer.ok) throw new Error(`refused: ${answer.refused.message}`);
  return answer.tasks;
}

function only(answer: TaskAnswer): Task {
  const [task] = done(answer);
  if (!task) throw new Error("the answer shows no task");
  return task;
}

function refusalOf(answer: TaskAnswer): TaskRefusal {
  if (answer.ok) throw new Error("it was not refused");
  return answer.refused;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(ready: () => boolean): Promise<void> {
  const limit = performance.now() + 10_000;
  while (!ready() && performance.now() < limit) await pause(5);
}

/**
 * What every store of tasks owes, as tests of vitest. Call it at the top level of a test file,
 * once for each store; `open` gives an empty store each time.
 */
export function taskStoreContract(
  name: string,
  open: () => Awaitable<OpenedTaskStore>,
  capabilities: TaskCapabilities,
): void {
  interface Bench extends OpenedTaskStore {
    act(op: TaskOp, sender?: Partial<TaskSender>): Promise<TaskAnswer>;
    add(subject: string, more?: object): Promise<string>;
    claim(owner: string, id?: string, more?: object): Promise<Task>;
    finish(task: Task): Promise<Task>;
    ids(tasks: Awaitable<readonly Task[]>): Promise<string[]>;
  }

  async function using(work: (bench: Bench) => Promise<void>): Promise<void> {
    const opened = await open();
    const { store } = opened;
    const act = async (op: TaskOp, sender: Partial<TaskSender> = {}) =>
      store.apply(op, { ...PERSON, ...sender });
    try {
      await work({
        ...opened,
        act,
        add: async (subject, more = {}) =>
          only(await act({ op: "add", tasks: [{ subject, ...more }] })).id,
        claim: async (owner, id, more = {}) =>
          only(await act({ op: "claim", owner, ...(id && { id }), lease: LEASE, ...more })),
        finish: async ({ id, epoch, owner = "" }) =>
          only(await act({ op: "finish", owner, held: [{ id, epoch }] })),
        ids: async (tasks) => (await tasks).map(({ id }) => id),
      });
    } finally {
      await opened.cleanup();
    }
  }

  const itLasting = it.skipIf(!capabilities.lasting);
  const itShared = it.skipIf(!capabilities.shared);

  describe(`${name} keeps the contract of a store of tasks`, () => {
    it("is empty in the beginning", () =>
      using(async ({ store, act }) => {
        expect(store.durable).toBe(capabilities.lasting);
        expect(await store.get("t1")).toBeUndefined();
        expect(await store.get("nonsense")).toBeUndefined();
        expect(await store.list()).toStrictEqual([]);
        expect(await store.ready()).toStrictEqual([]);
        expect(await store.events()).toStrictEqual([]);
        expect(await store.counts()).toStrictEqual({
          open: 0,
          claimed: 0,
          done: 0,
          failed: 0,
          cancelled: 0,
          ready: 0,
        });
        expect(refusalOf(await act({ op: "claim", owner: "ann" })).code).toBe("none_ready");
        expect(refusalOf(await act({ op: "claim", owner: "ann", id: "t1" }))).toMatchObject({
          code: "not_found",
          id: "t1",
        });
      }));

    it("makes a task of a subject", () =>
      using(async ({ store, act }) => {
        const answer = await act({ op: "add", tasks: [{ subject: "  Write\nit " }] });
        const task = only(answer);
        const at = task.createdAt;
        expect(answer).toStrictEqual({
          ok: true,
          duplicate: false,
          seq: 1,
          tasks: [
            {
              id: "t1",
              subject: "Write it",
              status: "open",
              priority: 2,
              labels: [],
              blockedBy: [],
              epoch: 0,
              attempts: 0,
              maxAttempts: 3,
              evidence: [],
              metadata: {},
              createdAt: at,
              updatedAt: at,
            },
          ],
        });
        expect(Math.abs(at - (await store.now()))).toBeLessThan(5_000);
        for (const name of ["t1", "1", "T1"]) expect(await store.get(name)).toStrictEqual(task);
        expect(await store.list()).toStrictEqual([task]);
        expect(await store.ready()).toStrictEqual([task]);
      }));

    it("keeps every field of a draft", () =>
      using(async ({ store, act }) => {
        const first = only(await act({ op: "add", tasks: [{ subject: "first" }] }));
        const draft = {
          subject: "second",
          description: "Two\n\nparagraphs",
          activeText: "Doing the second",
          priority: 0,
          labels: ["a", "b"],
          parent: first.id,
          blockedBy: [first.id],
          maxAttempts: 7,
          metadata: { a: [1, { b: null }], __proto: "x", text: "nul \u0000, lone \ud800" },
          ref: "old-2",
          author: "ann",
          createdAt: 1_700_000_000_000,
        } as const;
        const task = only(await act({ op: "add", tasks: [draft] }));
        expect(task).toStrictEqual({
          ...draft,
          id: "t2",
          status: "open",
          epoch: 0,
          attempts: 0,
          evidence: [],
          updatedAt: task.updatedAt,
        });
        expect(await store.get("t2")).toStrictEqual(task);
      }));

    it("keeps every text as it was sent", () =>
      using(async ({ store, act }) => {
        const drafts = TEXTS.map((text) => ({
          subject: text,
          description: `${text}\n\n\t${text}`,
          labels: [text],
          ref: text,
        }));
        const tasks = done(await act({ op: "add", tasks: drafts }));
        expect(tasks.map(({ subject }) => subject)).toStrictEqual(TEXTS);
        expect(await store.list()).toStrictEqual(tasks);
        for (const [place, text] of TEXTS.entries())
          expect(await store.list({ label: text })).toStrictEqual([tasks[place]]);
      }));

    it("refuses texts that are none, and says which", () =>
      using(async ({ store, act }) => {
        const bad: [object, string][] = [
          [{ subject: "" }, "subject is empty."],
          [{}, "subject is missing."],
          [{ subject: "a\u0000b" }, "subject has a control character, U+0000 at position 2."],
          [{ subject: "x", description: "\u001b[31m" }, "description has a control character"],
          [{ subject: "x", priority: 9 }, "priority is no priority from 0 (first) to 4 (last)."],
          [{ subject: "x", labels: "a" }, "labels is not a list of texts."],
          [{ subject: "x".repeat(501) }, "subject has 501 characters; at most 500 are allowed."],
          [{ subject: "x", metadata: [] }, "metadata is not an object."],
          [{ subject: "x", status: "claimed" }, "status is none of open, done, failed, cancelled."],
        ];
        for (const [draft, problem] of bad) {
          const refusal = refusalOf(await act({ op: "add", tasks: [draft as never] }));
          expect(refusal.code).toBe("invalid_input");
          expect(refusal.message).toContain(problem);
        }
        const two = await act({ op: "add", tasks: [{ subject: "fine" }, { subject: " " }] });
        expect(refusalOf(two).message).toBe("tasks[1].subject is empty. Nothing was changed.");
        expect(await store.list()).toStrictEqual([]);
        expect(await store.events()).toStrictEqual([]);
      }));

    it("gives many tasks that name each other in one step, or none", () =>
      using(async ({ store, act, ids }) => {
        const tasks = done(
          await act({
            op: "add",
            tasks: [
              { subject: "last", ref: "c", blockedBy: ["a", "b"] },
              { subject: "first", ref: "a" },
              { subject: "middle", ref: "b", blockedBy: ["a"], parent: "c" },
            ],
          }),
        );
        expect(tasks.map(({ id, blockedBy, parent }) => [id, blockedBy, parent])).toStrictEqual([
          ["t1", ["t2", "t3"], undefined],
          ["t2", [], undefined],
          ["t3", ["t2"], "t1"],
        ]);
        expect(await ids(store.ready())).toStrictEqual(["t2"]);
        const bad = await act({
          op: "add",
          tasks: [{ subject: "fine" }, { subject: "not", blockedBy: ["nowhere"] }],
        });
        expect(refusalOf(bad)).toMatchObject({ code: "not_found", id: "nowhere" });
        expect(await ids(store.list())).toStrictEqual(["t1", "t2", "t3"]);
        expect(only(await act({ op: "add", tasks: [{ subject: "next" }] })).id).toBe("t4");
      }));

    it("makes no second task for a ref that is known", () =>
      using(async ({ store, act }) => {
        const first = only(await act({ op: "add", tasks: [{ subject: "one", ref: "r" }] }));
        const again = await act({
          op: "add",
          tasks: [
            { subject: "other", ref: "r" },
            { subject: "new", blockedBy: ["r"] },
          ],
        });
        expect(done(again).map(({ id, subject }) => [id, subject])).toStrictEqual([
          ["t1", "one"],
          ["t2", "new"],
        ]);
        expect(done(again)[0]).toStrictEqual(first);
        expect((await store.get("t2"))?.blockedBy).toStrictEqual(["t1"]);
      }));

    it("offers what is ready by priority, then age", () =>
      using(async ({ store, add, ids }) => {
        await add("later");
        await add("urgent", { priority: 0 });
        await add("old", { createdAt: 1_600_000_000_000 });
        await add("someday", { priority: 4 });
        await add("labelled", { priority: 1, labels: ["ui"] });
        expect(await ids(store.ready())).toStrictEqual(["t2", "t5", "t3", "t1", "t4"]);
        expect(await ids(store.ready({ limit: 2 }))).toStrictEqual(["t2", "t5"]);
        expect(await ids(store.ready({ label: "ui" }))).toStrictEqual(["t5"]);
        expect(await ids(store.ready({ limit: 0 }))).toStrictEqual([]);
      }));

    it("lists by status, owner, label and parent", () =>
      using(async ({ store, act, add, claim, finish, ids }) => {
        await add("a", { labels: ["x", "y"] });
        await add("b", { labels: ["y"], parent: "t1" });
        await add("c", { parent: "t1" });
        await claim("ann", "t1");
        await finish(await claim("bob", "t2"));
        await act({ op: "cancel", id: "t3", reason: "no need" });
        expect(await ids(store.list({ status: "claimed" }))).toStrictEqual(["t1"]);
        expect(await ids(store.list({ status: "done" }))).toStrictEqual(["t2"]);
        expect(await ids(store.list({ status: "open" }))).toStrictEqual([]);
        expect(await ids(store.list({ owner: "bob" }))).toStrictEqual(["t2"]);
        expect(await ids(store.list({ label: "y" }))).toStrictEqual(["t1", "t2"]);
        expect(await ids(store.list({ label: "y", owner: "ann" }))).toStrictEqual(["t1"]);
        expect(await ids(store.list({ parent: "1" }))).toStrictEqual(["t2", "t3"]);
        await act({ op: "edit", id: "t3", set: { addBlockedBy: ["t1", "t2"] } });
        expect(await ids(store.list({ blockedBy: "T2" }))).toStrictEqual(["t3"]);
        expect(await ids(store.list({ blockedBy: "t3" }))).toStrictEqual([]);
        expect(await ids(store.list({ limit: 2 }))).toStrictEqual(["t1", "t2"]);
        expect(await store.counts()).toStrictEqual({
          open: 0,
          claimed: 1,
          done: 1,
          failed: 0,
          cancelled: 1,
          ready: 0,
        });
      }));

    it("gives a task to one holder", () =>
      using(async ({ store, act, add }) => {
        await add("one");
        const task = only(await act({ op: "claim", owner: "ann", lease: LEASE }));
        const at = task.claimedAt ?? 0;
        expect(task).toMatchObject({
          id: "t1",
          status: "claimed",
          owner: "ann",
          epoch: 1,
          attempts: 1,
          lease: LEASE,
          leaseUntil: at + LEASE,
          updatedAt: at,
        });
        expect(await store.get("t1")).toStrictEqual(task);
        expect(refusalOf(await act({ op: "claim", owner: "bob" })).code).toBe("none_ready");
        for (const owner of ["bob", "ann"])
          expect(refusalOf(await act({ op: "claim", owner, id: "t1" }))).toMatchObject({
            code: "held",
            id: "t1",
            holder: "ann",
            leaseUntil: at + LEASE,
          });
        expect(await store.get("t1")).toStrictEqual(task);
        expect(await store.events({ after: 1 })).toHaveLength(1);
      }));

    it("leases for five minutes unless told", () =>
      using(async ({ act, add }) => {
        await add("one");
        const task = only(await act({ op: "claim", owner: "ann" }));
        expect((task.leaseUntil ?? 0) - (task.claimedAt ?? 0)).toBe(300_000);
      }));

    it("claims in the order of ready, many at once if asked", () =>
      using(async ({ act, add, claim }) => {
        for (const priority of [3, 1, 2, 0]) await add(`p${priority}`, { priority });
        expect((await claim("ann")).id).toBe("t4");
        const two = done(await act({ op: "claim", owner: "bob", count: 2, lease: LEASE }));
        expect(two.map(({ id, owner, epoch }) => [id, owner, epoch])).toStrictEqual([
          ["t2", "bob", 1],
          ["t3", "bob", 1],
        ]);
        const rest = done(await act({ op: "claim", owner: "cy", count: 9 }));
        expect(rest.map(({ id }) => id)).toStrictEqual(["t1"]);
      }));

    it("claims by label", () =>
      using(async ({ act, add, claim }) => {
        await add("a", { priority: 0 });
        await add("b", { labels: ["ui"] });
        expect((await claim("ann", undefined, { label: "ui" })).id).toBe("t2");
        expect(refusalOf(await act({ op: "claim", owner: "bob", label: "ui" })).code).toBe(
          "none_ready",
        );
      }));

    it("holds back what is blocked until every blocker is done", () =>
      using(async ({ store, act, add, claim, finish, ids }) => {
        await add("a");
        await add("b");
        await add("c", { blockedBy: ["t1", "t2"] });
        expect(await ids(store.ready())).toStrictEqual(["t1", "t2"]);
        expect(refusalOf(await act({ op: "claim", owner: "x", id: "t3" }))).toMatchObject({
          code: "blocked",
          blockers: ["t1", "t2"],
        });
        const first = await claim("ann", "t1");
        await finish(first);
        expect(refusalOf(await act({ op: "assign", owner: "x", id: "t3" }))).toMatchObject({
          code: "blocked",
          blockers: ["t2"],
        });
        await act({ op: "cancel", id: "t2" });
        expect(await ids(store.ready())).toStrictEqual([]);
        await act({ op: "reopen", id: "t2" });
        await finish(await claim("ann", "t2"));
        expect(await ids(store.ready())).toStrictEqual(["t3"]);
        await act({ op: "reopen", id: "t1" });
        expect(await ids(store.ready())).toStrictEqual(["t1"]);
        await finish(await claim("bob", "t1"));
        expect((await claim("bob")).id).toBe("t3");
      }));

    it("takes blockers away and adds them", () =>
      using(async ({ store, act, add, claim, finish, ids }) => {
        await add("a");
        await add("b", { blockedBy: ["t1"] });
        await act({ op: "edit", id: "t2", set: { removeBlockedBy: ["t1"] } });
        expect(await ids(store.ready())).toStrictEqual(["t1", "t2"]);
        await act({ op: "edit", id: "t1", set: { addBlocks: ["t2"] } });
        expect((await store.get("t2"))?.blockedBy).toStrictEqual(["t1"]);
        expect(await ids(store.ready())).toStrictEqual(["t1"]);
        await act({ op: "edit", id: "t2", set: { addBlockedBy: ["1"] } });
        await finish(await claim("ann", "t1"));
        expect(await ids(store.ready())).toStrictEqual(["t2"]);
        await add("c", { blockedBy: ["t1"] });
        expect(await ids(store.ready())).toStrictEqual(["t2", "t3"]);
        await act({ op: "edit", id: "t3", set: { removeBlockedBy: ["t1"] } });
        expect(await ids(store.ready())).toStrictEqual(["t2", "t3"]);
      }));

    it("refuses cycles and names them", () =>
      using(async ({ store, act, add }) => {
        await add("a");
        await add("b", { blockedBy: ["t1"] });
        await add("c", { blockedBy: ["t2"], parent: "t1" });
        const before = await store.list();
        const refusals = [
          await act({ op: "edit", id: "t1", set: { addBlockedBy: ["t3"] } }),
          await act({ op: "edit", id: "t3", set: { addBlocks: ["t1"] } }),
          await act({ op: "edit", id: "t1", set: { addBlockedBy: ["t1"] } }),
          await act({ op: "edit", id: "t1", set: { parent: "t3" } }),
          await act({
            op: "add",
            tasks: [
              { subject: "x", ref: "x", blockedBy: ["y"] },
              { subject: "y", ref: "y", blockedBy: ["x"] },
            ],
          }),
        ].map(refusalOf);
        expect(refusals.map(({ code, cycle }) => [code, cycle])).toStrictEqual([
          ["cycle", ["t1", "t3", "t2", "t1"]],
          ["cycle", ["t1", "t3", "t2", "t1"]],
          ["cycle", ["t1", "t1"]],
          ["cycle", ["t1", "t3", "t1"]],
          ["cycle", ["t4", "t5", "t4"]],
        ]);
        expect(refusals[0]?.message).toContain("t1 waits for t3 waits for t2 waits for t1");
        expect(await store.list()).toStrictEqual(before);
        expect(await add("d")).toBe("t4");
      }));

    it("lets the holder renew, release, finish and fail, with its epoch", () =>
      using(async ({ store, act, add, claim, ids }) => {
        await add("a");
        const held = [{ id: "t1", epoch: 1 }];
        await claim("ann");
        const renewed = only(await act({ op: "renew", owner: "ann", held, lease: 2 * LEASE }));
        expect((renewed.leaseUntil ?? 0) - renewed.updatedAt).toBe(2 * LEASE);
        const free = only(await act({ op: "release", owner: "ann", held, reason: "lunch" }));
        expect(free).toMatchObject({ status: "open", attempts: 0, epoch: 1, reason: "lunch" });
        expect([free.owner, free.lease, free.leaseUntil, free.claimedAt]).toStrictEqual([
          undefined,
          undefined,
          undefined,
          undefined,
        ]);
        expect(await ids(store.ready())).toStrictEqual(["t1"]);
        const again = await claim("bob");
        expect(again).toMatchObject({ epoch: 2, attempts: 1, reason: "lunch" });
        const finished = only(
          await act({
            op: "finish",
            owner: "bob",
            held: [{ id: "t1", epoch: 2 }],
            evidence: ["npm test"],
          }),
        );
        expect(finished).toMatchObject({ status: "done", owner: "bob", evidence: ["npm test"] });
        expect([finished.leaseUntil, finished.reason]).toStrictEqual([undefined, undefined]);
        expect(finished.finishedAt).toBe(finished.updatedAt);
        expect(await store.get("t1")).toStrictEqual(finished);
      }));

    it("refuses a write with an old epoch and says who holds it", () =>
      using(async ({ store, act, add, claim, finish }) => {
        await add("a");
        await claim("ann");
        await act({ op: "release", owner: "ann", held: [{ id: "t1", epoch: 1 }] });
        const late = [{ id: "t1", epoch: 1 }];
        const writes = [
          { op: "renew", owner: "ann", held: late },
          { op: "release", owner: "ann", held: late },
          { op: "finish", owner: "ann", held: late },
          { op: "fail", owner: "ann", held: late, reason: "no" },
          { op: "assign", id: "t1", owner: "cy", from: { owner: "ann", epoch: 1 } },
        ] as const;
        for (const op of writes)
          expect(refusalOf(await act(op))).toMatchObject({ code: "stale_epoch", holder: null });
        const taken = await claim("bob");
        for (const op of writes) {
          const refusal = refusalOf(await act(op));
          expect(refusal).toMatchObject({ code: "stale_epoch", id: "t1", holder: "bob" });
          expect(refusal.message).toContain("bob holds it now");
        }
        expect(
          refusalOf(await act({ op: "finish", owner: "ann", held: [{ id: "t1", epoch: 2 }] })),
        ).toMatchObject({ code: "stale_epoch", holder: "bob" });
        expect(await store.get("t1")).toStrictEqual(taken);
        await finish(taken);
        expect(refusalOf(await act({ op: "finish", owner: "ann", held: late }))).toMatchObject({
          code: "stale_epoch",
          holder: "bob",
        });
      }));

    it("does all of a batch or nothing", () =>
      using(async ({ store, act, add, claim }) => {
        await add("a");
        await add("b");
        await claim("ann");
        await claim("ann");
        const both = (epoch: number) => [
          { id: "t1", epoch: 1 },
          { id: "t2", epoch },
        ];
        const before = await store.list();
        expect(refusalOf(await act({ op: "finish", owner: "ann", held: both(7) })).code).toBe(
          "stale_epoch",
        );
        expect(await store.list()).toStrictEqual(before);
        const tasks = done(await act({ op: "finish", owner: "ann", held: both(1) }));
        expect(tasks.map(({ id, status }) => [id, status])).toStrictEqual([
          ["t1", "done"],
          ["t2", "done"],
        ]);
      }));

    it("finishes once, and the same again is no news", () =>
      using(async ({ store, act, add, claim, finish }) => {
        await add("a");
        const task = await claim("ann");
        const finished = await finish(task);
        const again = await act({ op: "finish", owner: "ann", held: [{ id: "t1", epoch: 1 }] });
        expect(again).toStrictEqual({ ok: true, duplicate: false, tasks: [finished] });
        expect(await store.events({ task: "t1" })).toHaveLength(3);
      }));

    it("closes what nobody holds without an epoch, and nothing that is held", () =>
      using(async ({ act, add, claim }) => {
        await add("a");
        await add("b");
        await claim("ann", "t2");
        const closed = only(await act({ op: "finish", owner: "me", held: [{ id: "t1" }] }));
        expect(closed).toMatchObject({ status: "done", owner: "me", epoch: 0 });
        expect(
          refusalOf(await act({ op: "finish", owner: "ann", held: [{ id: "t2" }] })),
        ).toMatchObject({ code: "held", holder: "ann" });
        expect(refusalOf(await act({ op: "finish", owner: "me", held: [{ id: "t1" }] })).code).toBe(
          "closed",
        );
      }));

    it("tries again after a failure until the attempts are used up", () =>
      using(async ({ store, act, add, claim, ids }) => {
        await add("a", { maxAttempts: 2 });
        const fail = async (owner: string, epoch: number) =>
          only(
            await act({ op: "fail", owner, held: [{ id: "t1", epoch }], reason: `no ${epoch}` }),
          );
        await claim("ann");
        expect(await fail("ann", 1)).toMatchObject({ status: "open", attempts: 1, reason: "no 1" });
        expect(await ids(store.ready())).toStrictEqual(["t1"]);
        await claim("bob");
        expect(await fail("bob", 2)).toMatchObject({
          status: "failed",
          attempts: 2,
          owner: "bob",
          reason: "no 2",
        });
        expect(refusalOf(await act({ op: "claim", owner: "x", id: "t1" })).code).toBe("closed");
        const reopened = only(await act({ op: "reopen", id: "t1" }));
        expect(reopened).toMatchObject({ status: "open", attempts: 0, epoch: 2 });
        expect([reopened.owner, reopened.reason, reopened.finishedAt]).toStrictEqual([
          undefined,
          undefined,
          undefined,
        ]);
        expect(refusalOf(await act({ op: "reopen", id: "t1" })).code).toBe("not_closed");
      }));

    it("cancels over the head of a holder", () =>
      using(async ({ act, add, claim, finish }) => {
        await add("a");
        await add("b");
        await claim("ann", "t1");
        const gone = only(await act({ op: "cancel", id: "t1", reason: "not needed" }));
        expect(gone).toMatchObject({ status: "cancelled", reason: "not needed" });
        const late = refusalOf(
          await act({ op: "finish", owner: "ann", held: [{ id: "t1", epoch: 1 }] }),
        );
        expect(late.code).toBe("closed");
        expect(late.message).toContain("not needed");
        await finish(await claim("ann", "t2"));
        expect(refusalOf(await act({ op: "cancel", id: "t2" })).code).toBe("closed");
      }));

    it("hands over and reassigns with a new epoch", () =>
      using(async ({ store, act, add, claim }) => {
        await add("a");
        await claim("ann");
        const handed = only(
          await act({ op: "assign", id: "t1", owner: "bob", from: { owner: "ann", epoch: 1 } }),
        );
        expect(handed).toMatchObject({ owner: "bob", epoch: 2, attempts: 1, lease: LEASE });
        const taken = only(await act({ op: "assign", id: "t1", owner: "cy", lease: 1_000 }));
        expect(taken).toMatchObject({ owner: "cy", epoch: 3, attempts: 1, lease: 1_000 });
        expect(
          refusalOf(await act({ op: "finish", owner: "bob", held: [{ id: "t1", epoch: 2 }] })),
        ).toMatchObject({ code: "stale_epoch", holder: "cy" });
        await add("b");
        expect(only(await act({ op: "assign", id: "t2", owner: "dee" }))).toMatchObject({
          status: "claimed",
          epoch: 1,
          attempts: 1,
          lease: 300_000,
        });
        expect(await store.ready()).toStrictEqual([]);
      }));

    it("edits only what is given; null takes away", () =>
      using(async ({ store, act, add }) => {
        await add("a", {
          description: "old",
          labels: ["x", "y"],
          metadata: { keep: 1, drop: 2 },
        });
        const edited = only(
          await act({
            op: "edit",
            id: "t1",
            set: {
              subject: "new",
              description: null,
              priority: 0,
              addLabels: ["z"],
              removeLabels: ["x"],
              metadata: { drop: null, more: { deep: true } },
            },
          }),
        );
        expect(edited).toMatchObject({
          subject: "new",
          priority: 0,
          labels: ["y", "z"],
          metadata: { keep: 1, more: { deep: true } },
        });
        expect(edited.description).toBeUndefined();
        expect(await store.get("t1")).toStrictEqual(edited);
        const same = await act({ op: "edit", id: "t1", set: { subject: "new" } });
        expect(same).toStrictEqual({ ok: true, duplicate: false, tasks: [edited] });
        expect(refusalOf(await act({ op: "edit", id: "t9", set: {} })).code).toBe("not_found");
      }));

    it("frees a task whose holder fell silent", () =>
      using(async ({ store, act, add, claim, ids }) => {
        await add("a");
        await add("b", { priority: 4 });
        const task = await claim("ann", "t1", { lease: 600 });
        expect(await ids(store.ready())).toStrictEqual(["t2"]);
        await pause(650);
        const free = await store.get("t1");
        expect(free).toMatchObject({
          status: "open",
          epoch: 1,
          lapsed: { owner: "ann", at: task.leaseUntil },
        });
        expect(free?.owner).toBeUndefined();
        expect(await ids(store.ready())).toStrictEqual(["t1", "t2"]);
        expect(await ids(store.list({ status: "open" }))).toStrictEqual(["t1", "t2"]);
        expect(await ids(store.list({ owner: "ann" }))).toStrictEqual([]);
        expect(await store.counts()).toMatchObject({ open: 2, claimed: 0, ready: 2 });
        const taken = await claim("bob");
        expect(taken).toMatchObject({ id: "t1", owner: "bob", epoch: 2, attempts: 2 });
        expect(
          refusalOf(await act({ op: "finish", owner: "ann", held: [{ id: "t1", epoch: 1 }] })),
        ).toMatchObject({ code: "stale_epoch", holder: "bob" });
        expect(await store.get("t1")).toStrictEqual(taken);
      }));

    it("lets a holder who was late go on when nobody came", () =>
      using(async ({ act, add, claim, finish }) => {
        await add("a");
        const task = await claim("ann", "t1", { lease: SHORT });
        await pause(SHORT + 20);
        const renewed = only(
          await act({ op: "renew", owner: "ann", held: [{ id: "t1", epoch: 1 }], lease: LEASE }),
        );
        expect(renewed).toMatchObject({ status: "claimed", owner: "ann", epoch: 1, attempts: 1 });
        expect((await finish(task)).status).toBe("done");
      }));

    it("parks a task on which every holder falls silent", () =>
      using(async ({ store, act, add, claim, ids }) => {
        await add("a", { maxAttempts: 2 });
        await claim("ann", "t1", { lease: SHORT });
        await pause(SHORT + 20);
        await claim("bob", "t1", { lease: SHORT });
        await pause(SHORT + 20);
        const parked = await store.get("t1");
        expect(parked).toMatchObject({ status: "failed", owner: "bob", attempts: 2 });
        expect(parked?.reason).toBe("bob fell silent; that was attempt 2 of 2.");
        expect(await store.ready()).toStrictEqual([]);
        expect(await ids(store.list({ status: "failed" }))).toStrictEqual(["t1"]);
        expect(await ids(store.list({ owner: "bob" }))).toStrictEqual(["t1"]);
        expect(await store.counts()).toMatchObject({ claimed: 0, failed: 1 });
        expect(refusalOf(await act({ op: "claim", owner: "cy" })).code).toBe("none_ready");
        expect(
          refusalOf(await act({ op: "finish", owner: "bob", held: [{ id: "t1", epoch: 2 }] })).code,
        ).toBe("closed");
        expect(only(await act({ op: "reopen", id: "t1" }))).toMatchObject({
          status: "open",
          attempts: 0,
        });
        expect((await claim("cy")).epoch).toBe(3);
      }));

    it("renews by what it sees of a holder", () =>
      using(async ({ store, add, claim, ids }) => {
        await add("a");
        await add("b");
        await add("c");
        await claim("ann", "t1", { lease: 1_500 });
        await claim("ann", "t2", { lease: LEASE });
        await claim("bob", "t3", { lease: 1_500 });
        await pause(500);
        const renewed = await store.renewByObservation("ann");
        expect(renewed.map(({ id, lease }) => [id, lease])).toStrictEqual([["t1", 1_500]]);
        expect(await store.renewByObservation("ann")).toStrictEqual([]);
        expect(await store.renewByObservation("nobody")).toStrictEqual([]);
        expect(await store.renewByObservation("bob", 100_000)).toStrictEqual([]);
        const task = await store.get("t1");
        expect((task?.leaseUntil ?? 0) - (task?.updatedAt ?? 0)).toBe(1_500);
        expect((await store.events()).at(-1)).toMatchObject({
          type: "renewed",
          task: "t1",
          by: "system",
          via: "observation",
          actor: "ann",
        });
        await pause(1_100);
        expect(await ids(store.ready())).toStrictEqual(["t3"]);
      }));

    it("acts once for a key and answers the same", () =>
      using(async ({ store, act, add, claim }) => {
        const first = await act({ op: "add", tasks: [{ subject: "a" }] }, { key: "k1" });
        const claimed = await act({ op: "claim", owner: "ann", lease: LEASE }, { key: "k2" });
        await add("b");
        const held = [{ id: "t1", epoch: 1 }];
        const finish: TaskOp = { op: "finish", owner: "ann", held, evidence: ["x"] };
        const finished = await act(finish, { key: "k3" });
        const events = await store.events();
        const again = async (op: TaskOp, key: string) => act(op, { key });
        expect(await again({ op: "add", tasks: [{ subject: "a" }] }, "k1")).toStrictEqual({
          ...first,
          duplicate: true,
        });
        expect(await again({ op: "claim", owner: "ann" }, "k2")).toStrictEqual({
          ...claimed,
          duplicate: true,
        });
        expect(await again(finish, "k3")).toStrictEqual({ ...finished, duplicate: true });
        expect(refusalOf(await again(finish, "k1")).code).toBe("key_used");
        expect(refusalOf(await again({ op: "cancel", id: "t2" }, "k3")).code).toBe("key_used");
        expect(await store.events()).toStrictEqual(events);
        await claim("bob", "t2");
        expect((await store.get("t2"))?.owner).toBe("bob");
      }));

    it("remembers no key of what was refused", () =>
      using(async ({ act, add }) => {
        const claim: TaskOp = { op: "claim", owner: "ann" };
        expect(refusalOf(await act(claim, { key: "k" })).code).toBe("none_ready");
        await add("a");
        expect(only(await act(claim, { key: "k" })).id).toBe("t1");
      }));

    it("keeps an event of every change, and the tasks are what they fold into", () =>
      using(async ({ store, act, add, claim, finish }) => {
        await add("a", { blockedBy: [], metadata: { a: 1 } });
        await add("b", { blockedBy: ["t1"] });
        const task = await claim("ann");
        await act({ op: "renew", owner: "ann", held: [{ id: "t1", epoch: 1 }] });
        await act({ op: "edit", id: "t1", set: { metadata: { a: null } } }, { actor: "pat" });
        await act({ op: "release", owner: "ann", held: [{ id: "t1", epoch: 1 }] });
        await finish({ ...(await claim("bob")), id: task.id });
        await act({ op: "reopen", id: "t1" }, { key: "k" });
        await act({ op: "cancel", id: "t1" });
        const events = await store.events();
        expect(events.map(({ seq, type, task }) => [seq, type, task])).toStrictEqual([
          [1, "added", "t1"],
          [2, "added", "t2"],
          [3, "claimed", "t1"],
          [4, "renewed", "t1"],
          [5, "edited", "t1"],
          [6, "released", "t1"],
          [7, "claimed", "t1"],
          [8, "done", "t1"],
          [9, "reopened", "t1"],
          [10, "cancelled", "t1"],
        ]);
        const { at, ...edited } = events[4] ?? { at: 0 };
        expect(edited).toStrictEqual({
          seq: 5,
          type: "edited",
          task: "t1",
          by: "user",
          via: "suite",
          actor: "pat",
          set: { metadata: {} },
        });
        expect(events[8]?.key).toBe("k");
        expect([...foldTaskEvents(events).values()]).toStrictEqual(await store.list());
        expect(await store.events({ after: 8 })).toStrictEqual(events.slice(8));
        expect(await store.events({ task: "2" })).toStrictEqual([events[1]]);
        expect(await store.events({ after: 2, limit: 3 })).toStrictEqual(events.slice(2, 5));
      }));

    it("tells watchers of every event once, in order, until they stop", () =>
      using(async ({ store, act, add, claim }) => {
        await add("before");
        const told: TaskEvent[] = [];
        const stop = store.watch((event) => told.push(event));
        await add("a");
        await act({ op: "claim", owner: "x", id: "t9" });
        await claim("ann", "t2");
        await act({ op: "add", tasks: [{ subject: "b" }, { subject: "c" }] });
        await until(() => told.length >= 4);
        stop();
        await add("after");
        await pause(20);
        expect(told).toStrictEqual(await store.events({ after: 1, limit: 4 }));
      }));

    it("goes on when a watcher throws", () =>
      using(async ({ store, add }) => {
        const told: string[] = [];
        store.watch(() => {
          throw new Error("a watcher's own fault");
        });
        store.watch(({ task }) => told.push(task));
        await add("a");
        await add("b");
        await until(() => told.length >= 2);
        expect(told).toStrictEqual(["t1", "t2"]);
      }));

    it("gives many claims made at once to one each", () =>
      using(async ({ store, act, add }) => {
        for (let n = 0; n < 10; n++) await add(`task ${n}`);
        const answers = await Promise.all(
          Array.from({ length: 16 }, (_, n) => act({ op: "claim", owner: `o${n}`, lease: LEASE })),
        );
        const won = answers.flatMap((answer) => (answer.ok ? answer.tasks : []));
        expect(new Set(won.map(({ id }) => id)).size).toBe(10);
        expect(won).toHaveLength(10);
        const lost = answers.flatMap((answer) => (answer.ok ? [] : [answer.refused.code]));
        expect(lost).toStrictEqual(Array(6).fill("none_ready"));
        expect(await store.counts()).toMatchObject({ claimed: 10, ready: 0 });
      }));

    it("refuses to work when it is closed", () =>
      using(async ({ store }) => {
        await store.close();
        const calls = [
          async () => store.get("t1"),
          async () => store.list(),
          async () => store.ready(),
          async () => store.apply({ op: "add", tasks: [{ subject: "a" }] }, PERSON),
          async () => store.watch(() => {}),
        ];
        for (const call of calls)
          await expect(call()).rejects.toMatchObject({ code: "store_closed" });
      }));

    itLasting("has everything after it was opened again", () =>
      using(async ({ store, reopen, act, add, claim }) => {
        await add("a", { labels: ["x"], metadata: { deep: [1, { a: "b" }] }, ref: "r" });
        await add("b", { blockedBy: ["t1"] });
        const claimed = await act({ op: "claim", owner: "ann", lease: LEASE }, { key: "k" });
        await claim("x", "t1").catch(() => undefined);
        const [tasks, events] = [await store.list(), await store.events()];
        const again = await reopen?.();
        expect(await again?.list()).toStrictEqual(tasks);
        expect(await again?.events()).toStrictEqual(events);
        expect(
          await again?.apply({ op: "claim", owner: "ann" }, { ...PERSON, key: "k" }),
        ).toStrictEqual({ ...claimed, duplicate: true });
        const next = await again?.apply({ op: "add", tasks: [{ subject: "c" }] }, PERSON);
        expect(next && only(next).id).toBe("t3");
      }),
    );

    itShared("sees and tells what another store object does", () =>
      using(async ({ store, another, act, add }) => {
        const other = await another?.();
        if (!other) throw new Error("a shared store needs another()");
        const told: TaskEvent[] = [];
        store.watch((event) => told.push(event));
        await add("a");
        const claimed = await other.apply({ op: "claim", owner: "bob", lease: LEASE }, PERSON);
        expect(only(claimed).id).toBe("t1");
        expect(refusalOf(await act({ op: "claim", owner: "ann", id: "t1" }))).toMatchObject({
          code: "held",
          holder: "bob",
        });
        await other.apply({ op: "edit", id: "t1", set: { subject: "new" } }, PERSON);
        expect((await store.get("t1"))?.subject).toBe("new");
        await until(() => told.length >= 3);
        expect(told).toStrictEqual(await other.events());
      }),
    );

    itShared("gives one task to one of many store objects, every time", () =>
      using(async ({ store, another }) => {
        const others = [store];
        for (let n = 0; n < 3; n++) {
          const other = await another?.();
          if (other) others.push(other);
        }
        for (let round = 1; round <= 10; round++) {
          await store.apply({ op: "add", tasks: [{ subject: `round ${round}` }] }, PERSON);
          const answers = await Promise.all(
            others.map((each, n) =>
              each.apply({ op: "claim", owner: `o${n}`, lease: LEASE }, PERSON),
            ),
          );
          expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
        }
      }),
    );
  });
}
