// MCP servers: how long until the first answer, and how much memory they hold when idle.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

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
export async function startServer({ command, args, env, cwd }) {
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
export function backlog(folder) {
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
