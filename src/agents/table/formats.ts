import type { Condition } from "./paths.ts";

/** How the records of an agent represent calls and their results. Rows can share a format. */
export interface RecordFormat {
  readonly calls: readonly CallFormat[];
  readonly results: readonly ResultFormat[];
  readonly prompts?: readonly { readonly when: Condition; readonly text: string }[];
}

interface CallFormat {
  readonly when: Condition;
  /** The path to several calls in one record. */
  readonly each?: string;
  readonly part?: Condition;
  readonly id: string;
  /** A path, or `key:` and the path of an object whose only key is the name. */
  readonly name: string;
  readonly input: string;
}

interface ResultFormat {
  readonly when: Condition;
  readonly each?: string;
  readonly part?: Condition;
  readonly id: string;
  readonly name?: string;
  /** The path of the input, if the result repeats it. */
  readonly input?: string;
  readonly output: string;
  /** The path of structured data besides the text for the model. */
  readonly data?: string;
  readonly failed?: readonly Condition[];
  /** The path of the error, if it is not in the output. */
  readonly error?: string;
  readonly exitCode?: string;
}

/** Matches parts of a message by their type. */
function inContent(role: string, type: string) {
  return { when: { role }, each: "content.*", part: { type } };
}

/** A call with fields of these names. */
const NAMED = { id: "id", name: "name", input: "input" };

/** The fields of a call in OpenHands, current and former. */
const OPENHANDS = { id: "tool_call_id", name: "tool_name" };
const OPENHANDS_OLD = {
  id: "tool_call_metadata.tool_call_id",
  name: "tool_call_metadata.function_name",
};

export const RECORD_FORMATS = {
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
  /** Session files have the messages of the API, live output has events. */
  droid: {
    calls: [
      { ...inContent("assistant", "tool_use"), ...NAMED },
      { when: { type: "tool_call" }, id: "id", name: "toolName", input: "parameters" },
    ],
    results: [
      {
        ...inContent("user", "tool_result"),
        id: "tool_use_id",
        output: "content",
        failed: [{ is_error: true }],
      },
      {
        when: { type: "tool_result", toolId: "*" },
        id: "id",
        output: "value",
        failed: [{ isError: true }],
        error: "error.message",
      },
    ],
    prompts: [
      // Other messages of the user are context for the model, or results.
      {
        when: { type: "message", "message.role": "user", "message.interactionMode": "*" },
        text: "message.content",
      },
      { when: { type: "message", role: "user", text: "*" }, text: "text" },
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
        ...OPENHANDS_OLD,
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
        ...OPENHANDS_OLD,
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
} as const satisfies Record<string, RecordFormat>;
