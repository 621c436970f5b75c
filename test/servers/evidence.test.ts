import { describe, expect, test } from "vitest";
import type { Fields } from "../../src/agents/common/values.ts";
import { findHookAgent } from "../../src/agents/hooks.ts";
import { findDecoder } from "../../src/agents/index.ts";
import type { ObservedEvent } from "../../src/core/activity/observation.ts";
import { emptyLiveTrack, foldStream } from "../../src/core/stream/fold.ts";
import { createTracker } from "../../src/index.ts";
import { withWaymark } from "../../src/sdk/ai.ts";
import { anthropicSession } from "../../src/sdk/anthropic.ts";
import { langchainMiddleware } from "../../src/sdk/langchain.ts";
import { chatSession, responsesSession } from "../../src/sdk/openai.ts";
import { agentsSession } from "../../src/sdk/openai-agents.ts";
import { decode } from "../agents/decoder-properties.ts";

type Own = ReturnType<typeof createTracker>;

/** Whether a completion is verified after a session in which `npm test` gave this result. */
async function verifies(run: (tracker: Own) => unknown): Promise<boolean> {
  const tracker = createTracker();
  tracker.own.set([{ text: "Fix the parser", status: "in_progress" }]);
  await run(tracker);
  expect(tracker.own.read().activity?.counts.tools).toBe(1);
  tracker.own.submit([{ op: "finish", target: { any: "1" } }]);
  return tracker.own.progress().verified === 1;
}

const input = { command: "npm test" };
const json = JSON.stringify(input);

/** A loop with each SDK: one call of the host's own shell tool, and its result. */
const LOOPS: Record<string, (tracker: Own, result: string) => unknown> = {
  anthropic: async (tracker, content) => {
    const { before } = anthropicSession(tracker);
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "shell", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content }] },
    ];
    await before(messages.slice(0, 1));
    await before(messages);
  },
  "openai chat": async (tracker, content) => {
    const { before } = chatSession(tracker);
    const call = {
      id: "c",
      type: "function" as const,
      function: { name: "shell", arguments: json },
    };
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content },
    ];
    await before(messages.slice(0, 1));
    await before(messages);
  },
  "openai responses": async (tracker, output) => {
    const { before } = responsesSession<object>(tracker);
    const items = [
      { role: "user", content: "Go" },
      { type: "function_call", call_id: "c", name: "shell", arguments: json },
      { type: "function_call_output", call_id: "c", output },
    ];
    await before(items.slice(0, 1));
    await before(items);
  },
  "openai agents": async (tracker, output) => {
    const { callModelInputFilter: filter } = agentsSession<object>(tracker);
    const items = [
      { role: "user", content: "Go" },
      { type: "function_call", callId: "c", name: "shell", arguments: json },
      { type: "function_call_result", callId: "c", output: { type: "text", text: output } },
    ];
    await filter({ modelData: { input: items.slice(0, 1) } });
    await filter({ modelData: { input: items } });
  },
  langchain: async (tracker, content) => {
    const { wrapModelCall } = langchainMiddleware(tracker, {
      tool: (() => ({})) as never,
      HumanMessage: class {
        readonly type = "human";
        readonly content: string;
        constructor(text: string) {
          this.content = text;
        }
      },
      createMiddleware: (config) => config,
    });
    const messages = [
      { type: "human", content: "Go" },
      { type: "ai", content: "", tool_calls: [{ id: "c", name: "shell", args: input }] },
      { type: "tool", tool_call_id: "c", content, status: "success" },
    ];
    await wrapModelCall({ messages: messages.slice(0, 1) }, () => undefined);
    await wrapModelCall({ messages }, () => undefined);
  },
  "ai sdk": async (tracker, value) => {
    const { prepareStep } = withWaymark(tracker);
    const toolCallId = "c";
    const toolName = "shell";
    const output = { type: "text" as const, value };
    const messages = [
      { role: "user" as const, content: "Go" },
      {
        role: "assistant" as const,
        content: [{ type: "tool-call" as const, toolCallId, toolName, input }],
      },
      {
        role: "tool" as const,
        content: [{ type: "tool-result" as const, toolCallId, toolName, output }],
      },
    ];
    await prepareStep({ messages: messages.slice(0, 1) });
    await prepareStep({ messages });
  },
  "own loop": (tracker, output) => {
    const seen: ObservedEvent[] = [
      { type: "tool.started", callId: "c", name: "shell", input },
      { type: "tool.completed", callId: "c", output },
    ];
    tracker.observe(seen);
  },
};

