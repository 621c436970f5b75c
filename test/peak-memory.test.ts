import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { bundleWorker, removeBundle } from "./concurrency/processes.ts";
import { peakMemory } from "./peak-memory.ts";

test("the peak of a process does not include the memory of its parent", async () => {
  const script = await bundleWorker("test/faults/peak-memory-worker.ts");
  try {
    const ballast = Buffer.alloc(400 * 1024 * 1024, 1);
    const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(peakMemory()).toBeGreaterThan(ballast.length / 1024 / 1024);
    expect(Number(stdout)).toBeGreaterThan(20);
    expect(Number(stdout)).toBeLessThan(200);
  } finally {
    removeBundle(script);
  }
});
