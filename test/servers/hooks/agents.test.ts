import { describe, expect, test } from "vitest";
import type { Fields } from "../../../src/agents/common/values.ts";
import { findHookAgent, HOOK_AGENTS } from "../../../src/agents/hooks.ts";
import { modelText } from "../../../src/core/text/model-text.ts";
import { trackOfEvent } from "../../../src/servers/hooks/input.ts";

/** The observations of an event, its reminder moment, and the format of an answer. */
function read(name: string, event: string, input: Fields) {
  const found = findHookAgent(name)?.events[event];
  if (!found) throw new Error(`${name} has no event ${event}`);
  return {
    seen: found.observe(input),
    moment: found.moment?.(input),
    answer: found.answer?.(modelText`TEXT`),
  };
}

const context = (hookEventName: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext: "TEXT" },
});
const block = { decision: "block", reason: "TEXT" };
const NOTHING = { seen: [], moment: undefined, answer: undefined };

describe("sessions", () => {
  test.each([
    ["claude", "startup", "start", []],
    ["claude", "clear", "start", []],
    ["claude", "resume", "resume", []],
    ["claude", "fork", "resume", []],
    ["claude", "compact", "compacted", [{ type: "session.compacted" }]],
    ["codex", "startup", "start", []],
    ["copilot", "new", "start", []],
    ["copilot", "resume", "resume", []],
    ["codex", "compact", "compacted", [{ type: "session.compacted" }]],
    ["gemini", "startup", "start", []],
    ["gemini", "resume", "resume", []],
    ["qwen", "compact", "compacted", [{ type: "session.compacted" }]],
    ["opencode", "resume", "resume", []],
    ["kilo", "startup", "start", []],
    ["omp", "startup", "start", []],
    ["omp", "compact", "compacted", [{ type: "session.compacted" }]],
    ["openclaw", "resume", "resume", []],
  ])("%s: SessionStart with source %s is a %s moment", (agent, source, moment, more) => {
    expect(read(agent, "SessionStart", { source, cwd: "/p", model: "m" })).toEqual({
      seen: [{ type: "session.started", cwd: "/p", model: "m" }, ...more],
      moment,
      answer: agent === "copilot" ? { additionalContext: "TEXT" } : context("SessionStart"),
    });
  });

  test.each(HOOK_AGENTS.map(({ name }) => name))("%s: gives no answer to SessionEnd", (agent) => {
    expect(read(agent, "SessionEnd", { reason: "other" })).toEqual({
      seen: [{ type: "session.ended", reason: "other" }],
      moment: undefined,
      answer: undefined,
    });
  });

  test.each([
    ["claude", "PreCompact"],
    ["claude", "PostCompact"],
    ["claude", "TaskCreated"],
    ["claude", "TaskCompleted"],
    ["codex", "PreCompact"],
    ["codex", "PostCompact"],
    ["codex", "SubagentStart"],
    ["gemini", "PreCompress"],
    ["opencode", "PreCompact"],
    ["kilo", "PreCompact"],
    ["opencode", "PostCompact"],
    ["qwen", "PreCompact"],
    ["qwen", "TodoCreated"],
    ["kimi", "PreCompact"],
  ])("%s: ignores %s", (agent, event) => {
    expect(read(agent, event, { trigger: "auto" })).toEqual(NOTHING);
  });
});