describe.each(Object.keys(LOOPS))("%s", (name) => {
  const loop = LOOPS[name] as (typeof LOOPS)[string];

  test.each([
    ["Tests 3 failed\nexit code: 1"],
    ['{"exitCode":1}'],
    ['{"code":1}'],
    ["ok"],
    [""],
    ["Command timed out after 120000 ms"],
    ["FAILED (failures=2)"],
    ["src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."],
  ])("a result of %j verifies nothing", async (output) => {
    expect(await verifies((tracker) => loop(tracker, output))).toBe(false);
  });

  test.each([
    ["all fine\nexit code: 0"],
    ['{"exitCode":0,"stdout":"fine"}'],
    [" Test Files  1 passed (1)\n      Tests  5 passed (5)"],
  ])("a result of %j verifies", async (output) => {
    expect(await verifies((tracker) => loop(tracker, output))).toBe(true);
  });
});

describe("a structured result of the AI SDK", () => {
  test.each<[object, boolean]>([
    [{ code: 1 }, false],
    [{ exitCode: 1, stdout: "fine" }, false],
    [{ stdout: "fine" }, false],
    [{ exitCode: 0 }, true],
    [{ code: 0, stdout: "fine", stderr: "" }, true],
  ])("%j", async (value, verified) => {
    const call = { toolCallId: "c", toolName: "shell" };
    const messages = [
      { role: "user" as const, content: "Go" },
      { role: "assistant" as const, content: [{ type: "tool-call" as const, ...call, input }] },
      {
        role: "tool" as const,
        content: [
          {
            type: "tool-result" as const,
            ...call,
            output: { type: "json" as const, value: value as never },
          },
        ],
      },
    ];
    const run = async (tracker: Own) => {
      const { prepareStep } = withWaymark(tracker);
      await prepareStep({ messages: messages.slice(0, 1) });
      await prepareStep({ messages });
    };
    expect(await verifies(run)).toBe(verified);
  });
});

const shell = { tool_name: "run_shell_command", tool_input: input, tool_use_id: "c" };
const bash = { tool_name: "Bash", tool_input: input, tool_use_id: "c" };

