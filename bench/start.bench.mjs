import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { backlog, startServer } from "./mcp-server.mjs";
import { median, table, timeCommands } from "./measure.mjs";

const program = fileURLToPath(new URL("../bin/waymark.js", import.meta.url));
const ROUNDS = 9;
/** The least that Node needs to answer at all. */
const ANSWER = 'process.stdin.once("data",()=>process.stdout.write("{}\\n"))';

/** Taken in turns, so that all see the same machine. */
async function servers(folder) {
  const env = { ...process.env, WAYMARK_HOME: join(folder, "home") };
  const { execPath: command } = process;
  const peer = backlog(folder);
  const all = {
    "node that answers": { command, args: ["-e", ANSWER], env },
    "waymark mcp": { command, args: [program, "mcp"], env },
    ...(peer && { "backlog.md mcp": peer }),
  };
  const runs = new Map(Object.keys(all).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, server] of Object.entries(all))
      runs.get(name).push(await startServer(server));
  return [...runs].map(([name, taken]) => ({
    name,
    ready: median(taken.map(({ ready }) => ready)),
    memory: median(taken.map(({ memory }) => memory)),
  }));
}

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    const base = timeCommands({ "node -e 0": { args: ["-e", "0"] } }, ROUNDS).get("node -e 0");
    const rows = await servers(folder);
    table([
      { what: "node -e 0", ready: `${base.toFixed(0)} ms`, ratio: "1.00", memory: "" },
      ...rows.map(({ name, ready, memory }) => ({
        what: name,
        ready: `${ready.toFixed(0)} ms`,
        ratio: `${(ready / base).toFixed(2)} x node -e 0`,
        memory: Number.isNaN(memory) ? "" : `${memory.toFixed(0)} MB`,
      })),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
