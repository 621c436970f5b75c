import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findEvent } from "../../../src/agents/common/hooks/agent.ts";
import { findHookAgent } from "../../../src/agents/hooks.ts";
import { COLLISION_POLICY } from "../../../src/core/collisions/uses.ts";
import { guidanceFor } from "../../../src/core/list/policy.ts";
import { markTrack } from "../../../src/home/edits/mark-track.ts";
import { removeMarks } from "../../../src/home/edits/marks.ts";
import { writeStatusFile } from "../../../src/home/status.ts";
import { createAttribution } from "../../../src/servers/hooks/attribute.ts";
import { noticeCollisions } from "../../../src/servers/hooks/collisions.ts";
import { spoolIfNothingDue } from "../../../src/servers/hooks/quick.ts";
import { runHook } from "../../../src/servers/hooks/run.ts";
import { memoryStore } from "../../../src/stores/memory.ts";
import { type Tracker, trackerOn } from "../../../src/tracker.ts";
import { newMachine } from "../../cli/machine.ts";
import { needs } from "../../skipped.ts";
import { until } from "../../until.ts";
import { type Action, newOracle } from "./collision-oracle.ts";

const CASE_MATTERS = ["darwin", "win32"].includes(process.platform)
  ? ""
  : "the file system distinguishes upper and lower case";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "waymark-collisions-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Hooks of one machine, as `bin/waymark-hook` and the program handle them. */
function newHooks(env: Readonly<Record<string, string>> = {}): Hooks {
  const home = join(root, "home");
  const store = memoryStore();
  const tracker = trackerOn(store);
  const problems: unknown[] = [];
  let quiet = 0;
  store.watch(({ track: id, event }) => {
    const track = store.read(id);
    writeStatusFile(home, track, guidanceFor());
    markTrack(
      home,
      track,
      event.changes.some(({ type }) => type.startsWith("todo.")),
    );
  });
  return {
    problems,
    quietCalls: () => quiet,
    async send(session: string, event: string, more: Record<string, unknown>): Promise<string> {
      const json = JSON.stringify({ session_id: session, cwd: root, ...more });
      if (spoolIfNothingDue(home, "claude", event, json)) {
        quiet++;
        return "";
      }
      const answer = await runHook({
        agent: "claude",
        event,
        json,
        native: false,
        home,
        env,
        tracker: async () => tracker as unknown as Tracker,
        onProblem: (_, problem) => problems.push(problem),
      });
      return answer === undefined ? "" : JSON.stringify(answer);
    },
  };
}

interface Hooks {
  readonly problems: readonly unknown[];
  quietCalls(): number;
  send(session: string, event: string, more: Record<string, unknown>): Promise<string>;
}

/** The same rules without spool and status files: many times faster. */
function newRadar(): Hooks {
  const home = join(root, "home");
  const tracker = trackerOn(memoryStore()) as unknown as Tracker;
  const agent = findHookAgent("claude");
  const ingest = async () => {};
  return {
    problems: [],
    quietCalls: () => 0,
    async send(session, name, more) {
      const event = findEvent(agent, name);
      if (!agent || !event) throw new Error(`unknown event ${name}`);
      const at = Date.now();
      const input = { session_id: session, cwd: root, ...more };
      const reported = { agent, name, event, input, at };
      const { target } = await createAttribution(tracker)(reported);
      if (!target) return "";
      const list = tracker.list(target.id, target.origin);
      await list.observe(event.observe(input).map((body) => ({ ...body, at })));
      const radar = { home, tracker, policy: COLLISION_POLICY, ingest };
      const denied = await noticeCollisions(radar, reported);
      if (denied) return JSON.stringify(event.deny?.(denied.text));
      if (name === "SessionEnd") removeMarks(home, session);
      const moment = event.answer && event.moment?.(input);
      const { reminder } = moment ? await list.observe([], { moment }) : {};
      return reminder ? JSON.stringify(event.answer?.(reminder.text)) : "";
    },
  };
}

let calls = 0;

/** A call of a tool: announced with `before`, ended with `after`. */
function callOf(hooks: Hooks, session: string, tool: string, input: unknown, by?: string) {
  const call = {
    tool_name: tool,
    tool_use_id: `call-${++calls}`,
    tool_input: input,
    ...(by !== undefined && { agent_id: by, agent_type: "helper" }),
  };
  return {
    before: () => hooks.send(session, "PreToolUse", call),
    after: () => hooks.send(session, "PostToolUse", { ...call, tool_response: { ok: true } }),
    fails: () => hooks.send(session, "PostToolUseFailure", { ...call, error: "no match" }),
  };
}