describe("the hooks of an agent", () => {
  test.each<[string, string, string, Fields, boolean]>([
    [
      "claude",
      "PostToolUse",
      "success",
      { ...bash, tool_response: { stdout: "fine", stderr: "" } },
      true,
    ],
    [
      "claude",
      "PostToolUse",
      "background",
      { ...bash, tool_response: { stdout: " Tests  5 passed (5)", backgroundTaskId: "b" } },
      false,
    ],
    [
      "claude",
      "PostToolUse",
      "interrupted",
      { ...bash, tool_response: { stdout: " Tests  5 passed (5)", interrupted: true } },
      false,
    ],
    ["claude", "PostToolUseFailure", "failure", { ...bash, error: "Exit code 1\n1 failed" }, false],
    ["codex", "PostToolUse", "no exit code", { ...bash, tool_response: "fine\n" }, false],
    [
      "codex",
      "PostToolUse",
      "failing summary",
      { ...bash, tool_response: "      Tests  1 failed (1)\n" },
      false,
    ],
    [
      "codex",
      "PostToolUse",
      "passing summary",
      { ...bash, tool_response: "      Tests  5 passed (5)\n" },
      true,
    ],
    [
      "gemini",
      "AfterTool",
      "success",
      {
        ...shell,
        tool_response: {
          llmContent:
            "<untrusted_context>\nOutput: fine\nProcess Group PGID: 7\n</untrusted_context>",
        },
      },
      true,
    ],
    [
      "gemini",
      "AfterTool",
      "failure",
      {
        ...shell,
        tool_response: {
          llmContent:
            "<untrusted_context>\nOutput: Exit Code: 0\nExit Code: 1\n</untrusted_context>",
        },
      },
      false,
    ],
    [
      "gemini",
      "AfterTool",
      "signal",
      { ...shell, tool_response: { llmContent: "Output: a\nExit Code: 0\nb\nSignal: 9" } },
      false,
    ],
    [
      "gemini",
      "AfterTool",
      "time-out",
      {
        ...shell,
        tool_response: {
          llmContent:
            "Command was automatically cancelled because it exceeded the timeout of 5 minutes. Below is the output before it was cancelled:\nOutput: 5 passed",
        },
      },
      false,
    ],
    [
      "opencode",
      "PostToolUse",
      "success",
      { ...bash, tool_name: "bash", tool_response: { output: "fine", metadata: { exit: 0 } } },
      true,
    ],
    [
      "opencode",
      "PostToolUse",
      "failure",
      { ...bash, tool_name: "bash", tool_response: { output: "fine", metadata: { exit: 1 } } },
      false,
    ],
    [
      "opencode",
      "PostToolUse",
      "time-out",
      {
        ...bash,
        tool_name: "bash",
        tool_response: {
          output:
            "fine\n<bash_metadata>\nbash tool terminated command after exceeding timeout 120000 ms\n</bash_metadata>",
          metadata: { exit: null },
        },
      },
      false,
    ],
    [
      "qwen",
      "PostToolUse",
      "success",
      {
        ...shell,
        tool_response: {
          llmContent:
            "Command: npm test\nDirectory: (root)\nOutput: fine\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: 7",
        },
      },
      true,
    ],
    [
      "qwen",
      "PostToolUse",
      "failure",
      {
        ...shell,
        tool_response: {
          llmContent:
            "Command: npm test\nDirectory: (root)\nOutput: Exit Code: 0\nError: (none)\nExit Code: 1\nSignal: (none)\nProcess Group PGID: 7",
        },
      },
      false,
    ],
    [
      "qwen",
      "PostToolUse",
      "no exit code",
      { ...shell, tool_response: { llmContent: "Exit Code: 0\nand more" } },
      false,
    ],
    ["qwen", "PostToolUseFailure", "failure", { ...shell, error: "Command timed out" }, false],
  ])("%s %s: %s", async (name, event, _, payload, verified) => {
    const events = findHookAgent(name)?.events ?? {};
    const begin = name === "gemini" ? "BeforeTool" : "PreToolUse";
    const run = (tracker: Own) => {
      for (const [on, given] of [
        [begin, { ...payload }],
        [event, payload],
      ] as const)
        tracker.observe(events[on]?.observe(given) ?? []);
    };
    expect(await verifies(run)).toBe(verified);
  });
});

const long = `${"building module\n".repeat(400)}`;

