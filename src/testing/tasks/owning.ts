import { expect, it } from "vitest";
import type { TaskBase, TaskEdit } from "../../tasks/model.ts";
import { done, LEASE, only, pause, refusalOf, SHORT, type WithFixture } from "./fixture.ts";

/** Operations of an owner, and expired leases. */
export function owningCases(using: WithFixture): void {
  it("lets the owner renew, release, finish and fail with its epoch", () =>
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

  it("refuses a write with an old epoch and names the owner", () =>
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
        expect(refusal.message).toContain('"bob" owns it now');
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

  it("refuses an old epoch even from the current owner", () =>
    using(async ({ store, act, add, claim, finish }) => {
      await add("a");
      const late = [{ id: "t1", epoch: (await claim("ann")).epoch }];
      await act({ op: "release", owner: "ann", held: late });
      const taken = await claim("ann");
      for (const op of [
        { op: "renew", owner: "ann", held: late },
        { op: "release", owner: "ann", held: late },
        { op: "finish", owner: "ann", held: late },
        { op: "finish", owner: "ann", held: late, evidence: ["npm test"] },
        { op: "fail", owner: "ann", held: late, reason: "no" },
      ] as const)
        expect(refusalOf(await act(op))).toMatchObject({ code: "stale_epoch", holder: "ann" });
      expect(await store.get("t1")).toStrictEqual(taken);
      expect(await finish(taken)).toMatchObject({ status: "done", epoch: 2 });
    }));

  it("applies a batch completely or not at all", () =>
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

  it("finishes once; repeating it changes nothing", () =>
    using(async ({ store, act, add, claim, finish }) => {
      await add("a");
      const task = await claim("ann");
      const finished = await finish(task);
      const again = await act({ op: "finish", owner: "ann", held: [{ id: "t1", epoch: 1 }] });
      expect(again).toStrictEqual({ ok: true, duplicate: false, tasks: [finished] });
      expect(await store.events({ task: "t1" })).toHaveLength(3);
    }));

  it("closes a task without a claim only for a user who forces it, and records that", () =>
    using(async ({ act, add, claim }) => {
      for (const name of ["a", "b", "c"]) await add(name);
      await claim("ann", "t2");
      const finish = (id: string) => ({ op: "finish", owner: "me", held: [{ id }] }) as const;
      const forced = (id: string) => ({ ...finish(id), force: true }) as const;
      for (const by of ["agent", "user"] as const)
        expect(refusalOf(await act(finish("t1"), { by }))).toMatchObject({
          code: "stale_epoch",
          id: "t1",
          holder: null,
        });
      expect(refusalOf(await act(forced("t1"), { by: "agent" })).code).toBe("stale_epoch");
      const closed = only(await act({ ...forced("t1"), evidence: ["x"] }, { by: "user" }));
      expect(closed).toMatchObject({
        status: "done",
        epoch: 0,
        evidence: ["Forced: it was not claimed", "x"],
      });
      // It had no owner.
      expect(closed.owner).toBeUndefined();
      expect(refusalOf(await act(forced("t1"), { by: "user" })).code).toBe("closed");
      expect(refusalOf(await act(forced("t2"), { by: "user" }))).toMatchObject({
        code: "held",
        holder: "ann",
        epoch: 1,
      });
      // Our own code closes a task whose todo or file was completed.
      expect(only(await act(forced("t3"), { by: "system" }))).toMatchObject({
        status: "done",
        evidence: [],
      });
    }));

  it("finishes a blocked task only for a user who forces it, and records that", () =>
    using(async ({ act, add, claim, store, ids }) => {
      for (const name of ["a", "b", "c"]) await add(name);
      const { epoch } = await claim("ann", "t1");
      await act({ op: "edit", id: "t1", set: { addBlockedBy: ["t2"] } });
      await act({ op: "edit", id: "t3", set: { addBlockedBy: ["t1"] } });
      const finish = { op: "finish", owner: "ann", held: [{ id: "t1", epoch }] } as const;
      for (const op of [finish, { ...finish, evidence: ["x"] }])
        expect(refusalOf(await act(op, { by: "agent" }))).toMatchObject({
          code: "blocked",
          id: "t1",
          blockers: ["t2"],
        });
      expect((await store.get("t1"))?.status).toBe("claimed");
      expect(await ids(store.ready())).toStrictEqual(["t2"]);
      expect(only(await act({ ...finish, force: true }, { by: "user" }))).toMatchObject({
        status: "done",
        owner: "ann",
        evidence: ["Forced: it was blocked by t2"],
      });
      expect(await ids(store.ready())).toStrictEqual(["t2", "t3"]);
    }));

  it("reopens a failed task until its attempts are used up", () =>
    using(async ({ store, act, add, claim, ids }) => {
      await add("a", { maxAttempts: 2 });
      const fail = async (owner: string, epoch: number) =>
        only(await act({ op: "fail", owner, held: [{ id: "t1", epoch }], reason: `no ${epoch}` }));
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

  it("removes the reason of an earlier failure when a task is finished", () =>
    using(async ({ store, act, add, claim, finish }) => {
      await add("a");
      const { epoch } = await claim("ann");
      await act({ op: "fail", owner: "ann", held: [{ id: "t1", epoch }], reason: "no disk" });
      const again = await claim("bob");
      expect(again.reason).toBe("no disk");
      expect((await finish(again)).reason).toBeUndefined();
      const [last] = await store.events({ task: "t1", after: 4 });
      expect(last).toMatchObject({ type: "done", set: { reason: null } });
    }));

  it("cancels a claimed task", () =>
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

  it("assigns and reassigns with a new epoch", () =>
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

  it("does not overwrite a text that another sender changed", () =>
    using(async ({ store, act, add }) => {
      await add("old");
      const edit = (set: TaskEdit, base: TaskBase) => act({ op: "edit", id: "t1", set, base });
      only(await edit({ subject: "new" }, { subject: "old" }));
      only(await edit({ description: "mine" }, { description: null }));
      const before = await store.get("t1");
      const late = [
        await edit({ subject: "other" }, { subject: "old" }),
        await edit({ description: "yours" }, { description: null }),
        await edit({ description: null }, { description: "yours" }),
        await edit({ subject: "other", priority: 0 }, { subject: "old" }),
      ];
      expect(late.map((answer) => refusalOf(answer))).toMatchObject(
        late.map(() => ({ code: "conflict", id: "t1" })),
      );
      // Writing the same text is not a conflict, nor is a change to another field.
      only(await edit({ subject: "new" }, { subject: "old" }));
      expect(await store.get("t1")).toStrictEqual(before);
      only(await edit({ priority: 0 }, { subject: "old" }));
    }));

  it("edits only the given fields; null removes one", () =>
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

  it("frees a task when its lease expires", () =>
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

  it("accepts a late owner if the task was not claimed again", () =>
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

  it("fails a task when the lease of its last attempt expires", () =>
    using(async ({ store, act, add, claim, ids }) => {
      await add("a", { maxAttempts: 2 });
      await claim("ann", "t1", { lease: SHORT });
      await pause(SHORT + 20);
      await claim("bob", "t1", { lease: SHORT });
      await pause(SHORT + 20);
      const parked = await store.get("t1");
      expect(parked).toMatchObject({ status: "failed", owner: "bob", attempts: 2 });
      expect(parked?.reason).toBe("bob was inactive in attempt 2 of 2.");
      expect(await store.ready()).toStrictEqual([]);
      expect(await ids(store.list({ status: "failed" }))).toStrictEqual(["t1"]);
      expect(await ids(store.list({ owner: "bob" }))).toStrictEqual(["t1"]);
      expect(await store.counts()).toMatchObject({ claimed: 0, failed: 1 });
      expect(refusalOf(await act({ op: "claim", owner: "cy" })).code).toBe("none_ready");
      expect(refusalOf(await act({ op: "claim", owner: "cy", id: "t1" })).code).toBe("closed");
      expect(
        refusalOf(await act({ op: "finish", owner: "bob", held: [{ id: "t1", epoch: 2 }] })).code,
      ).toBe("closed");
      expect(only(await act({ op: "reopen", id: "t1" }))).toMatchObject({
        status: "open",
        attempts: 0,
      });
      expect((await claim("cy")).epoch).toBe(3);
    }));

  it("renews leases by observed activity", () =>
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
}
