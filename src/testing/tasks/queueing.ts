import { expect, it } from "vitest";
import { done, LEASE, only, pause, refusalOf, SHORT, USER, type WithFixture } from "./fixture.ts";

const HOUR = 3_600_000;

/** Delays, deadlines, retries, and the pause and aging of the queue. */
export function queueingCases(using: WithFixture): void {
  it("claims a delayed task only after its time", () =>
    using(async ({ store, act, add, claim, ids }) => {
      const now = await store.now();
      await add("later", { priority: 0, notBefore: now + HOUR });
      await add("now");
      expect(await ids(store.ready())).toStrictEqual(["t2"]);
      expect(await store.counts()).toMatchObject({ open: 2, ready: 1, delayed: 1 });
      expect(refusalOf(await act({ op: "claim", owner: "ann", id: "t1" }))).toMatchObject({
        code: "delayed",
        id: "t1",
        notBefore: now + HOUR,
      });
      expect((await claim("ann")).id).toBe("t2");
      expect(refusalOf(await act({ op: "claim", owner: "ann" })).code).toBe("none_ready");
      await act({ op: "edit", id: "t1", set: { notBefore: now + HOUR, priority: 1 } });
      expect(await ids(store.ready())).toStrictEqual([]);
      await act({ op: "edit", id: "t1", set: { notBefore: null } });
      expect(await ids(store.ready())).toStrictEqual(["t1"]);
      const task = await claim("ann");
      expect(task).toMatchObject({ id: "t1", priority: 1 });
      expect(task).not.toHaveProperty("notBefore");
    }));

  it("finds a delayed task when its time has come, in the order of ready tasks", () =>
    using(async ({ store, act, add, claim, ids }) => {
      await add("first", { priority: 1 });
      const notBefore = (await store.now()) + SHORT;
      await add("soon", { priority: 0, notBefore });
      await add("too", { labels: ["ui"], notBefore });
      await add("blocked", { blockedBy: ["t1"], notBefore });
      await pause(2 * SHORT);
      expect(await ids(store.ready())).toStrictEqual(["t2", "t1", "t3"]);
      expect(await ids(store.ready({ limit: 1 }))).toStrictEqual(["t2"]);
      expect(await store.counts()).toMatchObject({ open: 4, ready: 3, delayed: 0 });
      expect((await claim("ann", undefined, { label: "ui" })).id).toBe("t3");
      expect((await claim("ann")).id).toBe("t2");
      expect((await claim("ann")).id).toBe("t1");
      expect(refusalOf(await act({ op: "claim", owner: "ann", id: "t4" })).code).toBe("blocked");
    }));

  it("claims a delayed task by name after its time", () =>
    using(async ({ store, add, claim }) => {
      const notBefore = (await store.now()) + SHORT;
      await add("soon", { notBefore });
      await pause(2 * SHORT);
      expect(await claim("ann", "t1")).toMatchObject({ id: "t1", notBefore, epoch: 1 });
    }));

  it("delays the retry of a failed attempt", () =>
    using(async ({ store, act, add, claim, ids }) => {
      await add("flaky", { maxAttempts: 2 });
      const { epoch, claimedAt = 0 } = await claim("ann");
      const held = [{ id: "t1", epoch }];
      const reason = "it broke";
      const failed = only(await act({ op: "fail", owner: "ann", held, reason, retryIn: HOUR }));
      expect(failed).toMatchObject({ status: "open", attempts: 1, reason });
      expect(failed.notBefore).toBeGreaterThanOrEqual(claimedAt + HOUR);
      expect(await store.get("t1")).toStrictEqual(failed);
      expect(await ids(store.ready())).toStrictEqual([]);
      expect(refusalOf(await act({ op: "claim", owner: "ann", id: "t1" })).code).toBe("delayed");
      const bad = await act({ op: "fail", owner: "ann", held, reason, retryIn: -1 });
      expect(refusalOf(bad).code).toBe("invalid_input");
    }));

  it("closes a task after its last attempt, until it is reopened", () =>
    using(async ({ store, act, add, claim, ids }) => {
      await add("broken", { maxAttempts: 1 });
      const { epoch } = await claim("ann");
      const held = [{ id: "t1", epoch }];
      const failed = only(
        await act({ op: "fail", owner: "ann", held, reason: "no disk", retryIn: HOUR }),
      );
      expect(failed).toMatchObject({ status: "failed", attempts: 1, reason: "no disk" });
      expect(failed).not.toHaveProperty("notBefore");
      expect(await ids(store.list({ status: "failed" }))).toStrictEqual(["t1"]);
      const again = only(await act({ op: "reopen", id: "t1" }));
      expect(again).toMatchObject({ status: "open", attempts: 0 });
      expect(await ids(store.ready())).toStrictEqual(["t1"]);
    }));

  it("makes a reopened task ready at once", () =>
    using(async ({ store, act, add, ids }) => {
      await add("later", { notBefore: (await store.now()) + HOUR });
      await act({ op: "cancel", id: "t1" });
      expect(only(await act({ op: "reopen", id: "t1" }))).not.toHaveProperty("notBefore");
      expect(await ids(store.ready())).toStrictEqual(["t1"]);
    }));

  it("keeps the delay of a claimed task whose lease expires", () =>
    using(async ({ store, act, add, claim, ids }) => {
      await add("one");
      await claim("ann", "t1", { lease: SHORT });
      await act({ op: "edit", id: "t1", set: { notBefore: (await store.now()) + HOUR } });
      await pause(2 * SHORT);
      expect(await store.get("t1")).toMatchObject({ status: "open", lapsed: { owner: "ann" } });
      expect(await ids(store.ready())).toStrictEqual([]);
      expect(await store.counts()).toMatchObject({ open: 1, ready: 0, delayed: 1 });
      expect(refusalOf(await act({ op: "claim", owner: "bob" })).code).toBe("none_ready");
      expect(refusalOf(await act({ op: "claim", owner: "bob", id: "t1" })).code).toBe("delayed");
    }));

  it("records deadlines and removes them", () =>
    using(async ({ store, act, add }) => {
      const deadline = (await store.now()) + HOUR;
      await add("due", { deadline });
      expect(await store.get("t1")).toMatchObject({ deadline });
      await act({ op: "edit", id: "t1", set: { deadline: deadline + 1 } });
      expect(await store.get("t1")).toMatchObject({ deadline: deadline + 1 });
      await act({ op: "edit", id: "t1", set: { deadline: null } });
      expect(await store.get("t1")).not.toHaveProperty("deadline");
      const bad = await act({ op: "edit", id: "t1", set: { notBefore: -1 } });
      expect(refusalOf(bad).code).toBe("invalid_input");
    }));

  it("refuses claims while the queue is paused", () =>
    using(async ({ store, act, add, claim, finish }) => {
      await add("one");
      await add("two");
      const held = await claim("ann");
      expect(await store.queue()).toStrictEqual({});
      const before = await store.now();
      const state = await store.setQueue(
        { paused: { reason: "database\nmaintenance" } },
        { ...USER, actor: "ann" },
      );
      expect(state.paused).toMatchObject({ by: "ann", reason: "database maintenance" });
      expect(state.paused?.at).toBeGreaterThanOrEqual(before);
      expect(await store.queue()).toStrictEqual(state);
      for (const id of [undefined, "t2"]) {
        const op = { op: "claim", owner: "bob", ...(id && { id }) } as const;
        expect(refusalOf(await act(op))).toMatchObject({ code: "paused" });
      }
      expect(refusalOf(await act({ op: "claim", owner: "bob", label: "x" })).code).toBe("paused");
      expect((await store.ready()).map(({ id }) => id)).toStrictEqual(["t2"]);
      const renewed = await act({ op: "renew", owner: "ann", held: [held], lease: LEASE });
      expect(renewed.ok).toBe(true);
      expect((await finish(held)).status).toBe("done");
      expect((await act({ op: "assign", owner: "cy", id: "t2" })).ok).toBe(true);
      await add("three");
      expect(await store.setQueue({ paused: null }, USER)).toStrictEqual({});
      expect((await claim("bob")).id).toBe("t3");
    }));

  it("keeps the first pause, and each setting of the queue by itself", () =>
    using(async ({ store }) => {
      const first = await store.setQueue({ paused: {} }, { ...USER, actor: "ann" });
      const second = await store.setQueue({ paused: { reason: "again" } }, USER);
      expect(second).toStrictEqual({ paused: { ...first.paused, reason: "again" } });
      expect(await store.setQueue({ aging: HOUR }, USER)).toStrictEqual({ ...second, aging: HOUR });
      expect(await store.setQueue({ paused: null }, USER)).toStrictEqual({ aging: HOUR });
      expect(await store.setQueue({ aging: null }, USER)).toStrictEqual({});
      for (const change of [{ aging: 0 }, { aging: 1.5 }, { paused: { reason: "\u001b[2J" } }])
        await expect(async () => store.setQueue(change, USER)).rejects.toThrow(TypeError);
      expect(await store.queue()).toStrictEqual({});
    }));

  it("lets waiting count as priority when priorities age", () =>
    using(async ({ store, act, add, claim, ids }) => {
      const now = await store.now();
      await add("old", { priority: 4, createdAt: now - 10 * HOUR });
      await add("older", { priority: 3, createdAt: now - 11 * HOUR, labels: ["ui"] });
      await add("new", { priority: 0, createdAt: now - HOUR });
      await add("newest", { priority: 1, createdAt: now, labels: ["ui"] });
      expect(await ids(store.ready())).toStrictEqual(["t3", "t4", "t2", "t1"]);
      await store.setQueue({ aging: 2 * HOUR }, USER);
      // In hours: t1 8 - 10, t2 6 - 11, t3 0 - 1, t4 2 - 0.
      expect(await ids(store.ready())).toStrictEqual(["t2", "t1", "t3", "t4"]);
      expect(await ids(store.ready({ limit: 2 }))).toStrictEqual(["t2", "t1"]);
      expect(await ids(store.ready({ label: "ui" }))).toStrictEqual(["t2", "t4"]);
      await claim("ann", undefined, { lease: SHORT });
      await pause(2 * SHORT);
      expect(await ids(store.ready())).toStrictEqual(["t2", "t1", "t3", "t4"]);
      const both = done(await act({ op: "claim", owner: "bob", count: 2, lease: LEASE }));
      expect(both.map(({ id }) => id)).toStrictEqual(["t2", "t1"]);
      expect((await claim("bob", undefined, { label: "ui" })).id).toBe("t4");
      expect((await claim("bob")).id).toBe("t3");
    }));

  it("computes figures of the queue, by label and owner", () =>
    using(async ({ store, act, add, claim, finish }) => {
      expect(await store.stats()).toMatchObject({ done: 0, failed: 0, labels: [], owners: [] });
      const now = await store.now();
      const created = { createdAt: now - HOUR };
      await add("a", { labels: ["ui"], ...created });
      await add("b", { labels: ["ui", "core"], ...created, deadline: now - 1 });
      await add("c", { maxAttempts: 1, createdAt: now - 2 * HOUR });
      await add("d", { notBefore: now + HOUR });
      await add("e", { blockedBy: ["t4"] });
      await add("f", { createdAt: now - 3 * HOUR, labels: ["ui"] });
      await add("g", { status: "done", finishedAt: now - 48 * HOUR });
      await finish(await claim("ann", "t1"));
      const broken = await claim("bob", "t3");
      const held = [{ id: "t3", epoch: broken.epoch }];
      const owner = "bob";
      await act({ op: "fail", owner, held, reason: "no" }, { actor: "bob" });
      await claim("ann", "t2");
      const stats = await store.stats();
      expect(stats.counts).toStrictEqual({
        ready: 1,
        delayed: 1,
        blocked: 1,
        claimed: 1,
        failed: 1,
        overdue: 1,
      });
      expect(stats).toMatchObject({ done: 1, failed: 1, queue: {} });
      expect(stats.at - stats.since).toBe(24 * HOUR);
      expect(stats.perHour).toBeCloseTo(1 / 24);
      expect(stats.oldest).toBeGreaterThanOrEqual(3 * HOUR);
      expect(stats.waiting?.median).toBeGreaterThanOrEqual(HOUR);
      expect(stats.running?.longest).toBeLessThan(HOUR);
      expect(stats.labels.map(({ oldest: _, ...rest }) => rest)).toStrictEqual([
        { name: "ui", ready: 1, claimed: 1, done: 1, failed: 0 },
        { name: "core", ready: 0, claimed: 1, done: 0, failed: 0 },
      ]);
      expect(stats.owners).toStrictEqual([
        { name: "ann", ready: 0, claimed: 1, done: 1, failed: 0 },
        { name: "bob", ready: 0, claimed: 0, done: 0, failed: 1 },
      ]);
      expect(await store.stats({ since: stats.at + HOUR })).toMatchObject({ done: 0, perHour: 0 });
    }));

  it("counts expired claims and passed delays as ready in its figures", () =>
    using(async ({ store, add, claim }) => {
      await add("a", { labels: ["x"] });
      await add("b", { labels: ["x"], notBefore: (await store.now()) + SHORT });
      await claim("ann", "t1", { lease: SHORT });
      await pause(2 * SHORT);
      const { counts, labels, oldest } = await store.stats();
      expect(counts).toMatchObject({ ready: 2, delayed: 0, blocked: 0, claimed: 0 });
      expect(labels).toMatchObject([{ name: "x", ready: 2, claimed: 0 }]);
      expect(oldest).toBeGreaterThanOrEqual(SHORT);
    }));

  it("deletes tasks that were closed long ago, and reuses no number", () =>
    using(async ({ store, act, add, ids }) => {
      const old = { status: "done", finishedAt: (await store.now()) - 48 * HOUR };
      await add("old", { ...old, ref: "r1" });
      await add("parent of an open task", old);
      await add("blocker of an open task", old);
      await add("open", { parent: "t2", blockedBy: ["t3"] });
      await add("new", { status: "done" });
      await add("failed", { ...old, status: "failed" });
      await add("part of an old one", { ...old, parent: "t1" });
      await add("last", old);
      expect(await store.prune(24 * HOUR)).toBe(2);
      expect(await ids(store.list())).toStrictEqual(["t2", "t3", "t4", "t5", "t6", "t8"]);
      expect(await store.events({ task: "t1" })).toStrictEqual([]);
      expect(await store.get("t1")).toBeUndefined();
      expect(await store.prune(24 * HOUR)).toBe(0);
      expect(await add("next", { ref: "r1" })).toBe("t9");
      const seqs = (await store.events()).map(({ seq }) => seq);
      expect(seqs).toStrictEqual([...seqs].sort((a, b) => a - b));
      expect((await store.events({ last: 1 }))[0]?.task).toBe("t9");
      await act({ op: "cancel", id: "t4" });
      expect(await store.prune(0)).toBeGreaterThan(0);
    }));

  it("lists tasks in pages", () =>
    using(async ({ store, act, add, ids }) => {
      for (let n = 0; n < 6; n++) await add(`task ${n}`, { maxAttempts: 1 });
      await act({ op: "cancel", id: "t3" });
      expect(await ids(store.list({ status: "open", limit: 2 }))).toStrictEqual(["t1", "t2"]);
      const next = { status: "open", after: "t2", limit: 2 } as const;
      expect(await ids(store.list(next))).toStrictEqual(["t4", "t5"]);
      expect(await ids(store.list({ after: "5" }))).toStrictEqual(["t6"]);
      expect(await ids(store.list({ after: "t6" }))).toStrictEqual([]);
    }));
}