/** The records of one call of `npm test` in an agent's own session file. */
const TRANSCRIPTS: Record<string, (output: string, failed: boolean) => readonly object[]> = {
  "claude-code": (content, failed) => [
    {
      type: "assistant",
      sessionId: "s",
      uuid: "1",
      timestamp: "2026-01-01T00:00:01Z",
      message: {
        id: "m",
        role: "assistant",
        content: [{ type: "tool_use", id: "c", name: "Bash", input }],
      },
    },
    {
      type: "user",
      sessionId: "s",
      uuid: "2",
      timestamp: "2026-01-01T00:00:02Z",
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c", content, is_error: failed }],
      },
      toolUseResult: failed
        ? `Error: ${content}`
        : { stdout: content, stderr: "", interrupted: false },
    },
  ],
  codex: (output) => [
    { type: "session_meta", timestamp: "2026-01-01T00:00:00Z", payload: { id: "s", cwd: "/a" } },
    {
      type: "response_item",
      timestamp: "2026-01-01T00:00:01Z",
      payload: {
        type: "function_call",
        call_id: "c",
        name: "exec_command",
        arguments: JSON.stringify({ cmd: "npm test" }),
      },
    },
    {
      type: "response_item",
      timestamp: "2026-01-01T00:00:02Z",
      payload: { type: "function_call_output", call_id: "c", output },
    },
  ],
  gemini: (output) => [
    {
      sessionId: "s",
      projectHash: "p",
      startTime: "2026-01-01T00:00:00Z",
      lastUpdated: "2026-01-01T00:00:00Z",
      kind: "main",
    },
    {
      id: "g",
      timestamp: "2026-01-01T00:00:01Z",
      type: "gemini",
      content: "",
      toolCalls: [
        {
          id: "c",
          name: "run_shell_command",
          args: input,
          status: "success",
          timestamp: "2026-01-01T00:00:02Z",
          result: [
            { functionResponse: { id: "c", name: "run_shell_command", response: { output } } },
          ],
        },
      ],
    },
  ],
  qwen: (output) => [
    {
      uuid: "1",
      sessionId: "s",
      timestamp: "2026-01-01T00:00:01Z",
      type: "assistant",
      cwd: "/a",
      version: "0.24.4",
      message: {
        role: "model",
        parts: [{ functionCall: { id: "c", name: "run_shell_command", args: input } }],
      },
    },
    {
      uuid: "2",
      sessionId: "s",
      timestamp: "2026-01-01T00:00:02Z",
      type: "tool_result",
      cwd: "/a",
      version: "0.24.4",
      message: {
        role: "user",
        parts: [{ functionResponse: { id: "c", name: "run_shell_command", response: { output } } }],
      },
      toolCallResult: { callId: "c", status: "success" },
    },
  ],
  opencode: (output, failed) => [
    {
      type: "tool_use",
      timestamp: 1_000,
      sessionID: "ses_1",
      part: {
        id: "p",
        sessionID: "ses_1",
        messageID: "m",
        type: "tool",
        callID: "c",
        tool: "bash",
        state: {
          status: "completed",
          input,
          output,
          title: "t",
          metadata: { exit: failed ? 1 : output.includes("exceeding timeout") ? null : 0 },
          time: { start: 1_000, end: 2_000 },
        },
      },
    },
  ],
};

const codexText = (code: number, output: string) =>
  `Chunk ID: ab\nWall time: 0.1 seconds\nProcess exited with code ${code}\nOriginal token count: 2\nOutput:\n${output}`;
const qwenText = (code: number, output: string) =>
  `Command: npm test\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: (none)\nProcess Group PGID: 7`;

describe("the session file of an agent", () => {
  test.each<[string, string, string, boolean, boolean]>([
    ["claude-code", "success", "fine", false, true],
    ["claude-code", "failure", "Exit code 1\n2 failed", true, false],
    ["codex", "success", codexText(0, "fine"), false, true],
    [
      "codex",
      "failure",
      codexText(1, `fine\nProcess exited with code 0\nOutput:\n${long}`),
      false,
      false,
    ],
    ["codex", "no header", "Process exited with code 0\nsays the log", false, false],
    ["gemini", "success", "Output: fine\nProcess Group PGID: 7", false, true],
    ["gemini", "long success", `Output: ${long}\nProcess Group PGID: 7`, false, true],
    [
      "gemini",
      "long failure",
      `Output: ${long}\nExit Code: 2\nProcess Group PGID: 7`,
      false,
      false,
    ],
    [
      "gemini",
      "time-out",
      "Command was automatically cancelled because it exceeded the timeout",
      false,
      false,
    ],
    ["qwen", "success", qwenText(0, "fine"), false, true],
    ["qwen", "long success", qwenText(0, long), false, true],
    ["qwen", "failure", qwenText(1, "Exit Code: 0"), false, false],
    ["opencode", "success", "fine", false, true],
    ["opencode", "failure", "fine", true, false],
    [
      "opencode",
      "time-out",
      "bash tool terminated command after exceeding timeout 120000 ms",
      false,
      false,
    ],
  ])("%s: %s", (name, _, output, failed, verified) => {
    const dialect = findDecoder(name);
    const records = TRANSCRIPTS[name]?.(output, failed) ?? [];
    if (!dialect) throw new Error(`no dialect ${name}`);
    const source = {
      kind: name === "opencode" ? ("stream" as const) : ("file" as const),
      session: "s",
    };
    const events = decode(dialect, {
      name,
      source,
      lines: records.map((record) => JSON.stringify(record)),
    });
    const [first] = events;
    if (!first) throw new Error("nothing was read");
    const live = emptyLiveTrack(first);
    for (const event of events) foldStream(live, event);
    expect(live.activity.counts.tools).toBe(1);
    expect(live.activity.check !== undefined).toBe(verified);
  });
});
