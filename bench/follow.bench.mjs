import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { table } from "./measure.mjs";

const SESSIONS = 1_000;
const PROJECTS = 40;
const RATE = 100;
const SECONDS = 10;
/**
 * V8 collects garbage once, about ten seconds after the last work: a short measurement includes it
 * or not by chance.
 */
const IDLE_SECONDS = 30;

const stamp = () => new Date().toISOString();

/** One TodoWrite and its answer, as Claude Code writes them. */
function written(session, text) {
  const id = `toolu_${session}_${text}`;
  const todos = [{ content: text, status: "in_progress", activeForm: text }];
  const line = (type, message, more) =>
    JSON.stringify({
      parentUuid: null,
      isSidechain: false,
      userType: "external",
      cwd: "/home/dev/demo",
      sessionId: session,
      version: "2.0.77",
      type,
      message,
      uuid: `${id}-${type}`,
      timestamp: stamp(),
      ...more,
    });
  const call = { type: "tool_use", id, name: "TodoWrite", input: { todos } };
  const answer = { type: "tool_result", tool_use_id: id, content: "ok" };
  return `${line("assistant", { id, role: "assistant", model: "m", content: [call] })}\n${line(
    "user",
    { role: "user", content: [answer] },
    { toolUseResult: { oldTodos: [], newTodos: todos } },
  )}\n`;
}

function makeHome(folder) {
  return Array.from({ length: SESSIONS }, (_, index) => {
    const project = join(folder, ".claude", "projects", `-home-dev-p${index % PROJECTS}`);
    mkdirSync(project, { recursive: true });
    const session = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    const path = join(project, `${session}.jsonl`);
    writeFileSync(path, written(session, "start"));
    return { path, session };
  });
}

async function bundle(folder) {
  const outfile = join(folder, "child.mjs");
  const entryPoints = [fileURLToPath(new URL("follow-child.mjs", import.meta.url))];
  const common = { bundle: true, format: "esm", platform: "node", target: "node20" };
  await build({ ...common, entryPoints, outfile, external: ["libsql"], logLevel: "warning" });
  return outfile;
}

function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

async function costOf(child) {
  child.send("cost");
  for (;;) {
    const [printed] = await once(child, "message");
    if (printed.cpu !== undefined) return printed;
  }
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  const home = join(folder, "home");
  const files = makeHome(home);
  const child = fork(await bundle(folder), [home]);
  try {
    const [{ tracks }] = await once(child, "message");
    if (tracks !== SESSIONS) throw new Error(`${tracks} of ${SESSIONS} sessions were found`);
    await setTimeout(3_000);
    child.send("begin");
    await setTimeout(IDLE_SECONDS * 1_000);
    const idle = await costOf(child);

    const sent = new Map();
    const delays = [];
    child.on("message", ({ seen, now }) => {
      if (sent.has(seen)) delays.push(now - sent.get(seen));
    });
    const begin = performance.now();
    for (let count = 0; count < RATE * SECONDS; count++) {
      const { path, session } = files[(count * 7) % SESSIONS];
      const text = `step ${count}`;
      sent.set(text, Date.now());
      appendFileSync(path, written(session, text));
      await setTimeout(Math.max(0, begin + ((count + 1) * 1_000) / RATE - performance.now()));
    }
    await setTimeout(3_000);
    const busy = await costOf(child);
    const lost = sent.size - delays.length;
    const p95 = percentile(delays, 0.95);
    const share = (idle.cpu / (IDLE_SECONDS * 1_000)) * 100;
    const verdict = (met) => (met ? "met" : "missed");
    table([
      {
        what: `append to event, ${RATE}/s over ${SESSIONS} sessions, p50`,
        figure: `${percentile(delays, 0.5)} ms`,
        aim: "",
      },
      {
        what: "append to event, p95",
        figure: `${p95} ms`,
        aim: `at most 20 ms: ${verdict(p95 <= 20)}`,
      },
      { what: "events never seen", figure: String(lost), aim: `0: ${verdict(lost === 0)}` },
      {
        what: "processor when nothing happens",
        figure: `${share.toFixed(2)} % of a core`,
        aim: `under 1 %: ${verdict(share < 1)}`,
      },
      {
        what: "memory",
        figure: `${Math.max(idle.rss, busy.rss).toFixed(0)} MB`,
        aim: `at most 150 MB: ${verdict(busy.rss <= 150)}`,
      },
    ]);
    console.log(`\nload average ${loadavg()[0].toFixed(1)}`);
  } finally {
    if (child.connected) child.send("stop");
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
