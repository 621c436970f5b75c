import { expect, test } from "vitest";
import { createTracker } from "../../src/index.ts";
import { planMark } from "../../src/internal.ts";

const READ = "1. Add the kit\n2. Test";
const UNREAD = "1. Drop the table\n2. Ship";
const CHANGED = [
  { code: "conflict", message: "The plan changed meanwhile; read it again." },
] as const;

function proposed() {
  const { own } = createTracker();
  own.plan.propose(READ);
  const plan = own.plan.get();
  if (!plan) throw new Error("no plan");
  return { own, seen: planMark(plan) };
}

test("what was read is decided on, nothing that took its place", () => {
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
  // Back to what was read: nobody was told of another one.
  own.plan.propose(READ);
  expect(own.plan.comment("too slow", { step: 2, seen }).ok).toBe(true);
  expect(own.plan.approve(undefined, { seen }).ok).toBe(true);
});

test("the same text, proposed again after a decision, is another plan", () => {
  const { own, seen } = proposed();
  expect(own.plan.reject("No", { seen }).ok).toBe(true);
  own.plan.propose(READ);
  expect(own.plan.reject("No", { seen }).rejected).toEqual(CHANGED);
  // Where nothing waits, that is what is said.
  own.plan.reject();
  expect(own.plan.approve(undefined, { seen }).rejected[0]?.message).toContain("rejected already");
});

test("whoever does not say what they read decides on what is there", () => {
  const { own } = proposed();
  own.plan.propose(UNREAD);
  expect(own.plan.comment("hm", { step: 1 }).ok).toBe(true);
  expect(own.plan.approve().ok).toBe(true);
});
