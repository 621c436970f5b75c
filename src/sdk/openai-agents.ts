import type { AnyReadyTool } from "../tools/toolbox.ts";
import { callToolWithText, type Situation } from "./call.ts";
import { parsedInput, textOf } from "./content.ts";
import { openSession, outputOf, type SessionOptions, type SessionTracker } from "./session.ts";
import { isStrictSchema } from "./strict.ts";
import { type MessageShape, type Seen, seen } from "./thread.ts";

const DOOR = "openai-agents";

/** A function tool of the OpenAI Agents SDK, as its `tool()` makes them. */
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

/** What the SDK passes to a tool besides its input. */
export interface AgentsCall {
  readonly toolCall?: { readonly callId?: string };
  readonly signal?: AbortSignal;
}

/**
 * The tools as the OpenAI Agents SDK takes them.
 *
 * @param tools tools of `todoTools` or `taskTools`
 * @param situation the situation of the host
 * @returns function tools
 */
export function agentsTools(
  tools: readonly AnyReadyTool[],
  situation: Situation = {},
): AgentsTool[] {
  return tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: { ...tool.inputSchema } as AgentsTool["parameters"],
    strict: isStrictSchema(tool.inputSchema),
    invoke: async (_, input, details) => {
      const call = { door: DOOR, id: details?.toolCall?.callId, signal: details?.signal };
      return (await callToolWithText(tool, input, call, situation)).text;
    },
    needsApproval: async () => false,
    isEnabled: async () => true,
  }));
}

/** What the model is about to be given. */
export interface AgentsModelInput<Item> {
  input: Item[];
  instructions?: string;
}

/** One conversation of an agent. */
export interface AgentsSession<Item> {
  readonly tools: AgentsTool[];
  /** For the options of `run`, or of a runner: puts what the model should know between the items. */
  callModelInputFilter<T extends Item>(given: {
    readonly modelData: AgentsModelInput<T>;
  }): Promise<AgentsModelInput<T>>;
}

/**
 * Everything that an agent of the OpenAI Agents SDK needs, for one conversation.
 *
 * @param tracker what `createTracker` returns
 * @param options which tools, and the situation of the host
 * @returns the tools, and the filter for the options of `run`
 */
export function agentsSession<Item = unknown>(
  tracker: SessionTracker,
  options: SessionOptions & Situation = {},
): AgentsSession<Item> {
  // The SDK's item types are wider than what is looked at: a plain text message is one of them.
  const session = openSession(tracker, SHAPE as unknown as MessageShape<Item>, options);
  return {
    tools: agentsTools(session.tools, options),
    callModelInputFilter: async ({ modelData }) => ({
      ...modelData,
      input: await session.before(modelData.input),
    }),
  };
}

/** An item of a conversation, as far as it is looked at. */
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

const SHAPE: MessageShape<AgentsItem> = {
  say: (text) => ({ type: "message", role: "user", content: text }),
  read: ({ type, role, content, callId, name, ...item }): Seen => {
    if (type === "function_call" && callId !== undefined && name !== undefined)
      return seen("assistant", {
        calls: [{ id: callId, name, input: parsedInput(item.arguments) }],
      });
    if (type === "function_call_result" && callId !== undefined)
      return seen("tool", {
        results: [{ id: callId, ...outputOf(textOf(item.output)), failed: false }],
      });
    if (role === "user") return seen("user", { text: textOf(content) });
    // What the model thought belongs to its answer.
    if (role === "assistant" || type === "reasoning")
      return seen("assistant", { text: textOf(content) });
    return seen("other", { text: textOf(content) });
  },
};
