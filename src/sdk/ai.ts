import { jsonSchema, type ModelMessage, type Tool } from "ai";
import { AI, assertSupported } from "../peers.ts";
import type { AnyReadyTool, ToolAnswer } from "../tools/toolbox.ts";
import { callTool, type HostState } from "./call.ts";
import { textOf } from "./content.ts";
import { openSession, outputOf, type SessionOptions, type SessionTracker } from "./session.ts";
import {
  type MessageFormat,
  type ParsedCall,
  type ParsedMessage,
  type ParsedResult,
  parsedMessage,
} from "./thread.ts";

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
  const session = openSession(tracker, SHAPE, options);
  return {
    tools: aiTools(session.tools, options),
    prepareStep: async ({ messages }) => ({ messages: await session.before(messages) }),
    stop: session.stop,
  };
}

const SHAPE: MessageFormat<ModelMessage> = {
  create: (text) => ({ role: "user", content: text }),
  read: (message) => {
    switch (message.role) {
      case "user":
        return parsedMessage("user", { text: textOf(message.content) });
      case "assistant":
        return readAnswer(message);
      case "tool":
        return parsedMessage("tool", { results: message.content.flatMap(resultOf) });
      default:
        return parsedMessage("other", { text: message.content });
    }
  },
};

function readAnswer({ content }: ModelMessage & { role: "assistant" }): ParsedMessage {
  if (typeof content === "string") return parsedMessage("assistant", { text: content });
  const calls: readonly ParsedCall[] = content.flatMap((part) =>
    part.type === "tool-call"
      ? { id: part.toolCallId, name: part.toolName, input: part.input }
      : [],
  );
  return parsedMessage("assistant", {
    text: textOf(content),
    calls,
    results: content.flatMap(resultOf),
  });
}

type Part = Exclude<(ModelMessage & { role: "assistant" | "tool" })["content"], string>[number];

function resultOf(part: Part): ParsedResult[] {
  if (part.type !== "tool-result") return [];
  const { output } = part;
  const failed = ["error-text", "error-json", "execution-denied"].includes(output.type);
  return [{ id: part.toolCallId, ...outputOf("value" in output ? output.value : ""), failed }];
}
