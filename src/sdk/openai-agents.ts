import type { AnyReadyTool } from "../tools/toolbox.ts";
import { callToolWithText, type HostState } from "./call.ts";
import { parsedInput, textOf } from "./content.ts";
import { isStrictSchema } from "./schema.ts";
import { openSession, outputOf, type SessionOptions, type SessionTracker } from "./session.ts";
import { type MessageFormat, type ParsedMessage, parsedMessage } from "./thread.ts";

const ADAPTER = "openai-agents";

/** A function tool of the OpenAI Agents SDK, as created by its `tool()`. */
export interface AgentsTool {
  type: "function";
  name: string;
  description: string;
  // biome-ignore format: the SDK's own shape of a schema
  parameters: { type: "object"; properties: Record<string, never>; required: string[]; additionalProperties: false };
  strict: boolean;
  invoke(context: unknown, input: string, details?: AgentsCall): Promise<string>;
  needsApproval(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

/** Details of a call that the SDK passes to a tool. */
export interface AgentsCall {
  readonly toolCall?: { readonly callId?: string };
  readonly signal?: AbortSignal;
}

/**
 * Converts tools for the OpenAI Agents SDK.
 *
 * @param tools the tools of `todoTools` or `taskTools`
 * @param host the state of the host
 * @returns function tools
 */
export function agentsTools(tools: readonly AnyReadyTool[], host: HostState = {}): AgentsTool[] {
  return tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: { ...tool.inputSchema } as AgentsTool["parameters"],
    strict: isStrictSchema(tool.inputSchema),
    invoke: async (_, input, details) => {
      const call = { adapter: ADAPTER, id: details?.toolCall?.callId, signal: details?.signal };
      return (await callToolWithText(tool, input, call, host)).text;
    },
    needsApproval: async () => false,
    isEnabled: async () => true,
  }));
}

/** The input of a model call. */
export interface AgentsModelInput<Item> {
  input: Item[];
  instructions?: string;
}

/** One conversation of an agent. */
export interface AgentsSession<Item> {
  readonly tools: AgentsTool[];
  /** For the options of `run` or of a runner: inserts reminders into the items. */
  callModelInputFilter<T extends Item>(given: {
    readonly modelData: AgentsModelInput<T>;
  }): Promise<AgentsModelInput<T>>;
  /**
   * Call it after a run with the `history` of its result. Returns the input of the next run, or undefined if the turn
   * may end. The question is the last item.
   */
  stop<T extends Item>(history: readonly T[]): Promise<T[] | undefined>;
}

/**
 * Connects one conversation of the OpenAI Agents SDK: list tools, reminders and recovery.
 *
 * @param tracker the tracker, from `createTracker`
 * @param options the tools for the model, and the state of the host
 * @returns the tools, the filter for the options of `run`, and `stop`
 */
export function agentsSession<Item = unknown>(
  tracker: SessionTracker,
  options: SessionOptions & HostState = {},
): AgentsSession<Item> {
  // The SDK's item types are wider than the fields read here; they include plain text messages.
  const session = openSession(tracker, SHAPE as unknown as MessageFormat<Item>, options);
  return {
    tools: agentsTools(session.tools, options),
    callModelInputFilter: async ({ modelData }) => ({
      ...modelData,
      input: await session.before(modelData.input),
    }),
    stop: session.stop,
  };
}

/** An item of a conversation, with the fields that are read. */
interface AgentsItem {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly callId?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly status?: string;
  readonly output?: unknown;
}

const SHAPE: MessageFormat<AgentsItem> = {
  create: (text) => ({ type: "message", role: "user", content: text }),
  read: ({ type, role, content, callId, name, ...item }): ParsedMessage => {
    if (type === "function_call" && callId !== undefined && name !== undefined)
      return parsedMessage("assistant", {
        calls: [{ id: callId, name, input: parsedInput(item.arguments) }],
      });
    if (type === "function_call_result" && callId !== undefined)
      return parsedMessage("tool", {
        results: [{ id: callId, ...outputOf(textOf(item.output)), failed: false }],
      });
    if (role === "user") return parsedMessage("user", { text: textOf(content) });
    // Reasoning belongs to the answer.
    if (role === "assistant" || type === "reasoning")
      return parsedMessage("assistant", { text: textOf(content) });
    return parsedMessage("other", { text: textOf(content) });
  },
};
