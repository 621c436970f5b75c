import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Machine, newMachine } from "../cli/machine.ts";
import { waymark } from "../cli/running.ts";
import { serveHere } from "./mcp/clients.ts";

const MAIN = { session: "s", agent: "main" };

describe("waymark mcp --off-in", () => {
  async function committing() {
    const served = serveHere({ track: MAIN, offIn: ["git commit"] });
    await served.client.initialize();
    await served.client.call({ add: ["Commit"] });
    const input = { command: "git commit -m x" };
    const call = { name: "Bash", callId: "c1" };
    await served.tracker.list(MAIN).observe({ type: "tool.started", ...call, input });
    const end = () =>
      served.tracker.list(MAIN).observe({ type: "tool.completed", ...call, exitCode: 0 });
    return { ...served, end };
  }

  it("refuses writes during a commit, but not reads and later writes", async () => {
    const { client, end } = await committing();
    const refused = await client.call({ finish: ["1"] });
    expect(refused).toMatchObject({
      isError: true,
      text: 'The todo list is read-only during "git commit". Continue without updating it. Nothing was changed.',
    });
    expect((await client.call({})).text).toContain("Commit");
    await end();
    expect((await client.call({ finish: ["1"] })).isError).not.toBe(true);
  });
});

describe("hooks and command line with off-in", () => {
  let machine: Machine;
  beforeEach(() => {
    machine = newMachine();
  });
  afterEach(() => machine.remove());

  const send = async (
    agent: string,
    event: string,
    input: object,
    args: readonly string[] = [],
  ) => {
    const json = JSON.stringify({ session_id: "s", ...input });
    const env = { WAYMARK_HOME: machine.home, HOME: machine.root };
    const { stdout } = await waymark(["hook", ...args, agent, event], json, env);
    return stdout.toString();
  };
  const commit = {
    tool_name: "Bash",
    tool_use_id: "b1",
    tool_input: { command: "git commit -m x" },
  };
  const write = { tool_name: "TodoWrite", tool_use_id: "w1", tool_input: { todos: [] } };

  it("denies the agent's own list tool before the call", async () => {
    await send("claude", "UserPromptSubmit", { prompt: "Commit it" });
    await send("claude", "PreToolUse", commit);
    const off = ["--native", "--off-in=commit"];
    expect(JSON.parse(await send("claude", "PreToolUse", write, off))).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason:
          'The todo list is read-only during "git commit". Continue without updating it.',
      },
    });
    expect(await send("claude", "PreToolUse", commit, off)).toBe("");
    expect(await send("claude", "PreToolUse", write, ["--native", "--off-in=pull-request"])).toBe(
      "",
    );
    expect(await send("claude", "PreToolUse", write, ["--native"])).toBe("");
  });

  it("denies in the format of Gemini CLI", async () => {
    const shell = { tool_name: "run_shell_command", tool_input: { command: "git commit -m x" } };
    await send("gemini", "BeforeTool", shell);
    const todos = { tool_name: "write_todos", tool_input: { todos: [] } };
    expect(JSON.parse(await send("gemini", "BeforeTool", todos, ["--off-in=commit"]))).toEqual({
      decision: "deny",
      reason: 'The todo list is read-only during "git commit". Continue without updating it.',
    });
  });

  it("applies WAYMARK_OFF_IN to waymark tool", () => {
    const run = (off: string, ...args: readonly string[]) =>
      machine.run(["tool", "todos", "--session", "s", ...args], {
        input: '{"add":["One"]}',
        env: { WAYMARK_OFF_IN: off },
      });
    expect(run("commit", "--context", "commit")).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('The todo list is read-only during "git commit".'),
    });
    expect(run("pr", "--context", "commit").status).toBe(0);
    expect(run("commit").status).toBe(0);
  });

  it("is written, recognized and removed by setup", () => {
    const setup = (...args: readonly string[]) =>
      machine.run(["setup", "claude", "--home", machine.root, ...args]);
    const file = (path: string) => machine.bash(`cat "${machine.root}/${path}"`).stdout;
    const status = () => machine.run(["setup", "--home", machine.root]).stdout;
    expect(setup("--off-in", "commit,pull-request", "--yes").status).toBe(0);
    expect(JSON.parse(file(".claude.json")).mcpServers.waymark.args.slice(-3)).toEqual([
      "mcp",
      "--off-in",
      "commit,pull-request",
    ]);
    expect(status()).toContain("Claude Code  set up\n");
    expect(setup("--native", "--off-in", "commit", "--yes").status).toBe(0);
    expect(file(".claude/settings.json")).toContain(
      "hook --native --off-in=commit claude PreToolUse",
    );
    expect(status()).toContain("Claude Code  set up with its own list");
    expect(setup("--remove", "--yes").status).toBe(0);
    expect(file(".claude/settings.json")).not.toContain("off-in");
    expect(setup("--off-in", "lunch").status).toBe(2);
  });
});
