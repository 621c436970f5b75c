import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createTracker } from "../../src/index.ts";
import { ancestryOf, pidNamespace, startTimeOf } from "../../src/sessions/caller/processes.ts";
import { agentProcesses, certainProcess } from "../../src/sessions/caller/running.ts";
import {
  findCaller,
  generateMcpSessionId,
  leaseOwners,
  ownerOf,
  recordSession,
  removeSessions,
  resolveSession,
  sessionOfCaller,
  sessionOfEnv,
  trackOfOwner,
} from "../../src/sessions/caller/session.ts";
import {
  isProcessAlive,
  removeProcesses,
  writeProcess,
} from "../../src/sessions/caller/session-process.ts";
import { needs, ONLY_ON_LINUX } from "../skipped.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-owners-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
});

describe("processes", () => {
  test("`ps` and /proc name the same ancestors", needs(ONLY_ON_LINUX), () => {
    const own = ancestryOf(process.pid, "linux");
    const byPs = ancestryOf(process.pid, "darwin");
    expect(byPs.map(({ pid, parent }) => [pid, parent])).toEqual(
      own.map(({ pid, parent }) => [pid, parent]),
    );
    for (const { startTime, name } of byPs) {
      expect(startTime).toMatch(/^\S+ +\S+ +\d+ +[\d:]+ +\d{4}$/);
      expect(name).not.toContain("/");
    }
    expect(ancestryOf(999_999_999, "darwin")).toEqual([]);
  });

  test.each([
    ["linux", true],
    ["darwin", false],
  ] as const)("of a session are found on %s", needs(ONLY_ON_LINUX), async (platform, isFull) => {
    const session = `session-${process.pid}-${platform}`;
    const cwd = realpathSync(home);
    const begun = Date.now();
    const child = spawn(
      process.execPath,
      ["-e", 'console.log("up"); setInterval(() => {}, 1000)', session],
      {
        cwd,
        env: { TMUX_PANE: "%7" },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    onTestFinished(() => void child.kill());
    await once(child.stdout, "data");
    const [found, ...others] = agentProcesses(home, { session, agentType: "codex" }, platform);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ pid: child.pid, isCertain: true });
    expect(found?.words).toContain(session);
    expect([found?.cwd, found?.env]).toEqual(isFull ? [cwd, { TMUX_PANE: "%7" }] : [undefined, {}]);
    expect(Math.abs((found?.startedAt ?? 0) - begun)).toBeLessThan(60_000);
    expect(agentProcesses(home, { session, agentType: "codex" }, "win32")).toEqual([]);
    // It does not run the command of the agent, so only a hook's record makes it certain.
    expect(certainProcess(home, { session, agentType: "codex" })).toBeUndefined();
    recordSession(home, { session }, child.pid);
    expect(certainProcess(home, { session, agentType: "codex" })).toBe(child.pid);
  });

  test("a name may hold brackets and spaces", needs(ONLY_ON_LINUX), async () => {
    const child = spawn(process.execPath, [
      "-e",
      'process.title = "a) (b c"; console.log("set"); setInterval(() => {}, 1000)',
    ]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const [found] = ancestryOf(child.pid ?? 0);
    expect(found).toMatchObject({ pid: child.pid, parent: process.pid, name: "a) (b c" });
    expect(found?.startTime).toBe(startTimeOf(child.pid ?? 0));
    expect(Number(found?.startTime)).toBeGreaterThan(Number(startTimeOf(process.pid)));
  });

  test("ended or without a number there are none", () => {
    expect(startTimeOf(999_999_999)).toBeUndefined();
    expect(ancestryOf(0)).toEqual([]);
    expect(ancestryOf(process.pid, "win32")).toEqual([]);
  });

  test("are known by the number of their pid namespace", needs(ONLY_ON_LINUX), () => {
    expect(pidNamespace()).toMatch(/^\d+$/);
  });
});

describe("the process of a session", () => {
  const line = (session: string) => readFileSync(join(home, "sessions", `${session}.pid`), "utf8");

  test("is alive as long as the same process runs", needs(ONLY_ON_LINUX), () => {
    const startTime = startTimeOf(process.pid) ?? "";
    writeProcess(home, "s", { pid: process.pid, startTime });
    expect(line("s")).toBe(`${process.pid} ${startTime}\n`);
    expect(isProcessAlive(home, "s")).toBe(true);
    writeProcess(home, "s", { pid: process.pid, startTime: "1" });
    expect(isProcessAlive(home, "s")).toBe(false);
    writeProcess(home, "s", { pid: 999_999_999, startTime });
    expect(isProcessAlive(home, "s")).toBe(false);
  });

  test("counts as alive where no start time is known", () => {
    writeProcess(home, "s", { pid: 999_999_999, startTime: "" });
    expect(line("s")).toBe("0 \n");
    expect(isProcessAlive(home, "s")).toBe(true);
  });

  test("is not alive without a record, or with a broken one", () => {
    expect(isProcessAlive(home, "s")).toBe(false);
    mkdirSync(join(home, "sessions"));
    for (const broken of ["", "12", "x y\n", "99999999999 1\n"]) {
      writeFileSync(join(home, "sessions", "s.pid"), broken);
      expect(isProcessAlive(home, "s")).toBe(false);
    }
  });

  test("is forgotten with its session and when it has ended", needs(ONLY_ON_LINUX), () => {
    removeProcesses(home);
    const alive = { pid: process.pid, startTime: startTimeOf(process.pid) ?? "" };
    writeProcess(home, "one", alive);
    writeProcess(home, "two", alive);
    writeProcess(home, "ended", { pid: 999_999_999, startTime: "1" });
    writeFileSync(join(home, "sessions", "other.json"), "{}");
    removeProcesses(home, "one");
    expect(readdirSync(join(home, "sessions"))).toEqual(["other.json", "two.pid"]);
  });

  test("is not written again while it stays the same", () => {
    writeProcess(home, "s", { pid: 1, startTime: "1" });
    const path = join(home, "sessions", "s.pid");
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    writeProcess(home, "s", { pid: 1, startTime: "1" });
    writeProcess(home, "s", { pid: 1, startTime: "1" });
    expect(readFileSync(path, "utf8")).toBe("1 1\n");
    removeSessions(home, "s");
    expect(existsSync(path)).toBe(false);
  });
});

describe("the session of a caller", () => {
  const caller = () => ({ env: {}, cwd: "/p", pid: process.pid, home });

  test("was not known to the first hook of a process, and is to the next", () => {
    expect(recordSession(home, { session: "one" }, process.pid)).toBe(true);
    expect(recordSession(home, { session: "one" }, process.pid)).toBe(false);
    expect(recordSession(home, { session: "two" }, process.pid)).toBe(true);
  });

  test(
    "is recorded for the agent, not for the shell in between",
    needs(ONLY_ON_LINUX),
    async () => {
      const child = spawn("/bin/sh", ["-c", "echo up; read line"]);
      onTestFinished(() => void child.kill("SIGKILL"));
      await once(child.stdout, "data");
      recordSession(home, { session: "mine", agentType: "codex", cwd: "/p" }, child.pid);
      const agent = ancestryOf(process.pid)[0];
      const [file = ""] = readdirSync(join(home, "sessions")).filter((name) =>
        name.endsWith(".json"),
      );
      expect(JSON.parse(readFileSync(join(home, "sessions", file), "utf8"))).toMatchObject({
        pid: agent?.pid,
        born: agent?.startTime,
        namespace: pidNamespace(),
        session: "mine",
        agentType: "codex",
        cwd: "/p",
      });
      expect(resolveSession(caller())).toEqual({
        session: "mine",
        agent: "main",
        agentType: "codex",
      });
      expect(sessionOfCaller(caller())).toMatchObject({ session: "mine" });
    },
  );

  test("in a container is not that of an agent in another", needs(ONLY_ON_LINUX), () => {
    mkdirSync(join(home, "sessions"));
    const [own] = ancestryOf(process.pid);
    const write = (namespace: string, session: string) =>
      writeFileSync(
        join(home, "sessions", `${process.pid}-${namespace}.json`),
        JSON.stringify({ pid: process.pid, namespace, born: own?.startTime, session, at: 1 }),
      );
    write("1", "elsewhere");
    expect(sessionOfCaller(caller())).toBeUndefined();
    write(pidNamespace(), "here");
    expect(sessionOfCaller(caller())).toEqual({ session: "here", agent: "main" });
  });

  test("is what the environment of the agent's commands says", () => {
    expect(sessionOfEnv({ CODEX_THREAD_ID: "t1" })).toEqual({
      session: "t1",
      agent: "main",
      agentType: "codex",
    });
    expect(sessionOfEnv({ CODEX_THREAD_ID: "../t1" })).toBeUndefined();
    expect(sessionOfEnv({})).toBeUndefined();
    expect(sessionOfCaller({ env: { CODEX_THREAD_ID: "t1" }, pid: process.pid })).toMatchObject({
      session: "t1",
    });
  });

  test("keeps the file of an agent that runs and removes that of its session", () => {
    recordSession(home, { session: "mine" }, process.pid);
    const files = () =>
      readdirSync(join(home, "sessions")).filter((name) => name.endsWith(".json"));
    removeSessions(home);
    expect(files()).toHaveLength(1);
    removeSessions(home, "mine");
    expect(files()).toEqual([]);
  });

  test("leaves no files behind of writers that were killed", () => {
    mkdirSync(join(home, "sessions"));
    const part = join(home, "sessions", ".1.json.7.part");
    writeFileSync(part, "");
    utimesSync(part, 1_700_000_000, 1_700_000_000);
    removeSessions(home);
    expect(readdirSync(join(home, "sessions"))).toEqual([]);
  });
});

describe("the owner of a task", () => {
  const MCP = generateMcpSessionId();

  test.each([
    ["a session", { session: "s", agent: "main" }, "s"],
    ["a subagent", { session: "s", agent: "a1" }, "s/a1"],
    [
      "a generated session, of which only the beginning is told",
      { session: MCP, agent: "main" },
      MCP.slice(0, 12),
    ],
    ["its subagent", { session: MCP, agent: "a1" }, `${MCP.slice(0, 12)}/a1`],
  ])("is %s", (_, id, owner) => {
    expect(ownerOf(id)).toBe(owner);
  });

  test("has at most 200 characters", () => {
    const long = "x".repeat(100);
    expect(ownerOf({ session: long, agent: "y".repeat(100) })).toHaveLength(200);
  });

  test("of a subagent's work is the session that waits for it, too", () => {
    expect(leaseOwners({ session: "s", agent: "main" })).toEqual(["s"]);
    expect(leaseOwners({ session: "s", agent: "a1" })).toEqual(["s/a1", "s"]);
  });

  test.each([
    ["s", { session: "s", agent: "main" }],
    ["s/a1", { session: "s", agent: "a1" }],
    ["s/a1/b", undefined],
    ["../s", undefined],
    ["s/-", undefined],
    ["ann smith", undefined],
    ["", undefined],
  ])("%j names the track of an agent, or none", (owner, track) => {
    expect(trackOfOwner(owner)).toEqual(track);
  });

  test("is unguessable for a generated session", () => {
    expect(MCP).toMatch(/^mcp-[0-9a-f]{24}$/);
    expect(generateMcpSessionId()).not.toBe(MCP);
  });
});

describe("the caller of our tool", () => {
  function seen(
    calls: readonly {
      readonly name: string;
      readonly at: number;
      readonly session?: string;
      readonly cwd?: string;
      readonly agentType?: string;
    }[],
  ) {
    const tracker = createTracker({ clock: () => 1 });
    for (const [
      index,
      { name, at, session = "s", cwd = "/p", agentType = "opencode" },
    ] of calls.entries())
      tracker
        .list({ session, agent: "main" }, { cwd, agentType })
        .observe({ type: "tool.started", callId: `c${index}`, name, input: {}, at });
    return (more: object = {}) =>
      findCaller(tracker.tracks(), { cwd: "/p", agentType: "opencode", now: 1_000, ...more })
        ?.session;
  }

  test.each([
    ["waymark_todos", "s"],
    ["mcp__waymark__tasks", "s"],
    ["waymark.TaskCreate", "s"],
    ["waymark:TaskList", "s"],
    ["todos", undefined],
    ["notwaymark_todos", undefined],
    ["waymark_todos_more", undefined],
  ])("calls %s", (name, session) => {
    expect(seen([{ name, at: 900 }])()).toBe(session);
  });

  test("is the one whose call began last, for half a minute", () => {
    const whose = seen([
      { name: "waymark_todos", at: 500, session: "early" },
      { name: "waymark_todos", at: 700, session: "late" },
      { name: "waymark_todos", at: 600, session: "between" },
      { name: "waymark_todos", at: 900, session: "elsewhere", cwd: "/q" },
      { name: "waymark_todos", at: 900, session: "another", agentType: "codex" },
    ]);
    expect(whose()).toBe("late");
    expect(whose({ now: 700 + 29_999 })).toBe("late");
    expect(whose({ now: 700 + 30_000 })).toBeUndefined();
    expect(whose({ callId: "c0" })).toBe("early");
    expect(whose({ callId: "c9" })).toBeUndefined();
  });
});
