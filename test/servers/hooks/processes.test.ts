import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AgentStep, listsIn, runAgentProcess, toolCall } from "../agent-process.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-agent-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const QWEN = { agent: "qwen", client: "qwen-code", session: "q1" };
const TOOLS = ["PreToolUse", "PostToolUse"] as const;
const prompt = (text: string): AgentStep => ({ hook: "UserPromptSubmit", input: { prompt: text } });

let calls = 0;
function todosCall(call: unknown): readonly AgentStep[] {
  const tool_use_id = `call-${calls++}`;
  const input = { tool_name: "mcp__waymark__todos", tool_use_id, tool_input: call };
  return toolCall(TOOLS, input, [{ call }]);
}
const shell = (command: string) =>
  toolCall(TOOLS, {
    tool_name: "run_shell_command",
    tool_use_id: `call-${calls++}`,
    tool_input: { command },
  });

describe("a session that continues in another process without a start event", () => {
  const todos = [{ text: "Write the parser", status: "in_progress" }, { text: "Test it" }];

  test("keeps its list, and the model gets its open todos", async () => {
    await runAgentProcess(home, QWEN, [prompt("Go"), ...todosCall({ todos })]);
    const [, answers = "", , patched = ""] = await runAgentProcess(home, QWEN, [
      { hook: "Notification", input: { notification_type: "auth_success", message: "Signed in" } },
      prompt("Go on"),
      ...todosCall({ finish: ["1"] }),
    ]);
    expect(patched).toContain('[x] "Write the parser"');
    expect(await listsIn(home)).toEqual([
      {
        session: "q1",
        agent: "main",
        todos: ["Write the parser: completed", "Test it: pending"],
      },
    ]);
    const { hookSpecificOutput } = JSON.parse(answers);
    expect(hookSpecificOutput.hookEventName).toBe("UserPromptSubmit");
    expect(hookSpecificOutput.additionalContext).toContain(
      '1 [>] "Write the parser"\n2 [ ] "Test it"\n',
    );
  }, 60_000);

  test("is recorded with its first event of any kind", async () => {
    await runAgentProcess(home, QWEN, [prompt("Go"), ...todosCall({ todos })]);
    const steps = [...shell("ls"), { call: { finish: ["1"] } }];
    const answers = await runAgentProcess(home, QWEN, steps);
    expect(answers.at(-1)).toContain('[x] "Write the parser"');
    expect(await listsIn(home)).toMatchObject([{ session: "q1", agent: "main" }]);
  }, 60_000);

  test("restores the todos once, not with every prompt", async () => {
    await runAgentProcess(home, QWEN, [prompt("Go"), ...todosCall({ todos })]);
    const answers = await runAgentProcess(home, QWEN, [prompt("Go on"), prompt("And on")]);
    expect(answers.map((answer) => answer !== "")).toEqual([true, false]);
  }, 60_000);
});

describe("a refused call over MCP", () => {
  test.each([
    ["a call that does not fit the schema", { todos: "all of them" }],
    ["a call that names an unknown todo", { finish: ["77"] }],
  ])(
    "gives the refusal reminder a step later: %s",
    async (_, bad) => {
      const answers = await runAgentProcess(home, QWEN, [
        prompt("Go"),
        ...todosCall({ todos: [{ text: "Write the parser", status: "in_progress" }] }),
        ...todosCall(bad),
        ...shell("ls"),
        ...shell("pwd"),
      ]);
      const refusals = answers.map((answer) => answer.includes("update was not saved"));
      expect(refusals.filter(Boolean)).toHaveLength(1);
      expect(refusals.indexOf(true)).toBe(1 + 3 + 3 + 1);
    },
    60_000,
  );
});
