import { expect, test } from "vitest";
import { revisionOf } from "../../../src/core/plan/plan.ts";
import { placedComments, planRevisions } from "../../../src/core/plan/revisions.ts";
import { createTracker, memoryStore } from "../../../src/index.ts";

function open() {
  let now = 1_000;
  const store = memoryStore();
  const tracker = createTracker({ store, clock: () => (now += 1_000) });
  const { plan } = tracker.own;
  const revisions = async () => planRevisions(await store.events(tracker.own.id));
  return {
    plan,
    revisions,
    number: async () => revisionOf((await plan.get()) ?? { state: "streaming" }),
  };
}

const ONE = "1. Add the kit\n2. Move the form\n3. Delete the flag";
const TWO = "1. Move the form carefully\n2. Add the kit";

test("each proposal is a revision until one is approved", async () => {
  const { plan, revisions, number } = open();
  await plan.propose(ONE);
  expect(await number()).toBe(1);
  await plan.propose(ONE);
  expect(await number()).toBe(1);
  await plan.propose(TWO);
  expect(await number()).toBe(2);
  await plan.reject("Keep the flag");
  await plan.draft("1. Dr");
  await plan.propose("1. Third");
  expect(await number()).toBe(3);
  await plan.approve();
  expect(
    (await revisions()).map(({ number: n, planId, decision }) => [n, planId, decision?.decision]),
  ).toEqual([
    [1, "p1", undefined],
    [2, "p1", "rejected"],
    [3, "p2", "approved"],
  ]);
  expect((await revisions())[1]?.decision).toMatchObject({ by: "user", comment: "Keep the flag" });
  await plan.propose("1. Another plan");
  expect(await number()).toBe(1);
  expect((await revisions()).map(({ number: n }) => n)).toEqual([1]);
});

test("comments stay with their step; a removed step keeps them", async () => {
  const { plan, revisions } = open();
  await plan.propose(ONE);
  await plan.comment("Behind a flag", { step: 2 });
  await plan.comment("Why?", { step: 3 });
  await plan.comment("In general");
  await plan.propose(TWO);
  await plan.comment("Carefully how?", { step: 1 });
  const places = placedComments(await revisions()).map(({ text, revision, places }) => [
    text,
    revision,
    Object.fromEntries(places),
  ]);
  expect(places).toEqual([
    ["Behind a flag", 1, { 1: 2, 2: 1 }],
    ["Why?", 1, { 1: 3 }],
    ["In general", 1, {}],
    ["Carefully how?", 2, { 2: 1 }],
  ]);
});

test("keeps the newest revisions within bounds, with their numbers", async () => {
  const { plan, revisions, number } = open();
  for (let count = 1; count <= 30; count++) await plan.propose(`1. Step ${count}`);
  const found = await revisions();
  expect(found.length).toBe(20);
  expect(found.at(-1)?.number).toBe(30);
  expect(await number()).toBe(30);
});