describe("prompts and stops", () => {
  test.each([
    ["claude", "UserPromptSubmit"],
    ["codex", "UserPromptSubmit"],
    ["gemini", "BeforeAgent"],
    ["opencode", "UserPromptSubmit"],
    ["kilo", "UserPromptSubmit"],
    ["qwen", "UserPromptSubmit"],
    ["omp", "UserPromptSubmit"],
    ["openclaw", "UserPromptSubmit"],
  ])("%s: %s starts a turn", (agent, event) => {
    expect(read(agent, event, { prompt: "Fix it", permission_mode: "plan" })).toEqual({
      seen: [
        { type: "mode.changed", mode: "plan" },
        { type: "turn.started", prompt: "Fix it" },
      ],
      moment: "prompt",
      answer: context(event),
    });
  });

  test("copilot: UserPromptSubmit starts a turn", () => {
    expect(read("copilot", "UserPromptSubmit", { prompt: "Fix it" })).toEqual({
      seen: [{ type: "turn.started", prompt: "Fix it" }],
      moment: "prompt",
      answer: { additionalContext: "TEXT" },
    });
  });

  test("qwen: UserPromptSubmit before a request without a prompt starts no turn", () => {
    expect(read("qwen", "UserPromptSubmit", { prompt: "", permission_mode: "default" })).toEqual({
      seen: [],
      moment: undefined,
      answer: context("UserPromptSubmit"),
    });
  });

  const reminder = "<waymark-1x2>\nYou are about to stop.\n</waymark-1x2>";

  test.each([
    reminder,
    reminder.replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    `<hook_prompt hook_run_id="stop:1">${reminder}</hook_prompt>`,
    ` ${reminder}\n`,
  ])("a repeated reminder is not a prompt of the user: %j", (prompt) => {
    expect(read("gemini", "BeforeAgent", { prompt })).toMatchObject({
      seen: [],
      moment: undefined,
    });
  });

  test("text of the user beside a reminder is a prompt", () => {
    const prompt = `<hook_context>${reminder}</hook_context>\n\nFix <b>it</b>`;
    expect(read("gemini", "BeforeAgent", { prompt })).toMatchObject({
      seen: [{ type: "turn.started", prompt: "Fix it" }],
      moment: "prompt",
    });
    const typed = "What does </waymark-1x2> mean?";
    expect(read("gemini", "BeforeAgent", { prompt: typed }).seen).toEqual([
      { type: "turn.started", prompt: typed },
    ]);
  });

  test.each([
    ["claude", "Stop", "last_assistant_message", block],
    ["claude", "SubagentStop", "last_assistant_message", block],
    ["codex", "Stop", "last_assistant_message", block],
    ["codex", "SubagentStop", "last_assistant_message", block],
    ["gemini", "AfterAgent", "prompt_response", { decision: "deny", reason: "TEXT" }],
    ["qwen", "Stop", "last_assistant_message", block],
    ["omp", "Stop", "last_assistant_message", block],
  ])("%s: %s ends the turn with the last message", (agent, event, field, answer) => {
    expect(read(agent, event, { [field]: "Shall I?" })).toEqual({
      seen: [{ type: "message", role: "assistant", text: "Shall I?" }, { type: "turn.completed" }],
      moment: "stop",
      answer,
    });
  });

  test.each(["copilot", "opencode"])("%s: Stop ends the turn", (agent) => {
    expect(read(agent, "Stop", { stop_hook_active: false })).toEqual({
      seen: [{ type: "turn.completed" }],
      moment: "stop",
      answer: block,
    });
  });
});

