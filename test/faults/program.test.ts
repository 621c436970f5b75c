import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readMachineId } from "../../src/home/machine-id.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { waymark } from "../cli/running.ts";
import { integrityOf } from "../concurrency/integrity.ts";
import { FULL } from "../full.ts";
import { needs } from "../skipped.ts";
import { makeQuickPlace } from "./quick-place.ts";
import { compileShim, type Fault, NO_SHIM, type Shim, shimIn } from "./shim.ts";

const NEVER = 1_000_000;
const TRACK = { session: "s", agent: "main" };

type Kind = Omit<Fault, "nth">;
const FAULTS: readonly Kind[] = FULL
  ? [
      { error: "ENOSPC", lasting: true },
      { error: "EIO" },
      { error: "EROFS", lasting: true },
      { error: "EMFILE" },
      { error: "short", calls: ["write"] },
    ]
  : [{ error: "ENOSPC", lasting: true }, { error: "EIO" }];

interface State {
  readonly todos: readonly string[];
  readonly tasks: readonly string[];
}

async function stateOf(home: string): Promise<State> {
  const file = join(home, "waymark.db");
  const store = await sqliteStore(file, { createDirectory: true });
  const { todos } = await store.read(TRACK);
  await store.close();
  const tasks = await sqliteTaskStore(file, { createDirectory: true });
  const list = await tasks.list({});
  await tasks.close();
  return {
    todos: todos.map(({ text, status }) => `${status} ${text}`),
    tasks: list.map(({ subject, status, owner = "-" }) => `${status} ${owner} ${subject}`),
  };
}

const START: State = { todos: ["pending Old"], tasks: ["open - Free", "claimed ann Held"] };

interface Case {
  readonly args: readonly string[];
  readonly input?: string;
  readonly after: Partial<State>;
  /** Hooks must not disturb the agent: they never fail, and only lose their own answer. */
  readonly silent?: true;
}

const S = ["--session", "s", "--key", "k"];
const TODO_CALL = {
  session_id: "s",
  tool_name: "TodoWrite",
  tool_use_id: "c1",
  tool_input: { todos: [{ content: "Seen", status: "pending", activeForm: "Seeing" }] },
  tool_response: {},
};
const CASES: readonly Case[] = [
  {
    args: ["todo", "add", "One", "Two", ...S],
    after: { todos: ["pending Old", "pending One", "pending Two"] },
  },
  {
    args: ["tool", "todos", ...S],
    input: '{"add":["New"],"start":"1"}',
    after: { todos: ["in_progress Old", "pending New"] },
  },
  {
    args: ["task", "add", "Made", "--as", "ann", "--key", "k"],
    after: { tasks: [...START.tasks, "open - Made"] },
  },
  {
    args: ["task", "claim", "--as", "bob", "--key", "k"],
    after: { tasks: ["claimed bob Free", "claimed ann Held"] },
  },
  {
    args: ["task", "done", "t2", "--as", "ann", "--epoch", "1", "--key", "k"],
    after: { tasks: ["open - Free", "done ann Held"] },
  },
  {
    args: ["hook", "claude", "PostToolUse"],
    input: JSON.stringify(TODO_CALL),
    after: { todos: ["pending Old", "pending Seen"] },
    silent: true,
  },
];

const WAY_OUT = /[Tt]ry again|[Cc]heck |free some space|move it away|[Nn]ame another/;

