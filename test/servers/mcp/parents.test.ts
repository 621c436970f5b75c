import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { newMachine, PROGRAM } from "../../cli/machine.ts";
import { FULL } from "../../full.ts";
import { isRunning } from "../../running-process.ts";
import { needs, ONLY_ON_LINUX } from "../../skipped.ts";
import { until } from "../../until.ts";
import { environment, serveProgram } from "./clients.ts";

const machine = newMachine();
afterAll(() => machine.remove());
const place = { home: machine.home, cwd: machine.cwd };

const PARENT = fileURLToPath(new URL("parent.mjs", import.meta.url));
const HOLDER = fileURLToPath(new URL("holder.mjs", import.meta.url));
const SERVER = [process.execPath, PROGRAM, "mcp", "--session", "orphan"];

const AT_ONCE = FULL ? 16 : 6;

/** Everything that descends from a process, read once it is known to be there. */
function descendants(root: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), parentOf(Number(name)));
    } catch {
      // It ended while we looked.
    }
  }
  const found = [root];
  for (const pid of found)
    found.push(...[...parents].filter(([, parent]) => parent === pid).map(([child]) => child));
  return found.slice(1);
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

interface Death {
  readonly server: number;
  readonly wrappers: readonly number[];
}

/** Starts a parent with a server below it, and kills the parent when the server has answered. */
async function death(between: readonly string[]): Promise<Death> {
  const parent: ChildProcess = spawn(process.execPath, [PARENT, "--", ...between, ...SERVER], {
    env: environment(place),
    cwd: machine.cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    parent.stdout?.once("data", resolve);
    parent.once("error", reject);
    parent.once("exit", () => reject(new Error("the parent ended before its server answered")));
  });
  const below = descendants(parent.pid ?? 0);
  parent.removeAllListeners("exit");
  const gone = new Promise((resolve) => parent.once("exit", resolve));
  parent.kill("SIGKILL");
  await gone;
  const server = below.at(-1);
  if (server === undefined) throw new Error("there is no server");
  return { server, wrappers: below.slice(0, -1) };
}

/** Milliseconds. Five seconds are promised; a busy machine may need longer to end so many. */
const PATIENCE = FULL ? 5_000 : 30_000;

const HOLD = [process.execPath, HOLDER, "--"];

describe.each<[string, readonly string[], number]>([
  ["the parent itself", [], FULL ? 160 : 6],
  ["a wrapper that holds the input open", HOLD, FULL ? 1_000 : 6],
  ["two wrappers, one in the other", [...HOLD, ...HOLD], FULL ? 160 : 6],
  ["a shell that waits for it", ["sh", "-c", '"$@"; exit $?', "sh"], FULL ? 160 : 6],
])("started by %s", needs(ONLY_ON_LINUX), (_, between, count) => {
  it("nothing is left soon after the parent was killed", {
    tags: ["dead-parent"],
    timeout: FULL ? 3_600_000 : 60_000,
  }, async () => {
    const left: number[] = [];
    for (let done = 0; done < count; done += AT_ONCE) {
      const deaths = await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - done) }, () => death(between)),
      );
      const servers = deaths.map(({ server }) => server);
      await until(() => !servers.some(isRunning), "the end of the servers", {
        timeout: PATIENCE,
      }).catch(() => undefined);
      left.push(...servers.filter(isRunning));
      // Our servers have exited or were counted; end the rest, and the wrappers too.
      for (const pid of [...servers, ...deaths.flatMap(({ wrappers }) => wrappers)])
        if (isRunning(pid)) process.kill(pid, "SIGKILL");
    }
    expect(left).toEqual([]);
  });
});

it("keeps serving an agent whose shell has exited", needs(ONLY_ON_LINUX), async () => {
  // The shell exits immediately; the agent keeps running with a file as its input, as under nohup.
  const shell = spawn(
    "sh",
    ["-c", '"$@" </dev/null & sleep 1', "sh", process.execPath, PARENT, "--", ...SERVER],
    { env: environment(place), cwd: machine.cwd, stdio: ["ignore", "pipe", "inherit"] },
  );
  const left = once(shell, "exit");
  const [line] = await once(shell.stdout.setEncoding("utf8"), "data");
  const server = Number(line);
  const agent = parentOf(server);
  try {
    await left;
    // A server whose parent is gone has noticed that meanwhile, by looking from time to time.
    const orphan = await death(HOLD);
    await until(() => !isRunning(orphan.server), "the end of a server without a parent");
    for (const pid of orphan.wrappers) if (isRunning(pid)) process.kill(pid, "SIGKILL");
    expect([isRunning(agent), isRunning(server)]).toEqual([true, true]);
  } finally {
    process.kill(agent, "SIGKILL");
  }
  await until(() => !isRunning(server), "the end of its server");
});

describe("ends cleanly", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("on %s", async (signal) => {
    const { child, client, ended, stderr } = serveProgram(["--session", signal], place);
    await client.initialize();
    expect((await client.call({ add: ["Kept"] })).isError).toBe(false);
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(stderr()).toBe("");
    expect(machine.json(["todos", "--session", signal])).toMatchObject({
      todos: [{ text: "Kept" }],
    });
  });

  it("when the client stops reading", async () => {
    const { child, client, ended } = serveProgram(["--session", "epipe"], place);
    await client.initialize();
    child.stdout?.destroy();
    client.send({ jsonrpc: "2.0", id: 5, method: "ping" });
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it("when it is killed, with every accepted write stored", async () => {
    const { child, client, ended } = serveProgram(["--session", "killed"], place);
    await client.initialize();
    for (const text of ["One", "Two", "Three"]) await client.call({ add: [text] });
    child.kill("SIGKILL");
    await ended;
    expect(machine.json(["todos", "--session", "killed"])).toMatchObject({
      todos: [{ text: "One" }, { text: "Two" }, { text: "Three" }],
    });
  });
});