describe("calls", () => {
  test.each([
    ["claude", "PreToolUse"],
    ["codex", "PreToolUse"],
    ["gemini", "BeforeTool"],
    ["opencode", "PreToolUse"],
    ["kilo", "PreToolUse"],
    ["qwen", "PreToolUse"],
  ])("%s: %s is recorded and never answered", (agent, event) => {
    const call = { tool_name: "Bash", tool_input: { command: "make" }, tool_use_id: "c1" };
    expect(read(agent, event, call)).toEqual({
      seen: [{ type: "tool.started", name: "Bash", callId: "c1", input: { command: "make" } }],
      moment: undefined,
      answer: undefined,
    });
  });

  const bash = { tool_name: "Bash", tool_input: { command: "make" }, tool_use_id: "c1" };
  const ended = { type: "tool.completed", name: "Bash", callId: "c1" };

  test.each<[string, string, string, Fields, Fields]>([
    [
      "claude",
      "PostToolUse",
      "a command that exited with 0",
      { ...bash, tool_response: { stdout: "ok", stderr: "", interrupted: false } },
      { ...ended, output: "ok", exitCode: 0 },
    ],
    [
      "claude",
      "PostToolUse",
      "an interrupted command",
      { ...bash, tool_response: { stdout: "", stderr: "", interrupted: true } },
      { ...ended, type: "tool.failed", output: "" },
    ],
    [
      "claude",
      "PostToolUse",
      "a background command that is still running",
      { ...bash, tool_response: { stdout: "", backgroundTaskId: "b1" } },
      { ...ended, output: "", unsure: true },
    ],
    [
      "claude",
      "PostToolUse",
      "an MCP tool with a text result",
      { tool_name: "mcp__x__y", tool_use_id: "c1", tool_response: '{"a":1}' },
      { type: "tool.completed", name: "mcp__x__y", callId: "c1", output: '{"a":1}' },
    ],
    [
      "claude",
      "PostToolUseFailure",
      "a failed command",
      { ...bash, error: "Exit code 2\nboom", is_interrupt: false },
      { ...ended, type: "tool.failed", output: "Exit code 2\nboom", exitCode: 2 },
    ],
    [
      "codex",
      "PostToolUse",
      "a command without an exit code",
      { ...bash, tool_response: "boom\n" },
      { ...ended, output: "boom\n" },
    ],
    [
      "gemini",
      "AfterTool",
      "a failed command",
      {
        tool_name: "run_shell_command",
        tool_response: { llmContent: "Output: boom\nExit Code: 2\n" },
      },
      {
        type: "tool.failed",
        name: "run_shell_command",
        output: "Output: boom\nExit Code: 2\n",
        exitCode: 2,
      },
    ],
    [
      "gemini",
      "AfterTool",
      "a successful command",
      { tool_name: "run_shell_command", tool_response: { llmContent: "Output: fine" } },
      {
        type: "tool.completed",
        name: "run_shell_command",
        output: "Output: fine",
        exitCode: 0,
      },
    ],
    [
      "gemini",
      "AfterTool",
      "a refused call",
      { tool_name: "read_file", tool_response: { llmContent: "no", error: { message: "no" } } },
      { type: "tool.failed", name: "read_file", output: "no" },
    ],
    [
      "opencode",
      "PostToolUse",
      "a command with its exit code",
      { ...bash, tool_response: { title: "t", output: "boom", metadata: { exit: 1 } } },
      { ...ended, type: "tool.failed", output: "boom", exitCode: 1 },
    ],
    [
      "qwen",
      "PostToolUse",
      "a failed command, in versions without PostToolUseFailure",
      {
        tool_name: "run_shell_command",
        tool_use_id: "c1",
        tool_response: { llmContent: "boom\nExit Code: 1" },
      },
      {
        type: "tool.failed",
        name: "run_shell_command",
        callId: "c1",
        output: "boom\nExit Code: 1",
        exitCode: 1,
      },
    ],
    [
      "qwen",
      "PostToolUseFailure",
      "a failed call",
      { ...bash, error: "no such file" },
      { ...ended, type: "tool.failed", output: "no such file" },
    ],
  ])("%s: %s: %s", (agent, event, _, input, seen) => {
    expect(read(agent, event, input)).toEqual({
      seen: [{ ...seen, ...("tool_input" in input && { input: input.tool_input }) }],
      moment: "step",
      answer: context(event),
    });
  });

  test.each([
    [
      "PostToolUse",
      "a command with its exit code",
      {
        tool_name: "Bash",
        tool_result: {
          result_type: "success",
          text_result_for_llm: "boom\n<shellId: 0 completed with exit code 3>",
        },
      },
      {
        type: "tool.failed",
        name: "Bash",
        output: "boom\n<shellId: 0 completed with exit code 3>",
        exitCode: 3,
      },
    ],
    [
      "PostToolUseFailure",
      "a failed call",
      { tool_name: "sql", error: "Error: no such table: x" },
      { type: "tool.failed", name: "sql", output: "Error: no such table: x" },
    ],
  ])("copilot: %s: %s", (event, _, input, seen) => {
    expect(read("copilot", event, input)).toEqual({
      seen: [seen],
      moment: "step",
      answer: { additionalContext: "TEXT" },
    });
  });

  test("copilot: an answer to the last event of a subagent would not reach it", () => {
    expect(read("copilot", "Stop", {}).moment).toBe("stop");
    expect(read("copilot", "Stop", { agent_id: "a1" }).moment).toBeUndefined();
  });

  test("copilot: only dialogs of the notifications are requests", () => {
    expect(read("copilot", "Notification", { notification_type: "agent_completed" })).toMatchObject(
      {
        seen: [],
      },
    );
  });

  test("ignores fields of the wrong type", () => {
    for (const { name, events } of HOOK_AGENTS)
      for (const event of Object.keys(events))
        for (const value of [null, 1, "x", [], {}, [[]], { a: null }]) {
          const fields = ["prompt", "tool_name", "tool_input", "tool_response", "source", "error"];
          const input = Object.fromEntries(fields.map((field) => [field, value]));
          expect(() => read(name, event, input)).not.toThrow();
        }
  });
});

