// MCP servers: how long until the first answer, and how much memory they hold when idle.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median, table, timeCommands } from "./measure.mjs";

const program = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));
const ROUNDS = 9;
/** The least that Node needs to answer at all. */
const ANSWER = 'process.stdin.once("data",()=>process.stdout.write("{}\\n"))';

const CACHE = fileURLToPath(new URL("../node_modules/.cache/backlog/", import.meta.url));
const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  },
};
const IDLE = 400;

/** Milliseconds until a server has answered, and its megabytes a moment later. */
async function startServer({ command, args, env, cwd }) {
  const start = performance.now();
  const child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    child.stdin.write(`${JSON.stringify(HELLO)}\n`);
    await new Promise((resolve, reject) => {
      child.stdout.once("data", resolve);
      child.once("exit", (code) => reject(new Error(`${command} ended with ${code}`)));
    });
    const ready = performance.now() - start;
    await new Promise((resolve) => setTimeout(resolve, IDLE));
    return { ready, memory: memoryOf(child.pid) };
  } finally {
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
    await ended;
  }
}

/** Of the process and of whatever it started. Where the system does not tell: not a number. */
function memoryOf(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    const own = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return children
      .split(" ")
      .filter(Boolean)
      .reduce((sum, child) => sum + memoryOf(child), Number(own?.[1] ?? 0) / 1024);
  } catch {
    return Number.NaN;
  }
}

/** The peer, in a project of its own, if it is installed here or was fetched into the cache. */
function backlog(folder) {
  const fetched = join(CACHE, "node_modules", ".bin", "backlog");
  const command = [fetched, "backlog"].find(
    (each) =>
      (each === "backlog" || existsSync(each)) && spawnSync(each, ["--version"]).status === 0,
  );
  if (!command) return undefined;
  const cwd = join(folder, "backlog");
  mkdirSync(cwd);
  spawnSync("git", ["init", "-q"], { cwd });
  const { status } = spawnSync(command, ["init", "bench", "--defaults"], { cwd, timeout: 30_000 });
  return status === 0 ? { command, args: ["mcp", "start"], cwd, env: process.env } : undefined;
}

/** Taken in turns, so that all see the same machine. */
async function measure(folder) {
  const env = { ...process.env, WAYMARK_HOME: join(folder, "home") };
  const { execPath: command } = process;
  const peer = backlog(folder);
  const all = {
    "node that answers": { command, args: ["-e", ANSWER], env },
    "waymark mcp": { command, args: [program, "mcp"], env },
    ...(peer && { "backlog.md mcp": peer }),
  };
  const runs = new Map(Object.keys(all).map((name) => [name, []]));
  const empty = { "node -e 0": { args: ["-e", "0"] } };
  const bases = [];
  for (let round = 0; round < ROUNDS; round++) {
    bases.push(timeCommands(empty, 1).get("node -e 0"));
    for (const [name, server] of Object.entries(all))
      runs.get(name).push(await startServer(server));
  }
  const rows = [...runs].map(([name, taken]) => ({
    name,
    ready: median(taken.map(({ ready }) => ready)),
    memory: median(taken.map(({ memory }) => memory)),
  }));
  return { base: median(bases), rows };
}

export async function serverTable() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    const { base, rows } = await measure(folder);
    table([
      { what: "node -e 0", ready: `${base.toFixed(0)} ms`, ratio: "1.00", idle: "" },
      ...rows.map(({ name, ready, memory }) => ({
        what: name,
        ready: `${ready.toFixed(0)} ms`,
        ratio: `${(ready / base).toFixed(2)} x node -e 0`,
        idle: Number.isNaN(memory) ? "" : `${memory.toFixed(0)} MB`,
      })),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