/** Each round has files of its own. */
const folderOf = (session: string) => session.replace(/-\w+$/, "");
const edit = (hooks: Hooks, session: string, file: string, by?: string) =>
  callOf(
    hooks,
    session,
    "Edit",
    { file_path: join(root, folderOf(session), file), old_string: "a", new_string: "b" },
    by,
  );
const start = (hooks: Hooks, session: string) =>
  hooks.send(session, "SessionStart", { source: "startup" });

/** The files and sessions that an answer names. */
function noticesIn(answer: string): readonly string[] {
  if (!/is editing the same file|working on the same/.test(answer)) return [];
  const text = answer.replaceAll('\\"', '"');
  const files = [...text.matchAll(/"(?:[\w-]+\/)?([fg]\.ts)"/g)].map(([, file]) => file ?? "");
  const [, session] = /session "([\w-]+)"/.exec(text) ?? [];
  return [...new Set(files)].map((file) => `${session} ${file}`);
}

describe("collisions", () => {
  const file = fc.constantFrom("f.ts", "g.ts");
  const action: fc.Arbitrary<Action> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("edit" as const), file }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("edit" as const),
        file,
        by: fc.constant("helper-1"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("failed edit" as const), file }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("refused edit" as const), file }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("read" as const), file }) },
    { weight: 1, arbitrary: fc.constant({ kind: "command" as const }) },
  );

  /** Runs interleavings of two agents; returns how often an agent was notified. */
  async function interleave(open: () => Hooks, numRuns: number): Promise<number> {
    let hooks = open();
    let round = 0;
    let collisions = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(1), action), { minLength: 2, maxLength: 6 }),
        fc.infiniteStream(fc.nat(1)),
        async (script, order) => {
          const name = `r${++round}`;
          // A short list of sessions, as on a real machine.
          if (round % 25 === 0) hooks = open();
          const sessions = [`${name}-a`, `${name}-b`] as const;
          const oracle = newOracle([...sessions]);
          for (const session of sessions) await start(hooks, session);
          const receive = (index: number, answer: string, by = "main") => {
            for (const notice of noticesIn(answer)) {
              const [other, path = ""] = notice.split(" ");
              expect(other).toBe(sessions[1 - index]);
              // Once, and only of a collision.
              expect(oracle.agents[index]?.told.has(`${by} ${notice}`)).toBe(false);
              const isDue = oracle.agents[index]?.pending.has(notice);
              const isOwn = oracle.announce(index, path, by) !== "no";
              expect(isDue || isOwn).toBe(true);
              oracle.noticed(index, path, by);
              collisions++;
            }
          };
          const steps = ([0, 1] as const).map((index) =>
            script
              .filter(([who]) => who === index)
              .flatMap(([, each]) => stepsOf(hooks, oracle, index, each, sessions, receive)),
          );
          for (const next of order) {
            const turn = (steps[next]?.length ?? 0) > 0 ? next : 1 - next;
            const step = steps[turn]?.shift();
            if (!step) break;
            await step();
          }
          // The next result of each agent delivers what is still due.
          for (const index of [0, 1] as const)
            for (const by of (oracle.agents[index]?.due.size ?? 0) > 0
              ? [undefined, "helper-1"]
              : [])
              await command(hooks, sessions[index], by).then((answer) =>
                receive(index, answer, by),
              );
          for (const { due } of oracle.agents) expect([...due]).toEqual([]);
          for (const session of sessions)
            await hooks.send(session, "SessionEnd", { reason: "exit" });
        },
      ),
      { numRuns, seed: 22 },
    );
    return collisions;
  }

  test("are reported before the second write, once, and never without one, in 1,000 interleavings", async () => {
    expect(await interleave(newRadar, 1_000)).toBeGreaterThan(500);
  });

  test("are reported the same way through the spool and the quiet path of hooks", async () => {
    const hooks = newHooks();
    expect(await interleave(() => hooks, 40)).toBeGreaterThan(20);
    expect(hooks.problems).toEqual([]);
    expect(hooks.quietCalls()).toBeGreaterThan(100);
  });
});

