import { expect, test } from "vitest";
import { createTracker } from "../../src/index.ts";
import { planFingerprint } from "../../src/internal.ts";

const READ = "1. Add the kit\n2. Test";
const UNREAD = "1. Drop the table\n2. Ship";
const CHANGED = [
  { code: "conflict", message: "The plan has changed since you read it. Read it again." },
] as const;

function proposed() {
  const { own } = createTracker();
  own.plan.propose(READ);
  const plan = own.plan.get();
  if (!plan) throw new Error("no plan");
  return { own, seen: planFingerprint(plan) };
}

test("refuses a decision on a plan that was replaced", () => {
  const { own, seen } = proposed();
  own.plan.propose(UNREAD);
  const before = own.read();
  expect(before.plan).toMatchObject({ id: "p1", text: UNREAD });
  expect([
    own.plan.approve("Go", { seen, adopt: true }).rejected,
    own.plan.reject("No", { seen }).rejected,
    own.plan.comment("too slow", { step: 2, seen }).rejected,
  ]).toEqual([CHANGED, CHANGED, CHANGED]);
  expect(own.read()).toEqual(before);
  // The same text as before is the plan that was read.
  own.plan.propose(READ);
  expect(own.plan.comment("too slow", { step: 2, seen }).ok).toBe(true);
  expect(own.plan.approve(undefined, { seen }).ok).toBe(true);
});

test("distinguishes the same text proposed again after a decision", () => {
  const { own, seen } = proposed();
  expect(own.plan.reject("No", { seen }).ok).toBe(true);
  own.plan.propose(READ);
  expect(own.plan.reject("No", { seen }).rejected).toEqual(CHANGED);
  // Without a pending plan, that is the reason.
  own.plan.reject();
  expect(own.plan.approve(undefined, { seen }).rejected[0]?.message).toContain("already rejected");
});

test("decides on the current plan without a fingerprint", () => {
  const { own } = proposed();
  own.plan.propose(UNREAD);
  expect(own.plan.comment("hm", { step: 1 }).ok).toBe(true);
  expect(own.plan.approve().ok).toBe(true);
});
