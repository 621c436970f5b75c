import type { Where } from "./paths.ts";

/** How calls and their results stand in the records of an agent. Declared, so that rows can share. */
export interface Form {
  readonly calls: readonly CallForm[];
  readonly results: readonly ResultForm[];
  readonly prompts?: readonly { readonly when: Where; readonly text: string }[];
}

interface CallForm {
  readonly when: Where;
  /** Where several stand in one record. */
  readonly each?: string;
  readonly part?: Where;
  readonly id: string;
  /** A place, or `key:` and the place of an object that has the name as its only key. */
  readonly name: string;
  readonly input: string;
}

interface ResultForm {
  readonly when: Where;
  readonly each?: string;
  readonly part?: Where;
  readonly id: string;
  readonly name?: string;
  /** Where the result repeats what the call was made with. */
  readonly input?: string;
  readonly output: string;
  /** Data for programs beside the text for the model. */
  readonly data?: string;
  readonly failed?: readonly Where[];
  /** What went wrong, where it does not stand in the output. */
  readonly error?: string;
  readonly exitCode?: string;
}

/** Among the parts of a message, told apart by their type. */
function inContent(role: string, type: string) {
  return { when: { role }, each: "content.*", part: { type } };
}

/** A call that is told by an id, a name and an input of exactly these names. */
const NAMED = { id: "id", name: "name", input: "input" };

/** How OpenHands names a call, and how it did before. */
const OPENHANDS = { id: "tool_call_id", name: "tool_name" };
const OPENHANDS_BEFORE = {
  id: "tool_call_metadata.tool_call_id",
  name: "tool_call_metadata.function_name",
};

export const FORMS = {
  openai: {
    calls: [
      {
        when: { role: "assistant" },
        each: "tool_calls.*",
        id: "id",
        name: "function.name",
        input: "function.arguments",
      },
    ],
    results: [{ when: { role: "tool" }, id: "tool_call_id", output: "content" }],
    prompts: [{ when: { role: "user" }, text: "content" }],
  },
  langchain: {
    calls: [{ when: { type: "ai" }, each: "tool_calls.*", ...NAMED, input: "args" }],
    results: [
      {
        when: { type: "tool" },
        id: "tool_call_id",
        name: "name",
        output: "content",
        failed: [{ status: "error" }],
      },
    ],
    prompts: [{ when: { type: "human" }, text: "content" }],
  },
  anthropic: {
    calls: [{ ...inContent("assistant", "tool_use"), ...NAMED }],
    results: [
      {
        ...inContent("user", "tool_result"),
        id: "tool_use_id",
        output: "content",
        failed: [{ is_error: true }],
      },
    ],
  },
  goose: {
    calls: [
      {
        ...inContent("assistant", "toolRequest"),
        id: "id",
        name: "toolCall.value.name",
        input: "toolCall.value.arguments",
      },
    ],
    results: [
      {
        ...inContent("user", "toolResponse"),
        id: "id",
        output: "toolResult.value.content",
        failed: [{ "toolResult.status": "error" }, { "toolResult.value.isError": true }],
        error: "toolResult.error",
      },
    ],
  },
  cursor: {
    calls: [
      {
        when: { type: "tool_call", subtype: "started" },
        id: "call_id",
        name: "key:tool_call",
        input: "tool_call.$.args",
      },
    ],
    results: [
      {
        when: { type: "tool_call", subtype: "completed" },
        id: "call_id",
        name: "key:tool_call",
        input: "tool_call.$.args",
        output: "tool_call.$.result.success.output",
        data: "tool_call.$.result.success",
        failed: [
          { "tool_call.$.result.error": "*" },
          { "tool_call.$.result.failure": "*" },
          { "tool_call.$.result.rejected": "*" },
        ],
        error: "tool_call.$.result.error.errorMessage",
        exitCode: "tool_call.$.result.success.exitCode",
      },
    ],
    prompts: [{ when: { type: "user" }, text: "message.content" }],
  },
  copilot: {
    calls: [
      {
        when: { type: "tool.execution_start" },
        id: "data.toolCallId",
        name: "data.toolName",
        input: "data.arguments",
      },
    ],
    results: [
      {
        when: { type: "tool.execution_complete" },
        id: "data.toolCallId",
        output: "data.result.content",
        failed: [{ "data.success": false }],
        error: "data.error.message",
      },
    ],
    prompts: [{ when: { type: "user.message" }, text: "data.content" }],
  },
  vscode: {
    calls: [],
    results: [
      {
        when: { sessionId: "*", requests: "*" },
        each: "requests.*.response.*",
        part: { kind: "toolInvocationSerialized", isComplete: true },
        id: "toolCallId",
        name: "toolId",
        output: "resultDetails.output",
        data: "toolSpecificData",
        failed: [{ "isConfirmed.type": "denied" }],
      },
    ],
  },
  kiro: {
    calls: [{ when: { ToolUse: "*" }, each: "ToolUse.tool_uses.*", ...NAMED, input: "args" }],
    results: [
      {
        when: { ToolUseResults: "*" },
        each: "ToolUseResults.tool_use_results.*",
        id: "tool_use_id",
        output: "content.*.Text",
        failed: [{ status: "Error" }],
      },
    ],
  },
  crush: {
    calls: [
      {
        when: { parts: "*" },
        each: "parts.*",
        part: { type: "tool_call", "data.finished": true },
        id: "data.id",
        name: "data.name",
        input: "data.input",
      },
    ],
    results: [
      {
        when: { parts: "*" },
        each: "parts.*",
        part: { type: "tool_result" },
        id: "data.tool_call_id",
        name: "data.name",
        output: "data.content",
        data: "data.metadata",
        failed: [{ "data.is_error": true }],
      },
    ],
  },
  openhands: {
    calls: [
      { when: { kind: "ActionEvent" }, ...OPENHANDS, input: "action" },
      {
        when: { action: "task_tracking" },
        ...OPENHANDS_BEFORE,
        input: "args",
      },
    ],
    results: [
      {
        when: { kind: "ObservationEvent" },
        ...OPENHANDS,
        output: "observation.content",
        data: "observation",
        failed: [{ "observation.is_error": true }],
      },
      {
        when: { kind: "AgentErrorEvent" },
        ...OPENHANDS,
        output: "error",
        failed: [{ error: "*" }],
      },
      {
        when: { observation: "task_tracking" },
        ...OPENHANDS_BEFORE,
        output: "content",
        data: "extras",
      },
    ],
  },
  zed: {
    calls: [{ when: { Agent: "*" }, each: "Agent.content.*.ToolUse", ...NAMED }],
    results: [
      {
        when: { Agent: "*" },
        each: "Agent.tool_results.%",
        id: "tool_use_id",
        name: "tool_name",
        output: "content.Text",
        failed: [{ is_error: true }],
      },
    ],
  },
  none: { calls: [], results: [] },
} as const satisfies Record<string, Form>;
