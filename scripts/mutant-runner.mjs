// The runner of test-mutants.mjs while it tries many mutants in one process: each test runs again for each mutant that
// it reaches. A failure counts only if the test passes before and after it without mutants, so that no mutant is
// caught by what another one left behind.
import { EventEmitter } from "node:events";
import { appendFileSync, readFileSync } from "node:fs";
import { inject, TestRunner } from "vitest";

/** Milliseconds of all tests of one mutant; what survives that long is tried alone. */
const BUDGET = 1_000;
/** Milliseconds of a test that is left to the runs of single mutants. */
const LONG = 1_000;
/** Milliseconds without a caught mutant after which the other tests of a file are left out. */
const IN_VAIN = 5_000;
// Each run of a test listens to its signal once more.
EventEmitter.defaultMaxListeners = 0;

let mutants;
const caught = new Set();
/** Milliseconds by mutant. */
const spent = new Map();

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default class extends TestRunner {
  #file = "";
  #inVain = 0;

  async runTask(test) {
    const run = TestRunner.getTestFn(test);
    const { batch, record } = inject("mutant");
    if (batch === undefined) return run();
    mutants ??= JSON.parse(readFileSync(batch, "utf8"));
    const note = (what) => appendFileSync(record, `${JSON.stringify(what)}\n`);
    const { filepath } = test.file;
    if (filepath !== this.#file) [this.#file, this.#inVain] = [filepath, 0];
    const passes = async () => (await errorOf(run)) === undefined;
    const began = performance.now();
    if (!(await passes())) return;
    const ms = performance.now() - began;
    if (ms > LONG || !(await passes())) return;
    for (const id of mutants.reached[test.id] ?? []) {
      const before = spent.get(id) ?? 0;
      if (caught.has(id) || before + ms > BUDGET) continue;
      if (this.#inVain > IN_VAIN) break;
      note({ pid: process.pid, trying: id });
      globalThis.mutantHits = 0;
      globalThis.mutantLimit = mutants.limits[id];
      globalThis.activeMutant = id;
      const start = performance.now();
      const error = await errorOf(run);
      globalThis.activeMutant = undefined;
      const took = performance.now() - start;
      this.#inVain += took;
      spent.set(id, before + took);
      if (error === undefined) continue;
      if (!(await passes())) return;
      this.#inVain = 0;
      caught.add(id);
      note({ caught: id, by: test.id, message: String(error?.message ?? error).split("\n")[0] });
    }
    note({ pid: process.pid, trying: null });
  }
}

async function errorOf(run) {
  try {
    await run();
  } catch (error) {
    return error ?? new Error("unknown");
  }
}
