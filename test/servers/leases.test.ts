import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claudeSession } from "../cli/claude-session.ts";
import { type Machine, newMachine, PROGRAM } from "../cli/machine.ts";
import { start } from "../cli/running.ts";
import { serveProgram } from "./mcp/clients.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
  machine.run(["task", "add", "Paint"]);
});
afterEach(() => machine.remove());

interface Shown {
  readonly status: string;
  readonly owner?: string;
  readonly epoch: number;
  readonly leaseUntil?: number;
}
type Printed = Omit<Shown, "leaseUntil"> & { readonly leaseUntil?: string };

function read({ leaseUntil, ...task }: Printed): Shown {
  return { ...task, ...(leaseUntil !== undefined && { leaseUntil: Date.parse(leaseUntil) }) };
}

const shown = () => read(machine.json(["task", "show", "t1"]) as Printed);

function claim(owner: string, lease: string): Shown {
  const ran = machine.run(["task", "claim", "t1", "--as", owner, "--lease", lease, "--json"]);
  expect(ran.status).toBe(0);
  return read(JSON.parse(ran.stdout) as Printed);
}

function hook(event: string, input: object = {}, quick = false) {
  const json = JSON.stringify({ session_id: "s", cwd: machine.cwd, ...input });
  if (!quick) return machine.run(["hook", "claude", event], { input: json });
  const { status, stdout } = spawnSync(
    resolve("bin/waymark-hook"),
    [process.execPath, PROGRAM, "hook", "claude", event],
    { input: json, encoding: "utf8", env: { PATH: process.env.PATH, WAYMARK_HOME: machine.home } },
  );
  return { status, stdout, stderr: "" };
}

const STEP = { tool_name: "Bash", tool_use_id: "c1", tool_input: { command: "true" } };
const QUIET = { status: 0, stdout: "", stderr: "" };

const until = (fits: (task: Shown) => boolean) =>
  expect.poll(() => fits(shown()), { interval: 100 }).toBe(true);

describe("activity of the owner renews its lease", () => {
  it("hooks: counts from the time of the event, not of its ingestion", async () => {
    const { leaseUntil = 0 } = claim("s", "3s");
    await expect
      .poll(() => {
        expect(hook("PreToolUse", STEP)).toEqual(QUIET);
        return shown().leaseUntil ?? 0;
      })
      .toBeGreaterThan(leaseUntil);
    const history = machine.json(["task", "history", "t1"]) as { type: string; via: string }[];
    expect(history.map(({ type, via }) => [type, via]).at(-1)).toEqual(["renewed", "observation"]);
  });

  it("hooks: ingests pending events before another agent can claim the task", async () => {
    hook("SessionStart", { source: "startup" });
    claim("s", "3s");
    await until(({ status }) => status === "open");
    expect(hook("PreToolUse", STEP, true)).toEqual(QUIET);
    const late = machine.run(["task", "claim", "t1", "--as", "bob", "--json"]);
    expect([late.status, JSON.parse(late.stdout)]).toEqual([
      1,
      expect.objectContaining({ code: "held", holder: "s" }),
    ]);
    expect(shown()).toMatchObject({ status: "claimed", owner: "s", epoch: 1 });
  });

  it("hooks: counts a subagent's activity for its parent", async () => {
    const { leaseUntil = 0 } = claim("s", "2s");
    await until((task) => (task.leaseUntil ?? 0) - Date.now() < 1_400);
    hook("PreToolUse", { ...STEP, agent_id: "a1" });
    expect(shown().leaseUntil).toBeGreaterThan(leaseUntil);
  });

  it("MCP: counts calls of any tool", async () => {
    const { client, ended } = serveProgram(["--session", "s"], { home: machine.home });
    await client.initialize();
    const { leaseUntil = 0 } = claim("s", "3s");
    await expect
      .poll(async () => {
        await client.call({});
        return shown().leaseUntil ?? 0;
      })
      .toBeGreaterThan(leaseUntil);
    client.end();
    await ended;
  });

  it("transcripts: counts new lines, in a program that follows sessions", async () => {
    const file = join(machine.root, ".claude", "projects", "p", "s.jsonl");
    mkdirSync(dirname(file), { recursive: true });
    const written = claudeSession("s", machine.cwd).prompt("Go", Date.now()).text();
    writeFileSync(file, written);
    const watching = start(process.execPath, [PROGRAM, "watch", "--json"], {
      HOME: machine.root,
      WAYMARK_HOME: machine.home,
    });
    const { leaseUntil = 0 } = claim("s", "3s");
    let text = written;
    let count = 0;
    await expect
      .poll(
        () => {
          const session = claudeSession("s", machine.cwd).prompt("Go", Date.now());
          for (let call = 0; call <= count; call++)
            session.call("Bash", { command: `echo ${call}` }, Date.now(), "ok");
          count++;
          const next = session
            .text()
            .split("\n")
            .slice(text.split("\n").length - 1);
          appendFileSync(file, next.join("\n"));
          text += next.join("\n");
          return shown().leaseUntil ?? 0;
        },
        { interval: 300 },
      )
      .toBeGreaterThan(leaseUntil);
    watching.child.kill("SIGINT");
    const { stderr, signal } = await watching.finished;
    expect({ stderr, signal }).toEqual({ stderr: "", signal: "SIGINT" });
  });
});

describe("a lease expires without activity", () => {
  it("frees the task of a killed owner for another agent", { tags: ["dead-owner"] }, async () => {
    const args = ["--tools", "tasks", "--lease", "1s", "--session"];
    const [ann, bob] = [
      serveProgram([...args, "ann"], { home: machine.home }),
      serveProgram([...args, "bob"], { home: machine.home }),
    ];
    await Promise.all([ann.client.initialize(), bob.client.initialize()]);
    expect((await ann.client.call({ claim: "next" }, "tasks")).data).toMatchObject({ task: "t1" });
    ann.child.kill("SIGKILL");
    await ann.ended;
    await expect
      .poll(async () => (await bob.client.call({ claim: "next" }, "tasks")).isError, {
        interval: 100,
      })
      .toBe(false);
    expect((await bob.client.call({ finish: "t1" }, "tasks")).text).toBe("t1 is done.");
    expect(shown()).toMatchObject({ status: "done", owner: "bob", epoch: 2 });
    bob.client.end();
    await bob.ended;
  });

  it("refuses the late write of a suspended owner, and names the new owner", {
    tags: ["stale-claim"],
  }, async () => {
    const args = ["--tools", "tasks", "--lease", "1s", "--session"];
    const ann = serveProgram([...args, "ann"], { home: machine.home });
    await ann.client.initialize();
    await ann.client.call({ claim: "t1" }, "tasks");
    ann.child.kill("SIGSTOP");
    await until(({ status }) => status === "open");
    claim("bob", "5m");
    ann.child.kill("SIGCONT");
    const late = await ann.client.call({ finish: "t1", evidence: "me" }, "tasks");
    expect([late.isError, late.text]).toEqual([
      true,
      'Your claim on t1 expired, and "bob" owns it now. Stop working on it and tell the user what you changed.',
    ]);
    expect(shown()).toMatchObject({ status: "claimed", owner: "bob", epoch: 2 });
    ann.client.end();
    await ann.ended;
  });
});
