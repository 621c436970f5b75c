import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteTaskStore } from "../dist/tasks/sqlite.js";
import { median, table, timeEach } from "./measure.mjs";
import { NOT_INSTALLED } from "./peers/brought.mjs";
import { startPostgres } from "./postgres.mjs";
import { graphileWorker, pgBoss } from "./queues.mjs";
import { leastRows, sameRows } from "./raw-tasks.mjs";
import { inProcesses } from "./tasks-processes.mjs";

const SENDER = { by: "agent", via: "bench" };
const ROUNDS = 50;
const EACH = 10;
const READY_ROUNDS = 100;
/** More repetitions where four workers share the machine with a server, for a stable median. */
const SERVER_ROUNDS = 7;

/**
 * Runs a few calls of each in turns: all see the same disk, and a pause of the disk or other load
 * does not decide the result.
 */
async function singleCalls(folder) {
  const model = join(folder, "ours.db");
  const store = await sqliteTaskStore(model);
  const least = await leastRows(join(folder, "least.db"));
  const same = await sameRows(join(folder, "same.db"), model);
  const ours = {
    create: (n) => store.apply({ op: "add", tasks: [{ subject: `task ${n}` }] }, SENDER),
    claim: () => store.apply({ op: "claim", owner: "bench" }, SENDER),
  };
  const taken = { create: [[], [], []], claim: [[], [], []] };
  for (let round = 0; round < ROUNDS; round++)
    for (const what of ["create", "claim"])
      for (const [place, each] of [ours, least, same].entries())
        for (let n = 0; n < EACH; n++)
          taken[what][place].push(await timeEach(1, async () => each[what](n)));
  least.close();
  same.close();
  await store.close();
  const row = (what, times) => {
    const [own, leastTime, sameTime] = times.map(median);
    return {
      what,
      ours: `${own.toFixed(0)} us`,
      "least by hand": `${leastTime.toFixed(0)} us`,
      "share of it": `${((leastTime / own) * 100).toFixed(0)} %`,
      "same rows by hand": `${sameTime.toFixed(0)} us`,
      "share of them": `${((sameTime / own) * 100).toFixed(0)} %`,
    };
  };
  return [row("create, SQLite", taken.create), row("claim, SQLite", taken.claim)];
}

async function fill(store, from, to) {
  for (let start = from; start < to; start += 5_000) {
    const tasks = Array.from({ length: Math.min(5_000, to - start) }, (_, index) => {
      const n = start + index;
      const blockedBy = n < 50 ? [] : [...new Set([`b${n >> 1}`, `b${n >> 2}`])];
      return { subject: `task ${n}`, ref: `b${n}`, priority: n % 5, blockedBy };
    });
    const answer = await store.apply({ op: "add", tasks }, SENDER);
    if (!answer.ok) throw new Error(answer.refused.message);
  }
}

/**
 * Time to list ready tasks, with two blockers per task; run in turns, so that all see the same
 * machine.
 */
async function readyTimes(folder) {
  const sizes = [];
  for (const size of [1_000, 10_000, 100_000]) {
    const store = await sqliteTaskStore(join(folder, `${size}.db`));
    await fill(store, 0, size);
    sizes.push({ size, store, times: [] });
  }
  for (let n = 0; n < READY_ROUNDS; n++)
    for (const { store, times } of sizes)
      times.push((await timeEach(1, () => store.ready({ limit: 20 }))) / 1_000);
  for (const { store } of sizes) await store.close();
  return sizes.map(({ size, times }, place) => {
    const before = sizes[place - 1]?.times;
    return {
      what: `ready of ${size}, SQLite`,
      p50: `${median(times).toFixed(2)} ms`,
      "to the size before": before ? `${(median(times) / median(before)).toFixed(2)} x` : "",
    };
  });
}

async function ours(store, total, batch) {
  const drafts = Array.from({ length: total }, (_, n) => ({ subject: `task ${n}` }));
  await store.apply({ op: "add", tasks: drafts }, SENDER);
  const start = performance.now();
  const lane = async (owner) => {
    for (;;) {
      const answer = await store.apply({ op: "claim", owner, count: batch }, SENDER);
      if (!answer.ok) return;
      const held = answer.tasks.map(({ id, epoch }) => ({ id, epoch }));
      await store.apply({ op: "finish", owner, held }, SENDER);
    }
  };
  await Promise.all(["a", "b", "c", "d"].map(lane));
  return total / ((performance.now() - start) / 1_000);
}

/**
 * Claim and finish with four workers, beside two queues on the same server with the same
 * durability.
 */
async function onServer(url) {
  const { postgresTaskStore } = await import("../dist/tasks/postgres.js");
  const store = await postgresTaskStore(url);
  const single = 400;
  const many = 5_000;
  const rates = { single: [], boss: [], graphile: [], batch: [], bossBatch: [] };
  // The first run warms up.
  await ours(store, single, 1);
  for (let round = 0; round < SERVER_ROUNDS; round++) {
    rates.boss.push(await pgBoss(url, single, 1));
    rates.single.push(await ours(store, single, 1));
    rates.graphile.push(await graphileWorker(url, single));
    rates.bossBatch.push(await pgBoss(url, many, 50));
    rates.batch.push(await ours(store, many, 50));
  }
  await store.close();
  const row = (what, own, theirs) => ({
    what,
    rate: `${median(own).toFixed(0)} /s`,
    ratio: theirs ? `${median(own.map((rate, n) => rate / theirs[n])).toFixed(2)} x` : "",
    "of medians": theirs ? `${(median(own) / median(theirs)).toFixed(2)} x` : "",
  });
  const beside = (what, own, theirs) =>
    theirs.some(Number.isNaN) ? { what, ratio: NOT_INSTALLED } : row(what, own, theirs);
  return [
    row("claim and finish, PostgreSQL, 1 at a time", rates.single),
    beside("  to pg-boss 10.3", rates.single, rates.boss),
    beside("  to graphile-worker 0.16", rates.single, rates.graphile),
    row("claim and finish, PostgreSQL, 50 at a time", rates.batch),
    beside("  to pg-boss 10.3, 50 at a time", rates.batch, rates.bossBatch),
  ];
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    table(await singleCalls(folder));
    console.log("");
    table(await readyTimes(folder));
    console.log("");
    table([await inProcesses(join(folder, "shared.db"))]);
    const server = await startPostgres();
    if (!server) {
      console.log("\nPostgreSQL cannot run here.");
      return;
    }
    try {
      console.log("");
      table(await onServer(server.url));
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
