// The same work by Waymark and by other tools, in one run on one machine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, note, table, title } from "./measure.mjs";
import { titleOf } from "./peers/contract.mjs";
import { CREATES, createdByCommand, createdByServer } from "./peers/creates.mjs";
import { inTurns } from "./peers/in-turns.mjs";
import { emptyHome } from "./peers/process.mjs";
import { projects } from "./peers/projects.mjs";
import { readers } from "./peers/readers.mjs";
import { greet, openServer } from "./peers/server.mjs";
import { program, waymark } from "./peers/waymark.mjs";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const BASE = "node -e 0";

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-bench-"));
  try {
    title("Start");
    table(await startRows(join(folder, "start")));
    note(`To ${BASE}. The list has 100 tasks, half of them blocked by another.`);
    title("MCP server");
    table(await serverRows(join(folder, "servers")));
    note(
      `To ${BASE}. backlog.md's server also keeps milestones and documents, and shrimp's leads through planning; waymark's has the agent's own list and the team's tasks.`,
    );
    title(`${CREATES} tasks added by 8 agents at once`);
    table(await createRows(join(folder, "creates")));
    note(
      "By command line each task is a process; over MCP each agent has a server. Kept: acknowledged tasks that a new reader finds. Waymark and backlog.md number tasks in one sequence; the others use random ids.",
    );
    title("The next task, of 1,000");
    table(await readyRows(join(folder, "ready")));
    note(
      `The command to ${BASE}; the call to a running server. By command line waymark and backlog.md return one task; over MCP waymark returns the six most urgent and backlog.md one; dex has no limit and returns all 500; shrimp has no query for ready tasks and returns all pending ones.`,
    );
    title("Reading transcripts");
    table(await readers(join(folder, "readers")));
    note(
      "Both read the same files for different purposes: waymark finds lists, plans and modes; ccusage sums the tokens of every message, which takes reading more lines.",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startRows(folder) {
  const { there, missing } = await projects(folder, 100);
  const commands = { [BASE]: { args: ["-e", "0"], env: emptyHome(folder) } };
  for (const [name, { commands: known, cwd, env }] of there)
    if (known) {
      commands[`${name} version`] = { args: known.version, cwd, env };
      commands[`${name} list`] = { args: known.list, says: titleOf(99), cwd, env };
    }
  const times = await inTurns(commands, ROUNDS);
  const rows = [...there].map(([tool, { commands: known }]) =>
    known
      ? {
          tool,
          "--version": times.ratio(`${tool} version`, BASE),
          list: times.ratio(`${tool} list`, BASE),
        }
      : { tool, "--version": "no command line" },
  );
  return [{ tool: BASE, "--version": "1.00 x", list: "" }, ...rows, ...missing("--version")];
}

async function serverRows(folder) {
  const { there, missing } = await projects(folder, 0);
  const own = there.get(waymark.name);
  const servers = new Map([
    ["waymark, list", { ...own, args: [program, "mcp"] }],
    ["waymark, list and tasks", { ...own, args: own.server }],
  ]);
  for (const [name, project] of there)
    if (project !== own) servers.set(name, { ...project, args: project.server });
  const bases = [];
  const taken = new Map([...servers.keys()].map((name) => [name, []]));
  const failures = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    const times = await inTurns({ [BASE]: { args: ["-e", "0"], env: own.env } }, 1);
    bases.push(times.ms(BASE));
    for (const [name, server] of servers)
      if (!failures.has(name))
        await greet(server).then(
          (each) => taken.get(name).push(each),
          ({ message }) => failures.set(name, message),
        );
  }
  const rows = [];
  for (const [tool, server] of servers) {
    if (failures.has(tool)) rows.push({ tool, "first answer": failures.get(tool) });
    else {
      const ready = median(taken.get(tool).map((each) => each.ready)) / median(bases);
      const memory = median(taken.get(tool).map((each) => each.memory));
      const { count, bytes } = await toolsOf(server);
      rows.push({
        tool,
        "first answer": `${ready.toFixed(2)} x`,
        idle: `${memory.toFixed(0)} MB`,
        tools: count,
        "bytes of tools/list": bytes,
      });
    }
  }
  return [...rows, ...missing("first answer")];
}

async function toolsOf(place) {
  const server = await openServer(place);
  try {
    return await server.tools();
  } finally {
    await server.close();
  }
}

async function createRows(folder) {
  const { there, missing } = await projects(join(folder, "command"), 0);
  const others = (await projects(join(folder, "server"), 0)).there;
  const rows = [];
  for (const [name, project] of there) {
    if (project.commands) rows.push(await createdByCommand(name, project));
    if (others.has(name)) rows.push(await createdByServer(name, others.get(name)));
  }
  return [...rows, ...missing("told ok")];
}

async function readyRows(folder) {
  const { there, missing } = await projects(folder, 1_000);
  const commands = { [BASE]: { args: ["-e", "0"], env: emptyHome(folder) } };
  for (const [name, { commands: known, cwd, env }] of there)
    if (known) commands[name] = { args: known.ready, says: titleOf(0), cwd, env };
  const times = await inTurns(commands, Math.ceil(ROUNDS / 2));
  const rows = [];
  for (const [tool, project] of there)
    rows.push({
      tool,
      "command line": project.commands ? times.ratio(tool, BASE) : "no command line",
      ...(await askReady(project)),
    });
  return [...rows, ...missing("command line")];
}

/** For a server that has answered before. */
async function askReady({ server: args, cwd, env, calls }) {
  let server;
  try {
    server = await openServer({ args, cwd, env });
    const answer = JSON.stringify(await server.call(calls.ready));
    if (!answer.includes(titleOf(0))) throw new Error("did not return the expected answer");
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      await server.call(calls.ready);
      times.push(performance.now() - start);
    }
    return {
      "MCP call": `${median(times).toFixed(1)} ms`,
      "bytes of the answer": Buffer.byteLength(answer),
    };
  } catch (error) {
    return { "MCP call": error.message };
  } finally {
    await server?.close();
  }
}