describe("a collision", () => {
  /** Two agents of which the first has edited `a.ts`. */
  async function afterEdit(env: Readonly<Record<string, string>> = {}): Promise<Hooks> {
    const hooks = newHooks(env);
    for (const session of ["one-a", "two-b"]) await start(hooks, session);
    await change(hooks, "one-a", join(root, "a.ts"));
    return hooks;
  }

  const write = (hooks: Hooks, session: string, path: string) =>
    callOf(hooks, session, "Write", { file_path: path, content: "x" });

  async function change(hooks: Hooks, session: string, path: string): Promise<string> {
    const call = write(hooks, session, path);
    return (await call.before()) + (await call.after());
  }

  test("denies the edit once and says who, what and when", async () => {
    const hooks = await afterEdit();
    const denied = JSON.parse(await write(hooks, "two-b", join(root, "a.ts")).before());
    const { permissionDecision, permissionDecisionReason: reason } = denied.hookSpecificOutput;
    expect(permissionDecision).toBe("deny");
    expect(reason.replace(/waymark-\w+/g, "waymark")).toBe(
      [
        "<waymark>",
        "Another agent is editing the same file:",
        '"a.ts": Claude Code (session "one-a"), last edit 0s ago.',
        "Your edit was not made. Read the file again, then repeat the edit and keep the other agent's changes. If your changes conflict, stop and tell the user.",
        "</waymark>",
      ].join("\n"),
    );
    expect(await change(hooks, "two-b", join(root, "a.ts"))).toBe("");
    const told = await command(hooks, "one-a");
    expect(told).toContain('(session \\"two-b\\"), about to edit it.');
    expect(told).toContain("Read the file again before you edit it");
    expect(await command(hooks, "one-a")).toBe("");
  });

  test("is found through links, relative paths and the directory of the agent", async () => {
    const hooks = await afterEdit();
    symlinkSync(root, join(root, "link"));
    const through = write(hooks, "two-b", "link/../link/a.ts");
    expect(await through.before()).toContain("deny");
  });

  test("is found whatever the case of the path", needs(CASE_MATTERS), async () => {
    writeFileSync(join(root, "a.ts"), "");
    const hooks = await afterEdit();
    expect(await write(hooks, "two-b", join(root, "A.ts")).before()).toContain("deny");
  });

  test("is not another file of the same name", async () => {
    const hooks = await afterEdit();
    expect(await change(hooks, "two-b", join(root, "sub", "a.ts"))).toBe("");
  });

  test("is not an edit of an agent whose session ended", async () => {
    const hooks = await afterEdit();
    await hooks.send("one-a", "SessionEnd", { reason: "exit" });
    expect(await change(hooks, "two-b", join(root, "a.ts"))).toBe("");
  });

  test("is not an edit before the configured time, and nothing with WAYMARK_COLLISIONS=off", async () => {
    for (const env of [{ WAYMARK_COLLISION_WINDOW: "1ms" }, { WAYMARK_COLLISIONS: "off" }]) {
      const hooks = await afterEdit(env as Record<string, string>);
      const edited = Date.now();
      await until(() => Date.now() > edited + 2, "the time is over");
      expect(await change(hooks, "two-b", join(root, "a.ts"))).toBe("");
      rmSync(join(root, "home"), { recursive: true });
    }
  });

  test("is a file that the other agent's current todo names", async () => {
    const hooks = newHooks();
    for (const session of ["one-a", "two-b"]) await start(hooks, session);
    const todos = [
      { content: "Read src/b.ts", status: "completed", activeForm: "Reading" },
      { content: "Rewrite `src/a.ts:12`, then test", status: "in_progress", activeForm: "r" },
    ];
    await hooks.send("one-a", "PostToolUse", {
      tool_name: "TodoWrite",
      tool_use_id: "list",
      tool_input: { todos },
      tool_response: { oldTodos: [], newTodos: todos },
    });
    expect(await change(hooks, "two-b", join(root, "src", "b.ts"))).toBe("");
    const answer = await write(hooks, "two-b", join(root, "src", "a.ts")).before();
    expect(answer).toContain("Another agent is about to work on the same file");
    expect(answer).toContain('names it in its current todo \\"Rewrite `src/a.ts:12`, then test\\"');
  });

  test("spans the worktrees of a repository only if that is configured", async () => {
    const main = join(root, "main");
    const other = join(root, "other");
    mkdirSync(main);
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        stdio: "ignore",
      });
    git("init");
    git("commit", "--allow-empty", "-m", "first");
    git("worktree", "add", other);
    for (const [scope, isTold] of [
      ["worktree", false],
      ["repository", true],
    ] as const) {
      const hooks = newHooks({ WAYMARK_COLLISIONS: scope });
      for (const session of ["one-a", "two-b"]) await start(hooks, session);
      await change(hooks, "one-a", join(main, "src", "a.ts"));
      expect(await change(hooks, "two-b", join(other, "b.ts"))).toBe("");
      const answer = await write(hooks, "two-b", join(other, "src", "a.ts")).before();
      expect(answer.includes("in another worktree of the repository")).toBe(isTold);
      rmSync(join(root, "home"), { recursive: true });
    }
  });
});