describe("the program with failing file calls", { timeout: 3_600_000, ...needs(NO_SHIM) }, () => {
  let place: string;
  let shim: Shim;
  let prepared: string;
  let home: string;
  const run = (args: readonly string[], input = "", env: Record<string, string> = {}) =>
    waymark(args, input, { WAYMARK_HOME: home, HOME: place, WAYMARK_GUIDANCE: "off", ...env });

  beforeAll(async () => {
    place = makeQuickPlace();
    shim = shimIn(place, compileShim(place));
    prepared = join(place, "prepared");
    home = prepared;
    await run(["todo", "add", "Old", "--session", "s"]);
    await run(["task", "add", "Free", "--as", "ann"]);
    await run(["task", "add", "Held", "--as", "ann"]);
    await run(["task", "claim", "t2", "--as", "ann", "--lease", "10h"]);
    expect(await stateOf(prepared)).toStrictEqual(START);
    return () => rmSync(place, { recursive: true, force: true });
  });

  let homes = 0;
  function newHome(): string {
    home = join(place, "homes", String(homes++));
    mkdirSync(join(place, "homes"), { recursive: true });
    cpSync(prepared, home, { recursive: true });
    return home;
  }

  /** Runs a command with a fault, then again without, and returns the problems of both. */
  async function inject({ args, input, after, silent }: Case, fault: Fault) {
    newHome();
    shim.control.arm(fault);
    const failed = await run(args, input, shim.env(home));
    const { hits } = shim.control.counts();
    shim.control.disarm();
    const state = await stateOf(home);
    const done = JSON.stringify(state) === JSON.stringify({ ...START, ...after });
    const undone = JSON.stringify(state) === JSON.stringify(START);
    const wrong: string[] = [];
    if (!done && !undone) wrong.push(`half a state: ${JSON.stringify(state)}`);
    if (silent) {
      if (failed.code !== 0 || failed.stderr) wrong.push(`the agent notices: ${failed.stderr}`);
    } else if (failed.code === 0) {
      if (!done) wrong.push("a false yes");
    } else {
      const lines = failed.stderr.split("\n").filter((line) => line !== "");
      if (failed.code !== 3) wrong.push(`ends with ${failed.code}`);
      if (failed.stdout.length > 0) wrong.push(`prints ${failed.stdout}`);
      if (!WAY_OUT.test(lines.at(-1) ?? "") || failed.stderr.includes("unexpected"))
        wrong.push(`no way out: ${failed.stderr}`);
    }
    const again = await run(args, input);
    if (again.code !== 0) wrong.push(`fails at the next attempt: ${again.stderr}`);
    const end = await stateOf(home);
    if (JSON.stringify(end) !== JSON.stringify({ ...START, ...after }))
      wrong.push(`ends as ${JSON.stringify(end)}`);
    if ((await integrityOf(join(home, "waymark.db"))) !== "ok") wrong.push("a damaged file");
    rmSync(home, { recursive: true });
    return { hits, wrong: wrong.map((what) => `${JSON.stringify(fault)}: ${what}`) };
  }

  /** The number of matching calls that a fault could hit. */
  async function callsOf({ args, input }: Case, fault: Kind): Promise<number> {
    newHome();
    shim.control.arm({ ...fault, nth: NEVER });
    await run(args, input, shim.env(home));
    const { seen } = shim.control.counts();
    shim.control.disarm();
    rmSync(home, { recursive: true });
    return seen;
  }

  test.each(CASES)(
    "survives a failure of the Nth call, program: $args",
    { tags: ["failing-file-call", "lost-answer"] },
    async (each) => {
      const wrong: string[] = [];
      let injections = 0;
      let count = 0;
      for (const [place, fault] of FAULTS.entries()) {
        if (FULL || place === 0) count = await callsOf(each, fault);
        // At full size every call, otherwise a different one for each fault.
        const some = [Math.ceil(((place + 1) * count) / (FAULTS.length + 1))];
        for (const nth of FULL ? Array.from({ length: count }, (_, n) => n + 1) : some) {
          const result = await inject(each, { ...fault, nth });
          if (result.hits > 0) injections += 1;
          wrong.push(...result.wrong);
        }
      }
      expect(wrong).toStrictEqual([]);
      expect(injections).toBeGreaterThanOrEqual(FULL ? 50 : FAULTS.length);
    },
  );

  test("stores the id of a machine whole or not at all", {
    tags: ["failing-file-call"],
  }, async () => {
    // Nothing listens on this port.
    const args = ["relay", "--once", "--store", "postgres://nobody@127.0.0.1:9/none"];
    newHome();
    shim.control.arm({ nth: 1, error: "ENOSPC", lasting: true, calls: ["write"] });
    const failed = await run(args, "", shim.env(home));
    shim.control.disarm();
    expect(failed.stderr).toContain("The id of this machine cannot be stored");
    expect(readMachineId(home)).toBeUndefined();
    const next = await run(args);
    expect(next.stderr).toContain("cannot be reached");
    expect(readMachineId(home)).toMatch(/^[\w-]{36}$/);
  });
});
