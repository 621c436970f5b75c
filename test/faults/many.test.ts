import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundleWorker, removeBundle } from "../concurrency/processes.ts";
import { FULL } from "../full.ts";
import type { Many } from "./many-worker.ts";
import { quickPlace } from "./quick-place.ts";

const TASKS = FULL ? 100_000 : 3_000;
const EVENTS = FULL ? 1_000_000 : 10_000;
/** Milliseconds and megabytes; times are medians, with room for a busy machine. */
const MOST = { claim: 10, finish: 10, page: 50, catchUp: 50, memory: 300 };

test(`${TASKS} tasks and ${EVENTS} events: claims and reads stay fast`, {
  tags: ["many-tasks"],
  timeout: 600_000,
}, async () => {
  const script = await bundleWorker("test/faults/many-worker.ts");
  onTestFinished(() => removeBundle(script));
  const args = [script, join(quickPlace(), "waymark.db"), String(TASKS), String(EVENTS)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  const { tasks, events, file, ...measured } = JSON.parse(stdout) as Many;
  if (FULL) console.log(JSON.stringify({ file, ...measured }));
  expect(tasks).toBe(TASKS);
  expect(events).toBeGreaterThanOrEqual(EVENTS);
  const over = Object.entries(MOST).filter(
    ([name, most]) => measured[name as keyof typeof MOST] > most,
  );
  expect(over).toEqual([]);
});