describe("the hook program", () => {
  test("denies the second edit and notifies the first agent, with shells that never start Node otherwise", {
    timeout: 60_000,
  }, () => {
    const machine = newMachine();
    const file = join(machine.cwd, "a.ts");
    const send = (agent: string, event: string, input: Record<string, unknown>) => {
      const json = JSON.stringify({ ...input, cwd: machine.cwd, hook_event_name: event });
      const { status, stdout } = machine.bash(
        `sh "$SCRIPT" waymark hook ${agent} ${event} <<<"$INPUT"; echo`,
        { env: { SCRIPT: join(process.cwd(), "bin/waymark-hook"), INPUT: json } },
      );
      expect(status).toBe(0);
      return stdout.trim();
    };
    const patch = `*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch`;
    const first = {
      session_id: "first",
      tool_name: "Edit",
      tool_use_id: "c1",
      tool_input: { file_path: file, old_string: "a", new_string: "b" },
    };
    const second = {
      session_id: "second",
      tool_name: "apply_patch",
      tool_use_id: "c2",
      tool_input: { command: patch },
    };
    try {
      send("claude", "SessionStart", { session_id: "first", source: "startup" });
      send("codex", "SessionStart", { session_id: "second", source: "startup" });
      const before = existsSync(join(machine.home, "spool"));
      expect(before).toBe(true);
      expect(send("claude", "PreToolUse", first)).toBe("");
      expect(send("claude", "PostToolUse", { ...first, tool_response: {} })).toBe("");
      const denied = send("codex", "PreToolUse", second);
      expect(denied).toContain('"permissionDecision":"deny"');
      expect(denied).toContain('Claude Code (session \\"first\\")');
      expect(send("codex", "PreToolUse", { ...second, tool_use_id: "c3" })).toBe("");
      const told = send("claude", "PostToolUse", {
        session_id: "first",
        tool_name: "Bash",
        tool_use_id: "c4",
        tool_input: { command: "ls" },
        tool_response: {},
      });
      expect(told).toContain('Codex (session \\"second\\"), about to edit it.');
    } finally {
      machine.remove();
    }
  });
});

type Oracle = ReturnType<typeof newOracle>;

async function command(hooks: Hooks, session: string, by?: string): Promise<string> {
  const run = callOf(hooks, session, "Bash", { command: "date" }, by);
  return (await run.before()) + (await run.after());
}

/** The steps of an action, each of which is one event of a hook with its effect. */
function stepsOf(
  hooks: Hooks,
  oracle: Oracle,
  index: 0 | 1,
  action: Action,
  sessions: readonly [string, string],
  receive: (index: number, answer: string, by?: string) => void,
): readonly (() => Promise<void>)[] {
  const session = sessions[index];
  const agent = oracle.agents[index];
  if (!agent) return [];
  const by = "by" in action ? action.by : undefined;
  const who = by ?? "main";
  const settle = () => {
    for (const each of agent.unresolved)
      if (each.startsWith(`${who} `)) agent.unresolved.delete(each);
  };
  const announced = (file: string) =>
    action.kind === "refused edit" ? agent.unresolved.add(`${who} ${file}`) : agent.open.add(file);
  if (action.kind === "read" || action.kind === "command") {
    const call =
      action.kind === "read"
        ? callOf(hooks, session, "Read", { file_path: join(root, folderOf(session), action.file) })
        : callOf(hooks, session, "Bash", { command: "date" });
    return [
      async () => expect(await call.before()).toBe(""),
      async () => {
        receive(index, await call.after());
        settle();
      },
    ];
  }
  const { file, kind } = action;
  let call = edit(hooks, session, file, by);
  return [
    async () => {
      const expected = oracle.announce(index, file, who);
      const answer = await call.before();
      if (expected === "must") expect(answer).toContain('"permissionDecision":"deny"');
      if (expected === "no") expect(answer).toBe("");
      receive(index, answer, by);
      if (answer === "") {
        announced(file);
        return;
      }
      // The agent reads the file again and repeats its edit, which is not denied twice.
      call = edit(hooks, session, file, by);
      expect(await call.before()).toBe("");
      announced(file);
    },
    ...(kind === "refused edit"
      ? []
      : [
          async () => {
            agent.open.delete(file);
            if (kind === "failed edit") {
              receive(index, await call.fails(), by);
              settle();
              return;
            }
            expect(oracle.isWarned(index, file)).toBe(true);
            agent.wrote.add(file);
            receive(index, await call.after(), by);
            settle();
          },
        ]),
  ];
}
