import { afterEach, beforeEach, expect, test } from "vitest";
import { planFingerprint } from "../../src/core/plan/decide.ts";
import { type Home, openHome } from "../../src/home/open.ts";
import { applyChange } from "../../src/servers/board/apply-change.ts";
import { type Machine, newMachine } from "./machine.ts";

const ID = { session: "demo", agent: "main" };

let machine: Machine;
let home: Home;
beforeEach(() => {
  machine = newMachine();
  home = openHome({ HOME: machine.root, WAYMARK_HOME: machine.home }, () => undefined);
});
afterEach(async () => {
  await home.close();
  machine.remove();
});

test("does not decide on a plan that replaced the one on the board", async () => {
  const { plan } = (await home.writing()).list(ID);
  await plan.propose("1. Read");
  const seen = planFingerprint({ id: "p1", text: "1. Read" });
  await plan.propose("1. Delete");
  const act = { type: "plan", id: ID, seen } as const;
  for (const decision of ["approve", "reject"] as const)
    expect(await applyChange({ home }, { ...act, decision })).toBe(
      "The plan has changed since you read it. Read it again.",
    );
  expect(await plan.get()).toMatchObject({ text: "1. Delete", state: "proposed" });
  await plan.propose("1. Read");
  expect(await applyChange({ home }, { ...act, decision: "approve" })).toBe("Plan approved.");
});
