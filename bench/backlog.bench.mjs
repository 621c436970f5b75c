import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { postgresTaskStore } from "../dist/tasks/postgres.js";
import { sqliteTaskStore } from "../dist/tasks/sqlite.js";
import { median, table } from "./measure.mjs";
import { startPostgres } from "./postgres.mjs";

const SENDER = { by: "agent", via: "bench" };
const ROUNDS = 15;
const BATCH = 20_000;
const DAY = 86_400_000;

/**
 * The state of the n-th task: of twenty, twelve are done, six ready, one delayed and one failed, so
 * that no state is rare and none is in one piece.
 */
function draftOf(n, now) {
  const place = n % 20;
  const common = { subject: `task ${n}`, priority: n % 5, labels: [`l${n % 7}`] };
  if (place < 12) return { ...common, status: "done", owner: `w${n % 9}`, finishedAt: now };
  if (place === 18) return { ...common, notBefore: now + DAY };
  return place === 19 ? { ...common, status: "failed", reason: "no" } : common;
}

async function fillSqlite(store, from, to) {
  for (let n = from; n < to; n += BATCH) {
    const now = await store.now();
    const length = Math.min(BATCH, to - n);
    const tasks = Array.from({ length }, (_, place) => draftOf(n + place, now));
    await store.apply({ op: "add", tasks }, SENDER);
  }
}

/** The same rows with one statement: a million calls would take longer than everything else. */
async function fillPostgres(url, from, to) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `WITH made AS (
       INSERT INTO waymark.tasks (num, subject, status, priority, labels, blocked_by, blockers, owner, epoch,
         attempts, max_attempts, evidence, metadata, created_at, updated_at, claimed_at, finished_at, not_before, delayed, reason)
       SELECT n + 1, 'task ' || n,
         CASE WHEN n % 20 < 12 THEN 'done' WHEN n % 20 = 19 THEN 'failed' ELSE 'open' END,
         n % 5, jsonb_build_array('l' || n % 7), '[]', 0, CASE WHEN n % 20 < 12 THEN 'w' || n % 9 END, 0, 0, 3, '[]', '{}',
         now - 1000, now, CASE WHEN n % 20 < 12 THEN now - 500 END, CASE WHEN n % 20 < 12 OR n % 20 = 19 THEN now END,
         CASE WHEN n % 20 = 18 THEN now + ${DAY} END, n % 20 = 18, CASE WHEN n % 20 = 19 THEN 'no' END
         FROM generate_series($1::bigint, $2::bigint - 1) AS n, waymark.now_ms() AS now
       RETURNING num, status, updated_at)
     INSERT INTO waymark.task_events (at, type, task, sent_by, via, fields)
     SELECT updated_at, CASE status WHEN 'done' THEN 'done' ELSE 'added' END, num, 'agent', 'bench', '{}' FROM made ORDER BY num`,
    [from, to],
  );
  await client.query("SELECT setval('waymark.task_numbers', $1)", [to]);
  await client.query("VACUUM ANALYZE waymark.tasks, waymark.task_events");
  await client.end();
}

async function timesOf(store, size) {
  const middle = `t${Math.floor(size / 2)}`;
  const calls = {
    "ready, 50 tasks": () => store.ready({ limit: 50 }),
    "ready by label, 50 tasks": () => store.ready({ limit: 50, label: "l3" }),
    claim: () => store.apply({ op: "claim", owner: "bench" }, SENDER),
    "list open, page of 50": () => store.list({ status: "open", after: middle, limit: 50 }),
    "list done, page of 50": () => store.list({ status: "done", after: middle, limit: 50 }),
    "list failed, page of 50": () => store.list({ status: "failed", after: middle, limit: 50 }),
    stats: () => store.stats(),
  };
  const times = {};
  for (const [name, call] of Object.entries(calls)) {
    const taken = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      const answer = await call();
      taken.push(performance.now() - start);
      if (answer.ok === false) throw new Error(`${name}: ${answer.refused.message}`);
    }
    times[name] = median(taken);
  }
  return times;
}

function show(engine, sizes, measured) {
  const rows = Object.keys(measured[0]).map((name) => ({
    what: `${name}, ${engine}`,
    ...Object.fromEntries(
      sizes.map((size, place) => [`${size} tasks`, `${measured[place][name].toFixed(2)} ms`]),
    ),
    ratio: `${(measured.at(-1)[name] / measured[0][name]).toFixed(2)} x`,
  }));
  table(rows);
}

async function measure(engine, sizes, store, fill) {
  const measured = [];
  let filled = 0;
  for (const size of sizes) {
    await fill(filled, size);
    filled = size;
    measured.push(await timesOf(store, size));
  }
  show(engine, sizes, measured);
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  const store = await sqliteTaskStore(join(folder, "waymark.db"));
  try {
    await measure("SQLite", [20_000, 200_000], store, (from, to) => fillSqlite(store, from, to));
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const server = await startPostgres();
  if (!server) return;
  try {
    const url = server.url;
    const tasks = await postgresTaskStore(url);
    await measure("PostgreSQL", [20_000, 1_000_000], tasks, (from, to) =>
      fillPostgres(url, from, to),
    );
    await tasks.close();
  } finally {
    await server.stop();
  }
}
