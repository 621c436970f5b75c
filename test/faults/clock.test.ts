import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { startWorker } from "../concurrency/processes.ts";
import { FULL } from "../full.ts";
import { needs } from "../skipped.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import type { LeaseCall, LeaseOrders } from "./lease-worker.ts";
import { NO_SHIM, shimIn } from "./shim.ts";
import { shimmed } from "./shimmed.ts";

const PROCESSES = FULL ? 16 : 4;
const TASKS = FULL ? 2_000 : 40;
const LEASE = FULL ? 2_000 : 500;
const JUMP_EVERY = 100;
/** The store counts whole milliseconds, so a lease can be shorter by less than one. */
const RESOLUTION = 1;
/** One second, a minute, an hour and a day, in both directions. */
const JUMPS = [1_000, 60_000, 3_600_000, 86_400_000].flatMap((jump) => [jump, -jump]);
/** A process that gets no CPU time is late, not wrong. */
const PATIENCE = 20_000;

const built = shimmed("test/faults/lease-worker.ts");

/** No claim succeeded before a lease ended, and none was delayed long after. */
function faultsOf(calls: readonly LeaseCall[]): string[] {
  const wrong: string[] = [];
  for (const task of new Set(calls.map((call) => call.task))) {
    const own = calls.filter((call) => call.task === task);
    const claims = own.filter(({ what }) => what === "claim").toSorted((a, b) => a.epoch - b.epoch);
    for (const [place, claim] of claims.entries()) {
      const next = claims[place + 1];
      const of = own.filter(({ epoch }) => epoch === claim.epoch);
      const finish = of.find(({ what }) => what === "finish");
      if (next && next.to < claim.from + LEASE - RESOLUTION)
        wrong.push(`${task} was taken ${next.to - claim.from} ms after it was claimed`);
      if (next && next.to > claim.to + LEASE + PATIENCE)
        wrong.push(`${task} was free only ${next.to - claim.to} ms after it was claimed`);
      if (finish?.refused && finish.to < claim.from + LEASE - RESOLUTION)
        wrong.push(`${task} was not finished within its lease: ${finish.refused}`);
    }
  }
  return wrong;
}

describe("clocks that jump", { timeout: 300_000, ...needs(NO_SHIM) }, () => {
  test(`keeps leases at their length while clocks of ${PROCESSES} processes jump by up to a day`, {
    tags: ["clock-jump"],
  }, async () => {
    const dir = temporaryDirectory();
    const path = join(dir, "store.db");
    const store = await sqliteTaskStore(path, { createDirectory: true });
    const tasks = Array.from({ length: TASKS }, (_, n) => ({
      subject: `Task ${n}`,
      maxAttempts: 100,
    }));
    await store.apply({ op: "add", tasks }, { by: "user", via: "test" });
    const shims = Array.from({ length: PROCESSES }, (_, n) => {
      const place = join(dir, `shim-${n}`);
      mkdirSync(place);
      return shimIn(place, built.library);
    });
    const workers = shims.map((shim, n) => {
      const orders: LeaseOrders = { path, name: `w${n}`, lease: LEASE };
      return startWorker(built.script, orders, process.execPath, shim.env(join(dir, "unwatched")));
    });
    onTestFinished(() => {
      for (const worker of workers) worker.kill();
    });
    await Promise.all(workers.map((worker) => worker.ready));
    for (const worker of workers) worker.go();
    const jumping = setInterval(() => {
      for (const { control } of shims)
        control.setClock(JUMPS[Math.floor(Math.random() * JUMPS.length)] ?? 0);
    }, JUMP_EVERY);
    onTestFinished(() => clearInterval(jumping));
    await Promise.all(workers.map((worker) => worker.ended));
    const reports = workers.map(({ lines }) => JSON.parse(lines.at(-1) ?? "{}"));
    const calls: LeaseCall[] = reports.flatMap((report) => report.calls);
    expect(faultsOf(calls)).toStrictEqual([]);
    expect(await store.counts()).toMatchObject({ done: TASKS });
    await store.close();
    // Clocks jumped and leases expired.
    expect(Math.max(...reports.map((report) => report.walls))).toBeGreaterThan(2);
    expect(calls.filter(({ what }) => what === "forget").length).toBeGreaterThan(0);
  });
});
