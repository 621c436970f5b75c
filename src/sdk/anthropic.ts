import type { AnyReadyTool } from "../tools/toolbox.ts";
import { callTool, type HostState } from "./call.ts";
import { textOf } from "./content.ts";
import { openSession, outputOf, type SessionOptions, type SessionTracker } from "./session.ts";
import { type MessageFormat, type ParsedMessage, parsedMessage } from "./thread.ts";

const ADAPTER = "anthropic";

/** A tool of the Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
  strict?: true;
  input_examples?: { [field: string]: unknown }[];
}

/** Options of `anthropicTools`. */
export interface AnthropicToolOptions {
  /** Let the API enforce the schema, for tools that accept no other fields. */
  readonly strict?: boolean;
  /** Include example calls. */
  readonly examples?: boolean;
}

/**
 * Converts tools for the Messages API.
 *
 * @param tools the tools of `todoTools` or `taskTools`
 * @returns definitions for `tools` of a request
 */
export function anthropicTools(
  tools: readonly AnyReadyTool[],
  { strict = false, examples = false }: AnthropicToolOptions = {},
): AnthropicTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: { ...tool.inputSchema, type: "object" as const },
    ...(strict && tool.strict && { strict: true as const }),
    ...(examples && { input_examples: [...tool.examples] as { [field: string]: unknown }[] }),
  }));
}

/** A tool for the SDK's tool runner. */
export interface AnthropicRunnableTool extends AnthropicTool {
  parse(content: unknown): unknown;
  run(input: unknown, context?: AnthropicRun): Promise<string>;
}

/** The context that the SDK's tool runner passes to a tool. */
export interface AnthropicRun {
  readonly toolUse: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * Converts tools for the SDK's tool runner.
 *
 * @param tools the tools of `todoTools` or `taskTools`
 * @param options how the tools are defined, and the state of the host
 * @returns tools for `client.beta.messages.toolRunner`
 */
export function anthropicRunnableTools(
  tools: readonly AnyReadyTool[],
  options: AnthropicToolOptions & HostState = {},
): AnthropicRunnableTool[] {
  const definitions = anthropicTools(tools, options);
  return tools.flatMap((tool, index) => {
    const definition = definitions[index];
    if (!definition) return [];
    return {
      ...definition,
      parse: (content: unknown) => content,
      run: async (input: unknown, context?: AnthropicRun) => {
        const call = { adapter: ADAPTER, id: context?.toolUse.id, signal: context?.signal };
        return (await callTool(tool, input, call, options)).text;
      },
    };
  });
}

/** A block of a message, with the fields that are read. */
export interface AnthropicBlock {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly text?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean | null;
}

/** The result of a tool call, for the next message. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
}

/** Options of `answerToolUses`. */
export interface AnthropicAnswerOptions extends HostState {
  readonly signal?: AbortSignal;
}

/**
 * Runs the calls of Waymark's tools in a message of the model, in order. Calls of other tools are left to the
 * host.
 *
 * @param tools the tools to run
 * @param content the content of the model's message
 * @returns the results of the calls that were run
 */
export async function answerToolUses(
  tools: readonly AnyReadyTool[],
  content: readonly AnthropicBlock[],
  { signal, ...host }: AnthropicAnswerOptions = {},
): Promise<AnthropicToolResult[]> {
  const results: AnthropicToolResult[] = [];
  for (const { type, id, name, input } of content) {
    const tool = type === "tool_use" && tools.find((one) => one.name === name);
    if (!tool || id === undefined) continue;
    const { ok, text } = await callTool(tool, input, { adapter: ADAPTER, id, signal }, host);
    results.push({
      type: "tool_result",
      tool_use_id: id,
      content: text,
      ...(!ok && { is_error: true as const }),
    });
  }
  return results;
}

/** A message of the Messages API, with the fields that are read. */
export interface AnthropicMessage {
  readonly role: string;
  readonly content: string | readonly AnthropicBlock[];
}

/** One conversation over the Messages API. */
export interface AnthropicSession<M> {
  readonly tools: AnthropicTool[];
  /** Call it before each model call. Returns the messages to send. */
  before<T extends M>(messages: readonly T[]): Promise<T[]>;
  /** Runs the calls of Waymark's tools and returns their results. Calls of other tools are left to the host. */
  answer(content: readonly AnthropicBlock[], signal?: AbortSignal): Promise<AnthropicToolResult[]>;
  /** Call it when the model stops. Returns the messages to continue with, or undefined if the turn may end. */
  stop<T extends M>(messages: readonly T[]): Promise<T[] | undefined>;
}

/**
 * Connects one conversation over the Messages API: list tools, reminders and recovery.
 *
 * @param tracker the tracker, from `createTracker`
 * @returns the tools, and functions to call before and after each request
 * @example
 * ```ts
 * import { createTracker } from "waymark";
 * import { anthropicSession } from "waymark/sdk/anthropic";
 *
 * const waymark = anthropicSession(createTracker());
 * const messages = await waymark.before([{ role: "user", content: "Fix the parser" }]);
 * ```
 */
export function anthropicSession<M extends AnthropicMessage = AnthropicMessage>(
  tracker: SessionTracker,
  { strict, examples, ...options }: SessionOptions & AnthropicToolOptions & HostState = {},
): AnthropicSession<M> {
  // The SDK's message types are wider than the fields read here; each includes plain text messages.
  const session = openSession(tracker, SHAPE as unknown as MessageFormat<M>, options);
  return {
    ...session,
    tools: anthropicTools(session.tools, {
      ...(strict !== undefined && { strict }),
      ...(examples !== undefined && { examples }),
    }),
    answer: (content, signal) =>
      answerToolUses(session.tools, content, { ...options, ...(signal && { signal }) }),
  };
}

const SHAPE: MessageFormat<AnthropicMessage> = {
  read,
  create: (text) => ({ role: "user", content: text }),
};

function read({ role, content }: AnthropicMessage): ParsedMessage {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const text = textOf(blocks);
  const results = blocks.flatMap(({ type, tool_use_id: id, content: output, is_error: failed }) =>
    type === "tool_result" && id !== undefined
      ? {
          id,
          ...outputOf(textOf(output)),
          failed: failed === true,
        }
      : [],
  );
  if (role !== "assistant")
    return parsedMessage(results.length > 0 ? "tool" : "user", { text, results });
  const calls = blocks.flatMap(({ type, id, name, input }) =>
    type === "tool_use" && id !== undefined && name !== undefined ? { id, name, input } : [],
  );
  return parsedMessage("assistant", { text, calls });
}
