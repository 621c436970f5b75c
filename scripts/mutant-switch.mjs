// Loaded before each test file by test-mutants.mjs: turns on one mutant, or records which of them the tests reach.
import { appendFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, expect, inject } from "vitest";

const { active, limit, seed, record } = inject("mutant");
// The same cases for each mutant, and no shrinking: the smallest failing case is not needed.
fc.configureGlobal({ seed, endOnFailure: true });

/** How often each test of this file reached each mutant; "" for what is not in a test. */
const reached = new Map();
let test = "";
globalThis.isMutant = (id) => {
  if (active === undefined) {
    const own = reached.get(test) ?? new Map();
    reached.set(test, own.set(id, (own.get(id) ?? 0) + 1));
  }
  if (id !== active) return false;
  globalThis.mutantHits = (globalThis.mutantHits ?? 0) + 1;
  if (globalThis.mutantHits > limit) throw new Error("The mutant runs without end.");
  return true;
};
appendFileSync(record, `${JSON.stringify({ pid: process.pid })}\n`);
if (active === undefined) {
  beforeEach(({ task }) => {
    test = task.id;
  });
  afterEach(() => {
    test = "";
  });
  afterAll(() => {
    const file = expect.getState().testPath;
    const all = [...reached].map(([id, counts]) => [id, [...counts]]);
    appendFileSync(record, `${JSON.stringify({ file, reached: all })}\n`);
  });
}
