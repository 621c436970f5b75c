import { expect, it } from "vitest";
import type { TaskEvent, TaskOp } from "../../tasks/model.ts";
import { foldTaskEvents } from "../../tasks/rules/fold.ts";
import {
  done,
  LEASE,
  only,
  pause,
  refusalOf,
  type TaskCapabilities,
  USER,
  until,
  type WithFixture,
} from "./fixture.ts";

/** Keys, events and subscriptions, also between store objects. */
export function recordingCases(using: WithFixture, capabilities: TaskCapabilities): void {
  const itLasting = it.skipIf(!capabilities.durable);
  const itShared = it.skipIf(!capabilities.shared);

  it("applies a key once and repeats the answer", () =>
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

  it("repeats the answer for the key of a batch", () =>
    using(async ({ act, add }) => {
      const both: TaskOp = { op: "add", tasks: [{ subject: "a" }, { subject: "b" }] };
      const made = await act(both, { key: "k1" });
      const next: TaskOp = { op: "claim", owner: "ann", lease: LEASE, count: 2 };
      const claimed = await act(next, { key: "k2" });
      const held = done(claimed).map(({ id, epoch }) => ({ id, epoch }));
      const finish: TaskOp = { op: "finish", owner: "ann", held };
      const finished = await act(finish, { key: "k3" });
      await add("c");
      expect(await act(both, { key: "k1" })).toStrictEqual({ ...made, duplicate: true });
      expect(await act(next, { key: "k2" })).toStrictEqual({ ...claimed, duplicate: true });
      expect(await act(finish, { key: "k3" })).toStrictEqual({ ...finished, duplicate: true });
    }));

  it("does not record the key of a refused op", () =>
    using(async ({ act, add }) => {
      const claim: TaskOp = { op: "claim", owner: "ann" };
      expect(refusalOf(await act(claim, { key: "k" })).code).toBe("none_ready");
      await add("a");
      expect(only(await act(claim, { key: "k" })).id).toBe("t1");
    }));

  it("records an event for every change; folding them gives the tasks", () =>
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
      expect(await store.events({ last: 2 })).toStrictEqual(events.slice(-2));
      expect(await store.events({ last: 0 })).toStrictEqual([]);
      expect(await store.events({ last: 1_000 })).toStrictEqual(events);
      const [first] = events;
      const ofOne = events.filter(({ task }) => task === first?.task);
      expect(await store.events({ task: first?.task ?? "", last: 1 })).toStrictEqual(
        ofOne.slice(-1),
      );
    }));

  it("delivers each event to subscribers once, in order, until they unsubscribe", () =>
    using(async ({ store, act, add, claim }) => {
      await add("before");
      const received: TaskEvent[] = [];
      const stop = store.watch((event) => received.push(event));
      await add("a");
      await act({ op: "claim", owner: "x", id: "t9" });
      await claim("ann", "t2");
      await act({ op: "add", tasks: [{ subject: "b" }, { subject: "c" }] });
      await until(() => received.length >= 4);
      stop();
      await add("after");
      await pause(20);
      expect(received).toStrictEqual(await store.events({ after: 1, limit: 4 }));
    }));

  it("keeps delivering when a subscriber throws", () =>
    using(async ({ store, add }) => {
      const received: string[] = [];
      store.watch(() => {
        throw new Error("an error in a subscriber");
      });
      store.watch(({ task }) => received.push(task));
      await add("a");
      await add("b");
      await until(() => received.length >= 2);
      expect(received).toStrictEqual(["t1", "t2"]);
    }));

  it("gives each of many concurrent claims its own task", () =>
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

  it("answers each of many concurrent calls with its own result", () =>
    using(async ({ store, act, add, ids }) => {
      const callers = Array.from({ length: 24 }, (_, n) => n);
      for (const n of callers) await add(`task ${n}`);
      await add("waits for two", { blockedBy: ["t3", "t4"] });
      const claimed = await Promise.all(
        callers.map(async (n) =>
          only(
            await act({ op: "claim", owner: `o${n}`, lease: LEASE + n }, { actor: `claims ${n}` }),
          ),
        ),
      );
      expect(claimed.map(({ owner, lease }) => [owner, lease])).toStrictEqual(
        callers.map((n) => [`o${n}`, LEASE + n]),
      );
      expect(new Set(claimed.map(({ id }) => id)).size).toBe(callers.length);
      for (const task of claimed) expect(await store.get(task.id)).toStrictEqual(task);
      // Two of the finishing calls are wrong; only those two are refused.
      const answers = await Promise.all(
        claimed.map(({ id, epoch }, n) =>
          act(
            {
              op: "finish",
              owner: n === 5 ? "o6" : `o${n}`,
              held: [{ id, epoch: epoch + +(n === 9) }],
            },
            { actor: `ends ${n}` },
          ),
        ),
      );
      for (const [n, answer] of answers.entries()) {
        const { id = "" } = claimed[n] ?? {};
        const events = await store.events({ task: id });
        const recorded = events.slice(1).map(({ type, actor }) => [type, actor]);
        if (n === 5 || n === 9) {
          expect(refusalOf(answer)).toMatchObject({ code: "stale_epoch", holder: `o${n}` });
          expect(recorded).toStrictEqual([["claimed", `claims ${n}`]]);
        } else {
          expect(await store.get(id)).toStrictEqual(only(answer));
          expect(only(answer)).toMatchObject({ id, status: "done", owner: `o${n}` });
          expect(recorded).toStrictEqual([
            ["claimed", `claims ${n}`],
            ["done", `ends ${n}`],
          ]);
        }
      }
      const left = claimed.flatMap(({ id }, n) => (n === 5 || n === 9 ? [id] : []));
      const isFree = !left.includes("t3") && !left.includes("t4");
      expect(await ids(store.ready())).toStrictEqual(isFree ? ["t25"] : []);
    }));

  it("refuses calls after closing", () =>
    using(async ({ store }) => {
      await store.close();
      const calls = [
        async () => store.get("t1"),
        async () => store.list(),
        async () => store.ready(),
        async () => store.apply({ op: "add", tasks: [{ subject: "a" }] }, USER),
        async () => store.watch(() => {}),
      ];
      for (const call of calls)
        await expect(call()).rejects.toMatchObject({ code: "store_closed" });
    }));

  itLasting("has everything after reopening", () =>
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
        await again?.apply({ op: "claim", owner: "ann" }, { ...USER, key: "k" }),
      ).toStrictEqual({ ...claimed, duplicate: true });
      const next = await again?.apply({ op: "add", tasks: [{ subject: "c" }] }, USER);
      expect(next && only(next).id).toBe("t3");
    }),
  );

  itShared("sees and delivers changes of another store object", () =>
    using(async ({ store, another, act, add }) => {
      const other = await another?.();
      if (!other) throw new Error("a shared store needs another()");
      const received: TaskEvent[] = [];
      store.watch((event) => received.push(event));
      await add("a");
      const claimed = await other.apply({ op: "claim", owner: "bob", lease: LEASE }, USER);
      expect(only(claimed).id).toBe("t1");
      expect(refusalOf(await act({ op: "claim", owner: "ann", id: "t1" }))).toMatchObject({
        code: "held",
        holder: "bob",
      });
      await other.apply({ op: "edit", id: "t1", set: { subject: "new" } }, USER);
      expect((await store.get("t1"))?.subject).toBe("new");
      await until(() => received.length >= 3);
      expect(received).toStrictEqual(await other.events());
    }),
  );

  itShared("gives a task to one of many store objects, every time", () =>
    using(async ({ store, another }) => {
      const others = [store];
      for (let n = 0; n < 3; n++) {
        const other = await another?.();
        if (other) others.push(other);
      }
      for (let round = 1; round <= 10; round++) {
        await store.apply({ op: "add", tasks: [{ subject: `round ${round}` }] }, USER);
        const answers = await Promise.all(
          others.map((each, n) => each.apply({ op: "claim", owner: `o${n}`, lease: LEASE }, USER)),
        );
        expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
      }
    }),
  );
}