describe("kimi", () => {
  test("takes answers to prompts and at a stop only", () => {
    expect(read("kimi", "SessionStart", { source: "startup", cwd: "/p", model: "m" })).toEqual({
      seen: [{ type: "session.started", cwd: "/p", model: "m" }],
      moment: undefined,
      answer: undefined,
    });
    const prompt = [{ type: "text", text: "Fix it" }];
    expect(read("kimi", "UserPromptSubmit", { prompt, is_steer: false })).toEqual({
      seen: [{ type: "turn.started", prompt: "Fix it" }],
      moment: "prompt",
      answer: { message: "TEXT" },
    });
    expect(read("kimi", "Stop", { stop_hook_active: false })).toEqual({
      seen: [{ type: "turn.completed" }],
      moment: "stop",
      answer: {
        hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "TEXT" },
      },
    });
    expect(read("kimi", "PostCompact", { trigger: "auto" }).seen).toEqual([
      { type: "session.compacted" },
    ]);
  });

  test("reads calls, and the exit code of a failed command", () => {
    const call = { tool_name: "Bash", tool_input: { command: "false" }, tool_call_id: "c1" };
    expect(read("kimi", "PreToolUse", call).seen).toEqual([
      { type: "tool.started", name: "Bash", callId: "c1", input: { command: "false" } },
    ]);
    const output = "Process exited with code 1\nCommand failed with exit code: 1.";
    expect(
      read("kimi", "PostToolUseFailure", { ...call, error: { code: "x", message: output } }),
    ).toEqual({
      seen: [
        {
          type: "tool.failed",
          name: "Bash",
          callId: "c1",
          input: { command: "false" },
          output,
          exitCode: 1,
        },
      ],
      moment: undefined,
      answer: undefined,
    });
    expect(read("kimi", "PostToolUse", { ...call, tool_output: "fine" }).seen).toMatchObject([
      { type: "tool.completed", output: "fine" },
    ]);
  });
});

test("omp: the end of a subagent takes no answer", () => {
  expect(read("omp", "SubagentStop", {})).toEqual({
    seen: [{ type: "turn.completed" }],
    moment: undefined,
    answer: undefined,
  });
});

test("openclaw: takes no answer after a call or at a stop", () => {
  const result = { content: [{ type: "text", text: "no" }], details: { exitCode: 1 } };
  expect(read("openclaw", "PostToolUse", { tool_name: "exec", tool_response: result })).toEqual({
    seen: [{ type: "tool.failed", name: "exec", output: "no", exitCode: 1 }],
    moment: undefined,
    answer: undefined,
  });
  const details = { status: "error", error: "at most one" };
  expect(
    read("openclaw", "PostToolUse", { tool_name: "exec", tool_response: { details } }).seen,
  ).toEqual([{ type: "tool.failed", name: "exec", output: "at most one" }]);
  expect(read("openclaw", "Stop", { last_assistant_message: "Done" })).toEqual({
    seen: [{ type: "message", role: "assistant", text: "Done" }, { type: "turn.completed" }],
    moment: undefined,
    answer: undefined,
  });
});

test("names our tool as the model sees it, also from a plugin", () => {
  expect(HOOK_AGENTS.map(({ waymarkTool: tool }) => tool({}))).toEqual([
    "mcp__waymark__todos",
    "mcp__waymark__todos",
    "mcp_waymark_todos",
    "waymark_todos",
    "mcp__waymark__todos",
    "mcp__waymark__todos",
    "waymark_todos",
    "waymark-todos",
    "mcp__waymark_todos",
    "waymark__todos",
  ]);
  expect(findHookAgent("claude")?.waymarkTool({ CLAUDE_PLUGIN_ROOT: "/p" })).toBe(
    "mcp__plugin_waymark_waymark__todos",
  );
});

describe("track of an event", () => {
  const whose = (name: string, input: Fields) => {
    const agent = findHookAgent(name);
    return agent && trackOfEvent(agent, input);
  };

  test("is that of the main agent, a subagent, or a subagent with its own session", () => {
    expect(whose("claude", { session_id: "s", cwd: "/p" })).toEqual({
      id: { session: "s", agent: "main" },
      origin: { agentType: "claude-code", cwd: "/p" },
    });
    expect(whose("codex", { session_id: "s", agent_id: "a1" })).toEqual({
      id: { session: "s", agent: "a1" },
      origin: { agentType: "codex", parentAgent: "main" },
    });
    expect(whose("copilot", { session_id: "b", agent_id: "b", parent_agent_id: "a" })).toEqual({
      id: { session: "a", agent: "b" },
      origin: { agentType: "copilot", parentAgent: "main" },
    });
    expect(whose("opencode", { session_id: "ses_b", parent_session_id: "ses_a" })).toEqual({
      id: { session: "ses_a", agent: "ses_b" },
      origin: { agentType: "opencode", parentAgent: "main" },
    });
  });

  test.each([{}, { session_id: 3 }, { session_id: "" }, { session_id: "../x" }])(
    "%j has no valid session id",
    (input) => {
      expect(whose("claude", input)).toBeUndefined();
    },
  );
});
