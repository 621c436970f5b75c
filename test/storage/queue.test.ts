import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createQueue } from "../../src/engines/storage/queue.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "waymark-queue-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Removes the queue whenever it is empty, as the last process that leaves does. */
const LEAVING = `
  const { rmdirSync } = require("node:fs");
  const { workerData } = require("node:worker_threads");
  // It is in use or does not exist: try again.
  for (;;) try { rmdirSync(workerData); } catch {}
`;

it("creates the queue again if it disappears while a process joins", async () => {
  const dir = join(root, "not", "there", "queue");
  const queue = createQueue(dir, { limit: 10_000, always: true });
  const leaving = new Worker(LEAVING, { eval: true, workerData: dir });
  try {
    await new Promise((resolve) => leaving.once("online", resolve));
    const served: number[] = [];
    for (let n = 0; n < 200; n++) served.push((await queue.turn(() => n)) as number);
    expect(served).toEqual(Array.from({ length: 200 }, (_, n) => n));
  } finally {
    await leaving.terminate();
  }
});
