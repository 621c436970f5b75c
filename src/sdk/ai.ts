import { jsonSchema, type ModelMessage, type Tool } from "ai";
import { AI, assertSupported } from "../peers.ts";
import type { AnyReadyTool, ToolAnswer } from "../tools/toolbox.ts";
import { AI_MESSAGES } from "./ai-messages.ts";
import { callTool, type HostState } from "./call.ts";
import { openSession, type SessionOptions, type SessionTracker } from "./session.ts";

assertSupported("waymark/sdk/ai", import.meta.url, [AI]);

const ADAPTER = "ai";

/** The model gets the text of an answer; the user interface gets the whole answer. */
export type AiTool = Tool<unknown, ToolAnswer>;

/**
 * Converts tools for the AI SDK.
 *
 * @param tools the tools of `todoTools` or `taskTools`
 * @param host the state of the host
 * @returns the tools by name
 */
export function aiTools(
  tools: readonly AnyReadyTool[],
  host: HostState = {},
): Record<string, AiTool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, aiTool(tool, host)]));
}

function aiTool(ready: AnyReadyTool, host: HostState): AiTool {
  return {
    title: ready.title,
    description: ready.description,
    // Not validated here: the tool accepts more than it publishes and explains errors itself.
    inputSchema: jsonSchema<unknown>(ready.inputSchema),
    inputExamples: ready.examples.map((input) => ({ input })),
    execute: (input, { toolCallId, abortSignal }) =>
      callTool(ready, input, { adapter: ADAPTER, id: toolCallId, signal: abortSignal }, host),
    toModelOutput: ({ output: { ok, text } }) => ({
      type: ok ? ("text" as const) : ("error-text" as const),
      value: text,
    }),
  };
}

/** One conversation. Spread `tools` and `prepareStep` into the settings of `generateText`, `streamText` or an agent. */
export interface AiSession {
  readonly tools: Record<string, AiTool>;
  /** Inserts reminders into the messages. To compact a conversation, pass it the compacted messages. */
  prepareStep(step: {
    readonly messages: readonly ModelMessage[];
  }): Promise<{ messages: ModelMessage[] }>;
  /** Call it when the model stops. Returns the messages to continue with, or undefined if the turn may end. */
  stop(messages: readonly ModelMessage[]): Promise<ModelMessage[] | undefined>;
}

/**
 * Connects one conversation of the AI SDK: list tools, reminders and recovery.
 *
 * @param tracker the tracker, from `createTracker`
 * @param options the tools for the model, and the state of the host
 * @returns `tools` and `prepareStep` for the settings of `generateText`, and `stop`
 */
export function withWaymark(
  tracker: SessionTracker,
  options: SessionOptions & HostState = {},
): AiSession {
  const session = openSession(tracker, AI_MESSAGES, options);
  return {
    tools: aiTools(session.tools, options),
    prepareStep: async ({ messages }) => ({ messages: await session.before(messages) }),
    stop: session.stop,
  };
}
