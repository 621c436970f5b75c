// Loaded before each test file by test-mutants.mjs: turns on one mutant, or records which of them the tests reach.
import { appendFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, expect, inject } from "vitest";

const { active, limit, batch, seed, record } = inject("mutant");
// In a batch, mutant-runner.mjs sets both.
globalThis.activeMutant = active;
globalThis.mutantLimit = limit;
const isRecording = active === undefined && batch === undefined;
// The same cases for each mutant, and no shrinking: the smallest failing case is not needed.
fc.configureGlobal({ seed, endOnFailure: true });

/** How often each test of this file reached each mutant; "" for what is not in a test. */
const reached = new Map();
let test = "";
globalThis.isMutant = (id) => {
  if (isRecording) {
    const own = reached.get(test) ?? new Map();
    reached.set(test, own.set(id, (own.get(id) ?? 0) + 1));
  }
  if (id !== globalThis.activeMutant) return false;
  globalThis.mutantHits = (globalThis.mutantHits ?? 0) + 1;
  if (globalThis.mutantHits > globalThis.mutantLimit)
    throw new Error("The mutant runs without end.");
  return true;
};
appendFileSync(record, `${JSON.stringify({ pid: process.pid })}\n`);
if (isRecording) {
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
if (batch !== undefined)
  afterAll(() =>
    appendFileSync(record, `${JSON.stringify({ done: expect.getState().testPath })}\n`),
  );
