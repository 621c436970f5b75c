import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { FULL } from "../full.ts";

const run = promisify(execFile);

/** Runs `npm run simulate` with options; returns what it prints. Fails with the seeds that failed. */
async function simulate(...options: readonly string[]): Promise<string> {
  const args = ["scripts/simulate.mjs", ...options];
  try {
    return (await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout || String(error));
  }
}

const SEEDS = FULL ? ["--seeds", "1000000", "--seconds", "900"] : ["--seeds", "1000"];

test("keeps every promise in simulations with crashes, delays, lost messages and clock jumps", {
  tags: ["any-interleaving"],
  timeout: 1_200_000,
}, async () => {
  expect(await simulate(...SEEDS)).toContain(" 0 failed.");
});

test("replays a seed step by step, alone and after other seeds", {
  tags: ["irreproducible-failure"],
}, async () => {
  const [alone, again, some] = await Promise.all([
    simulate("--seed", "7"),
    simulate("--seed", "7"),
    simulate("--seeds", "8", "--threads", "1", "--fingerprints"),
  ]);
  expect(alone.split("\n").length).toBeGreaterThan(100);
  expect(again).toBe(alone);
  expect(some).toContain(/Seed 7: .*/.exec(alone)?.[0]);
});
