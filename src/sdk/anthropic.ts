import type { AnyReadyTool } from "../tools/toolbox.ts";
import { callTool, type Situation } from "./call.ts";
import { textOf } from "./content.ts";
import { openSession, outputOf, type SessionOptions, type SessionTracker } from "./session.ts";
import { type MessageShape, type Seen, seen } from "./thread.ts";

const DOOR = "anthropic";

/** A tool of the Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
  strict?: true;
  input_examples?: { [field: string]: unknown }[];
}

/** How tools are defined for the API. */
export interface AnthropicToolOptions {
  /** The API holds the model to the schema, where the tool takes no other fields. */
  readonly strict?: boolean;
  /** The model is shown examples of calls. */
  readonly examples?: boolean;
}

/**
 * The tools as the Messages API takes them.
 *
 * @param tools tools of `todoTools` or `taskTools`
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

/** The tools as the SDK's own tool runner takes them. */
export interface AnthropicRunnableTool extends AnthropicTool {
  parse(content: unknown): unknown;
  run(input: unknown, context?: AnthropicRun): Promise<string>;
}

/** What the SDK's tool runner passes to a tool. */
export interface AnthropicRun {
  readonly toolUse: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * The tools as the SDK's tool runner takes them.
 *
 * @param tools tools of `todoTools` or `taskTools`
 * @param options how they are defined, and the situation of the host
 * @returns tools for `client.beta.messages.toolRunner`
 */
export function anthropicRunnableTools(
  tools: readonly AnyReadyTool[],
  options: AnthropicToolOptions & Situation = {},
): AnthropicRunnableTool[] {
  const definitions = anthropicTools(tools, options);
  return tools.flatMap((tool, index) => {
    const definition = definitions[index];
    if (!definition) return [];
    return {
      ...definition,
      parse: (content: unknown) => content,
      run: async (input: unknown, context?: AnthropicRun) => {
        const call = { door: DOOR, id: context?.toolUse.id, signal: context?.signal };
        return (await callTool(tool, input, call, options)).text;
      },
    };
  });
}

/** A block of a message, as far as it is looked at. */
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
export interface AnthropicAnswerOptions extends Situation {
  readonly signal?: AbortSignal;
}

/**
 * Carries out the calls of our tools in an answer of the model, in their order. Calls of other
 * tools are left to the host.
 *
 * @param tools the tools that are executed here
 * @param content the content of the model's message
 * @returns the results; calls of other tools have none
 */
export async function answerToolUses(
  tools: readonly AnyReadyTool[],
  content: readonly AnthropicBlock[],
  { signal, ...situation }: AnthropicAnswerOptions = {},
): Promise<AnthropicToolResult[]> {
  const results: AnthropicToolResult[] = [];
  for (const { type, id, name, input } of content) {
    const tool = type === "tool_use" && tools.find((one) => one.name === name);
    if (!tool || id === undefined) continue;
    const { ok, text } = await callTool(tool, input, { door: DOOR, id, signal }, situation);
    results.push({
      type: "tool_result",
      tool_use_id: id,
      content: text,
      ...(!ok && { is_error: true as const }),
    });
  }
  return results;
}

/** A message of the Messages API, as far as it is read. */
export interface AnthropicMessage {
  readonly role: string;
  readonly content: string | readonly AnthropicBlock[];
}

/** One conversation over the Messages API. */
export interface AnthropicSession<M> {
  readonly tools: AnthropicTool[];
  /** Before each model call: the messages to send. */
  before<T extends M>(messages: readonly T[]): Promise<T[]>;
  /** The results of our tools; what is not in it is a call of the host's own tools. */
  answer(content: readonly AnthropicBlock[], signal?: AbortSignal): Promise<AnthropicToolResult[]>;
  /** When the model wants to stop: the messages to go on with, where it is asked to. */
  stop<T extends M>(messages: readonly T[]): Promise<T[] | undefined>;
}

/**
 * Everything that a loop over the Messages API needs, for one conversation.
 *
 * @param tracker what `createTracker` returns
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
  { strict, examples, ...options }: SessionOptions & AnthropicToolOptions & Situation = {},
): AnthropicSession<M> {
  // The SDK's message types are wider than what is looked at: a plain text message is one of them.
  const session = openSession(tracker, SHAPE as unknown as MessageShape<M>, options);
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

const SHAPE: MessageShape<AnthropicMessage> = {
  read,
  say: (text) => ({ role: "user", content: text }),
};

function read({ role, content }: AnthropicMessage): Seen {
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
  if (role !== "assistant") return seen(results.length > 0 ? "tool" : "user", { text, results });
  const calls = blocks.flatMap(({ type, id, name, input }) =>
    type === "tool_use" && id !== undefined && name !== undefined ? { id, name, input } : [],
  );
  return seen("assistant", { text, calls });
}
