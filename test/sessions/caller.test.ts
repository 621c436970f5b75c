import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTracker } from "../../src/index.ts";
import { ancestryOf, pidNamespace } from "../../src/sessions/caller/processes.ts";
import {
  findCaller,
  isMcpSessionId,
  recordSession,
  removeSessions,
  resolveSession,
} from "../../src/sessions/caller/session.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-session-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const caller = () => ({ env: {}, cwd: "/p", pid: process.pid, home });

describe("the session of a caller", () => {
  test("comes from the client's request first", () => {
    recordSession(home, { session: "mine" }, process.pid);
    const printed = (meta: Record<string, unknown>) => resolveSession({ ...caller(), meta });
    expect(printed({ sessionId: "root" })).toEqual({
      session: "root",
      agent: "main",
      agentType: "codex",
    });
    expect(printed({ sessionId: "root", threadId: "root" })).toEqual({
      session: "root",
      agent: "main",
      agentType: "codex",
    });
    expect(printed({ sessionId: "root", threadId: "child" })).toEqual({
      session: "root",
      agent: "child",
      agentType: "codex",
    });
    for (const sessionId of ["../x", "", 3, null])
      expect(printed({ sessionId })).toEqual({ session: "mine", agent: "main" });
  });

  test("comes from a hook of the same agent process before the environment", () => {
    const env = { CLAUDE_CODE_SESSION_ID: "old" };
    const old = { session: "old", agent: "main", agentType: "claude-code" };
    expect(resolveSession({ ...caller(), env })).toEqual(old);
    recordSession(home, { session: "new", agentType: "claude-code", cwd: "/p" }, process.pid);
    const fresh = { session: "new", agent: "main", agentType: "claude-code" };
    expect(resolveSession({ ...caller(), env })).toEqual(fresh);
    removeSessions(home, "another");
    expect(resolveSession(caller())).toEqual(fresh);
    removeSessions(home, "new");
    expect(resolveSession({ ...caller(), env })).toEqual(old);
    expect(isMcpSessionId(resolveSession(caller()).session)).toBe(true);
  });

  test("is not taken from another process with the same pid", () => {
    mkdirSync(join(home, "sessions"));
    writeFileSync(
      join(home, "sessions", `${process.pid}.json`),
      JSON.stringify({ pid: process.pid, born: "another time", session: "theirs", at: 1 }),
    );
    expect(isMcpSessionId(resolveSession(caller()).session)).toBe(true);
  });

  test("keeps the file of a process in another container for a week", {
    tags: ["pid-namespaces"],
  }, () => {
    mkdirSync(join(home, "sessions"));
    const DAY = 24 * 60 * 60 * 1_000;
    const write = (name: string, more: object) =>
      writeFileSync(
        join(home, "sessions", name),
        JSON.stringify({ pid: 999999999, born: "1", at: Date.now() - 6 * DAY, ...more }),
      );
    write("999999999-1.json", { namespace: "1", session: "there" });
    write("999999999-2.json", { namespace: "2", session: "ended", at: Date.now() - 8 * DAY });
    write("999999999.json", { session: "earlier" });
    removeSessions(home, "there");
    expect(readdirSync(join(home, "sessions"))).toEqual(["999999999-1.json"]);
  });

  test("ignores broken and hostile files", () => {
    mkdirSync(join(home, "sessions"));
    for (const [name, text] of [
      ["1.json", "{"],
      ["2.json", "[]"],
      ["3.json", '{"pid":"x","session":"y"}'],
      ["4.json", `{"pid":${process.pid},"session":"../x"}`],
    ])
      writeFileSync(join(home, "sessions", name ?? ""), text ?? "");
    expect(isMcpSessionId(resolveSession(caller()).session)).toBe(true);
    removeSessions(home);
  });

  test("is generated and unique without any of these", () => {
    const [one, two] = [resolveSession(caller()), resolveSession(caller())];
    expect(one.session).not.toBe(two.session);
    expect(isMcpSessionId("mcp-1")).toBe(false);
  });

  test("removes the files of processes that have ended", () => {
    recordSession(home, { session: "new" }, process.pid);
    writeFileSync(join(home, "sessions", "999999999.json"), '{"pid":999999999,"session":"old"}');
    writeFileSync(join(home, "sessions", "old.pid"), "999999999 1\n");
    removeSessions(home);
    const own = [pidNamespace(), process.pid].filter(Boolean).toReversed().join("-");
    expect(readdirSync(join(home, "sessions"))).toEqual([`${own}.json`, "new.pid"]);
    removeSessions(home, "new");
    expect(readdirSync(join(home, "sessions"))).toEqual([]);
  });
});

