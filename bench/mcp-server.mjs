// MCP servers: how long until the first answer, and how much memory they hold when idle.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, table, timeCommands } from "./measure.mjs";
import { backlog } from "./peers/backlog.mjs";
import { NOT_INSTALLED } from "./peers/brought.mjs";
import { greet } from "./peers/server.mjs";
import { program } from "./peers/waymark.mjs";

const ROUNDS = 9;
/** The lower bound: a Node process that answers. */
const ANSWER = `process.stdin.once("data",()=>process.stdout.write('{"id":1}\\n'))`;
const PEER = `${backlog.name} mcp`;

/** Run in turns, so that all see the same machine. */
async function measure(folder) {
  const env = { ...process.env, WAYMARK_HOME: join(folder, "home") };
  const peer = backlog.isThere() ? await backlog.at(join(folder, "backlog")) : undefined;
  const all = {
    "node that answers": { args: ["-e", ANSWER], env },
    "waymark mcp": { args: [program, "mcp"], env },
    ...(peer && { [PEER]: { args: peer.server, cwd: peer.cwd, env: peer.env } }),
  };
  const runs = new Map(Object.keys(all).map((name) => [name, []]));
  const empty = { "node -e 0": { args: ["-e", "0"] } };
  const bases = [];
  for (let round = 0; round < ROUNDS; round++) {
    bases.push(timeCommands(empty, 1).get("node -e 0"));
    for (const [name, server] of Object.entries(all)) runs.get(name).push(await greet(server));
  }
  const rows = [...runs].map(([name, taken]) => ({
    name,
    ready: median(taken.map(({ ready }) => ready)),
    memory: median(taken.map(({ memory }) => memory)),
  }));
  return { base: median(bases), rows, isAlone: peer === undefined };
}

export async function serverTable() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    const { base, rows, isAlone } = await measure(folder);
    table([
      { what: "node -e 0", ready: `${base.toFixed(0)} ms`, ratio: "1.00", idle: "" },
      ...rows.map(({ name, ready, memory }) => ({
        what: name,
        ready: `${ready.toFixed(0)} ms`,
        ratio: `${(ready / base).toFixed(2)} x node -e 0`,
        idle: Number.isNaN(memory) ? "" : `${memory.toFixed(0)} MB`,
      })),
      ...(isAlone ? [{ what: PEER, ratio: NOT_INSTALLED }] : []),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
