import { expect, it } from "vitest";
import type { PassedCheck } from "../../tasks/model.ts";
import { only, refusalOf, type WithFixture } from "./fixture.ts";

const PASSED: PassedCheck = {
  check: "test",
  tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  exitCode: 0,
  at: 1_000,
  machine: "laptop",
};

/** Tasks that can only be finished after a check has passed. */
export function checkingCases(using: WithFixture): void {
  it("finishes a task with a check only with a proof of that check", () =>
    using(async ({ store, act, add, claim }) => {
      await add("a", { check: "test" });
      expect(await claim("ann")).toMatchObject({ check: "test" });
      const held = [{ id: "t1", epoch: 1 }];
      const finish = { op: "finish", owner: "ann", held } as const;
      const agent = { by: "agent" } as const;
      const before = await store.get("t1");
      for (const op of [
        finish,
        { ...finish, evidence: ["npm test"] },
        { ...finish, proofs: [] },
        { ...finish, proofs: [{ ...PASSED, check: "lint" }] },
        { ...finish, force: true },
      ])
        expect(refusalOf(await act(op, agent))).toMatchObject({
          code: "unproven",
          id: "t1",
          check: "test",
        });
      expect(refusalOf(await act(finish))).toMatchObject({ code: "unproven" });
      const failed = { ...PASSED, exitCode: 1 as 0 };
      expect(refusalOf(await act({ ...finish, proofs: [failed] }))).toMatchObject({
        code: "invalid_input",
      });
      expect(await store.get("t1")).toStrictEqual(before);
      const op = { ...finish, evidence: ["see the log"], proofs: [PASSED] };
      const finished = only(await act(op, { ...agent, key: "k" }));
      expect(finished).toMatchObject({
        status: "done",
        proof: PASSED,
        evidence: ["Check test passed on tree 4b825dc642cb (laptop)", "see the log"],
      });
      expect(await store.get("t1")).toStrictEqual(finished);
      expect((await store.events({ task: "t1" })).at(-1)).toMatchObject({
        type: "done",
        set: { proof: PASSED },
      });
      expect(await act(op, { ...agent, key: "k" })).toMatchObject({ duplicate: true });
      const reopened = only(await act({ op: "reopen", id: "t1" }));
      expect(reopened).toMatchObject({ status: "open", check: "test", evidence: [] });
      expect(reopened.proof).toBeUndefined();
    }));

  it("leaves a batch unfinished if one task lacks its proof", () =>
    using(async ({ store, act, add, claim }) => {
      await add("a");
      await add("b", { check: "test" });
      await claim("ann");
      await claim("ann");
      const held = [
        { id: "t1", epoch: 1 },
        { id: "t2", epoch: 1 },
      ];
      const finish = { op: "finish", owner: "ann", held } as const;
      expect(refusalOf(await act(finish))).toMatchObject({ code: "unproven", id: "t2" });
      expect((await store.list()).map(({ status }) => status)).toStrictEqual([
        "claimed",
        "claimed",
      ]);
      const done = await act({ ...finish, proofs: [PASSED] });
      expect(done).toMatchObject({ ok: true, tasks: [{ status: "done" }, { status: "done" }] });
      expect((await store.get("t1"))?.proof).toBeUndefined();
    }));

  it("lets only a user finish without the check, and records it", () =>
    using(async ({ store, act, add, claim }) => {
      await add("a", { check: "test" });
      const { epoch } = await claim("pat", "t1");
      const op = { op: "finish", owner: "pat", held: [{ id: "t1", epoch }], force: true } as const;
      expect(refusalOf(await act(op, { by: "agent" }))).toMatchObject({ code: "unproven" });
      const closed = only(await act(op, { by: "user" }));
      expect(closed).toMatchObject({
        status: "done",
        proof: { check: "test", forced: true },
        evidence: ["Finished by the user without its check test"],
      });
      expect((await store.events({ task: "t1" })).at(-1)).toMatchObject({
        by: "user",
        set: { proof: { forced: true } },
      });
    }));

  it("lets an agent set a check, but only a user change or remove it", () =>
    using(async ({ act, add, claim }) => {
      await add("a");
      const { epoch } = await claim("pat", "t1");
      const edit = (check: string | null) => ({ op: "edit", id: "t1", set: { check } }) as const;
      expect(only(await act(edit("test"), { by: "agent" }))).toMatchObject({ check: "test" });
      expect(await act(edit("test"), { by: "agent" })).toMatchObject({ ok: true });
      for (const check of ["true", null])
        expect(refusalOf(await act(edit(check), { by: "agent" }))).toMatchObject({
          code: "check_fixed",
          check: "test",
        });
      expect(only(await act(edit("lint")))).toMatchObject({ check: "lint" });
      expect(only(await act(edit(null))).check).toBeUndefined();
      const finish = { op: "finish", owner: "pat", held: [{ id: "t1", epoch }] } as const;
      expect(only(await act(finish))).toMatchObject({ status: "done", evidence: [] });
    }));
}