describe("an agent with a hook and a server", () => {
  /** Runs its hook and its server in separate shells, as agents do. */
  const AGENT = `
    const { spawnSync } = require("node:child_process");
    const run = (command, input) => spawnSync("/bin/sh", ["-c", command], { input, encoding: "utf8" });
    const hook = run(process.env.HOOK, '{"session_id":"' + process.env.SESSION + '","source":"startup"}');
    const server = run(process.env.SERVER, "");
    process.stdout.write(server.stdout + server.stderr + hook.stderr);
  `;

  function runAgent(session: string, hook: string): Promise<string> {
    const child = spawn(process.execPath, ["-e", AGENT], {
      env: {
        ...process.env,
        WAYMARK_HOME: home,
        SESSION: session,
        HOOK: hook,
        // Through a shell that keeps running, as with wrappers.
        SERVER: `"${process.execPath}" "${server}" "${home}"; true`,
      },
    });
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    return new Promise((resolve) => child.once("close", () => resolve(printed)));
  }

  let server: string;
  beforeEach(async () => {
    server = join(home, "server.mjs");
    const source = fileURLToPath(new URL("resolve-child.ts", import.meta.url));
    await build({
      entryPoints: [source],
      outfile: server,
      bundle: true,
      platform: "node",
      format: "esm",
    });
  });

  const node = `"${process.execPath}" bin/waymark.js hook claude SessionStart`;

  test("finds the session of each of two concurrent agents", async () => {
    const script = `sh bin/waymark-hook ${node}; true`;
    const [one, two] = await Promise.all([runAgent("one", node), runAgent("two", script)]);
    expect(one).toBe("one claude-code");
    expect(two).toBe("two claude-code");
  });
});

describe("processes", () => {
  test("finds the ancestors of a process", () => {
    const [own, parent] = ancestryOf(process.pid);
    expect(own?.pid).toBe(process.pid);
    expect(parent?.pid).toBe(process.ppid);
    expect(ancestryOf(999_999_999)).toEqual([]);
    expect(ancestryOf(process.pid, "win32")).toEqual([]);
  });
});

describe("the caller of our tool", () => {
  test("is found by call id, or else by the latest call of the agent in the directory", () => {
    const tracker = createTracker({ clock: () => 5 });
    const seen = (
      id: { session: string; agent: string },
      origin: { agentType: string; cwd: string },
      call: { callId: string; name: string; at: number },
    ) => tracker.list(id, origin).observe({ type: "tool.started", input: {}, ...call });
    const claude = { agentType: "claude-code", cwd: "/p" };
    const opencode = { agentType: "opencode", cwd: "/p" };
    const main = (session: string) => ({ session, agent: "main" });
    seen(main("s1"), claude, { callId: "c1", name: "mcp__waymark__todos", at: 10 });
    seen({ session: "s1", agent: "sub" }, claude, {
      callId: "c2",
      name: "mcp__waymark__todos",
      at: 20,
    });
    seen(main("s2"), opencode, { callId: "c3", name: "waymark_todos", at: 30 });
    seen(main("s3"), opencode, { callId: "c4", name: "waymark_todos", at: 40 });
    seen(main("s4"), opencode, { callId: "c5", name: "bash", at: 50 });
    seen(main("s5"), { ...opencode, cwd: "/q" }, { callId: "c6", name: "waymark_todos", at: 60 });
    const whose = (more: object) => findCaller(tracker.tracks(), { cwd: "/p", now: 100, ...more });
    expect(whose({ callId: "c2", agentType: "claude-code" })).toEqual({
      session: "s1",
      agent: "sub",
      agentType: "claude-code",
    });
    expect(whose({ callId: "none" })).toBeUndefined();
    expect(whose({ agentType: "opencode" })).toEqual({ ...main("s3"), agentType: "opencode" });
    tracker.list(main("s3")).observe({ type: "tool.completed", callId: "c4", at: 70 });
    expect(whose({ agentType: "opencode" })).toEqual({ ...main("s2"), agentType: "opencode" });
    expect(whose({ agentType: "opencode", now: 40_000 })).toBeUndefined();
    expect(whose({ agentType: "gemini" })).toBeUndefined();
  });
});
