// 16 processes that claim from one file: total rate, worst wait and fairness.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sqliteTaskStore } from "../dist/tasks/sqlite.js";

const PROCESSES = 16;
const SECONDS = 8;
const SENDER = { by: "agent", via: "bench" };

async function child(path) {
  const store = await sqliteTaskStore(path, { createDirectory: true });
  console.log("ready");
  await new Promise((resolve) => process.stdin.once("data", resolve));
  const end = performance.now() + SECONDS * 1_000;
  let claims = 0;
  let worst = 0;
  while (performance.now() < end) {
    const start = performance.now();
    const answer = await store.apply({ op: "claim", owner: String(process.pid) }, SENDER);
    worst = Math.max(worst, performance.now() - start);
    if (!answer.ok) break;
    claims += 1;
  }
  console.log(JSON.stringify({ claims, worst }));
  await store.close();
  process.exit(0);
}

export async function inProcesses(path) {
  const store = await sqliteTaskStore(path, { createDirectory: true });
  for (let n = 0; n < 6; n++)
    await store.apply(
      {
        op: "add",
        tasks: Array.from({ length: 5_000 }, (_, i) => ({ subject: `task ${n} ${i}` })),
      },
      SENDER,
    );
  const script = fileURLToPath(import.meta.url);
  const children = Array.from({ length: PROCESSES }, () => {
    const process_ = spawn(process.execPath, [script, path], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
    return { process_, lines };
  });
  for (const { lines } of children) await lines.next();
  for (const { process_ } of children) process_.stdin.write("go\n");
  const reports = [];
  for (const { lines } of children) reports.push(JSON.parse((await lines.next()).value));
  const all = reports.map(({ claims }) => claims);
  const total = all.reduce((sum, each) => sum + each, 0);
  const { claimed } = await store.counts();
  await store.close();
  if (claimed !== total) throw new Error(`${claimed} are claimed, ${total} were answered`);
  return {
    what: `claim by ${PROCESSES} processes, SQLite`,
    rate: `${(total / SECONDS).toFixed(0)} /s`,
    "worst wait": `${Math.max(...reports.map(({ worst }) => worst)).toFixed(0)} ms`,
    "best to worst": `${(Math.max(...all) / Math.min(...all)).toFixed(2)} : 1`,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await child(process.argv[2]);
