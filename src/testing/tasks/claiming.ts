import { expect, it } from "vitest";
import { done, LEASE, only, refusalOf, type WithFixture } from "./fixture.ts";

/** Claims and blockers. */
export function claimingCases(using: WithFixture): void {
  it("gives a task to one owner", () =>
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

  it("uses a lease of five minutes by default", () =>
    using(async ({ act, add }) => {
      await add("one");
      const task = only(await act({ op: "claim", owner: "ann" }));
      expect((task.leaseUntil ?? 0) - (task.claimedAt ?? 0)).toBe(300_000);
    }));

  it("claims in the order of ready tasks, several in one call", () =>
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

  it("claims a blocked task only after every blocker is done", () =>
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

  it("adds and removes blockers", () =>
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
      expect(refusals[0]?.message).toContain("t1 -> t3 -> t2 -> t1");
      expect(await store.list()).toStrictEqual(before);
      expect(await add("d")).toBe("t4");
    }));
}
