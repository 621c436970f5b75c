import fc from "fast-check";
import { expect, test } from "vitest";
import { createTracker, memoryStore, PRESETS } from "../../src/index.ts";
import { memoryTaskStore } from "../../src/tasks/memory.ts";
import { FULL, sized } from "../full.ts";
import { op } from "./arbitrary.ts";

const SEEDS = FULL ? 1_000 : 10;
const STEPS = 20;

/** The history of a list and some tasks, generated from a seed. */
function life(seed: number): string {
  let now = seed;
  let keys = 0;
  const clock = () => {
    now += 1_000;
    return now;
  };
  const newKey = () => {
    keys += 1;
    return `k${keys}`;
  };
  const { own } = createTracker({ store: memoryStore(), clock, newKey, policy: PRESETS.repair });
  const tasks = memoryTaskStore({ now: clock });
  const sender = { by: "agent", via: "test" } as const;
  const answers = fc
    .sample(fc.array(op, { minLength: 1, maxLength: 2 }), { seed, numRuns: STEPS })
    .map((ops, n) => [
      own.submit(ops, { by: n % 3 === 0 ? "user" : "agent" }),
      tasks.apply({ op: "add", tasks: [{ subject: `task ${n}` }] }, sender),
      tasks.apply({ op: "claim", owner: `o${n % 2}`, lease: 5_000 }, sender),
    ]);
  return JSON.stringify({
    answers,
    events: own.events(),
    tasks: tasks.list(),
    told: tasks.events(),
  });
}

test("replays lists and tasks from a seed byte for byte", {
  tags: ["irreproducible-failure"],
}, () => {
  const lives = Array.from({ length: SEEDS }, (_, seed) => life(seed));
  expect(new Set(lives).size).toBeGreaterThan(SEEDS / 2);
  for (const [seed, before] of lives.entries()) {
    const again = life(seed);
    expect({ seed, same: again === before }).toStrictEqual({ seed, same: true });
  }
});

test("reproduces the failure of a seed 100 times", { tags: ["irreproducible-failure"] }, () => {
  const fails = () =>
    fc.check(
      fc.property(fc.array(op, { maxLength: 6 }), (ops) => {
        const { own } = createTracker({ store: memoryStore(), clock: () => 1, newKey: () => "k" });
        own.submit(ops, { policy: PRESETS.repair });
        return own.get().length < 3;
      }),
      { seed: 42, numRuns: sized(300, 1_000), endOnFailure: true },
    );
  const first = fails();
  expect(first.failed).toBe(true);
  for (let n = 0; n < 100; n++) {
    const { counterexample, counterexamplePath } = fails();
    expect(counterexample).toStrictEqual(first.counterexample);
    expect(counterexamplePath).toBe(first.counterexamplePath);
  }
});
