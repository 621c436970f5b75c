import type { AnyReadyTool } from "../tools/toolbox.ts";
import { callToolWithText, type HostState } from "./call.ts";
import { isStrictSchema } from "./schema.ts";

const ADAPTER = "openai";

/** A tool of the Chat Completions API. */
export interface ChatTool {
  type: "function";
  function: {
    name: string;
    description: string;
    parameters: Record<string, unknown>;
    strict: boolean;
  };
}

/**
 * Converts tools for the Chat Completions API.
 *
 * @param tools the tools of `todoTools` or `taskTools`
 * @returns definitions for `tools` of a request
 */
export function chatTools(tools: readonly AnyReadyTool[]): ChatTool[] {
  return responsesTools(tools).map(({ type, ...definition }) => ({ type, function: definition }));
}

/** A tool of the Responses API. */
export interface ResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  /** True if every field is required. The API refuses other schemas in strict mode. */
  strict: boolean;
}

/**
 * Converts tools for the Responses API.
 *
 * @param tools the tools of `todoTools` or `taskTools`
 * @returns definitions for `tools` of a request
 */
export function responsesTools(tools: readonly AnyReadyTool[]): ResponsesTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: { ...inputSchema },
    strict: isStrictSchema(inputSchema),
  }));
}

/** Options of `answerToolCalls` and `answerFunctionCalls`. */
export interface AnswerOptions extends HostState {
  readonly signal?: AbortSignal;
}

/** A call in a message of the model, with the fields that are read. */
export interface ChatToolCall {
  readonly id: string;
  readonly type?: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** The result of a tool call, as a message. */
export interface ChatToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/**
 * Runs the calls of Waymark's tools in a message of the model, in order. Calls of other tools are left to the
 * host.
 *
 * @param tools the tools to run
 * @param calls the `tool_calls` of the model's message
 * @param options the state of the host
 * @returns the results of the calls that were run
 */
export async function answerToolCalls(
  tools: readonly AnyReadyTool[],
  calls: readonly ChatToolCall[] | null | undefined,
  options: AnswerOptions = {},
): Promise<ChatToolMessage[]> {
  const pending = (calls ?? []).map((call) => ({ id: call.id, ...call.function }));
  return (await answerAll(tools, pending, options)).map(({ id, text }) => ({
    role: "tool",
    tool_call_id: id,
    content: text,
  }));
}

/** An item of a response, with the fields that are read. */
export interface ResponsesItem {
  readonly type?: string | undefined;
  readonly call_id?: string | null | undefined;
  readonly name?: string | undefined;
  readonly arguments?: unknown;
}

/** The result of a function call, as an input item. */
export interface FunctionCallOutput {
  type: "function_call_output";
  call_id: string;
  output: string;
}

/**
 * Runs the calls of Waymark's tools in the output of the Responses API, in order. Calls of other functions are left to
 * the host.
 *
 * @param tools the tools to run
 * @param output the output of a response
 * @param options the state of the host
 * @returns the results of the calls that were run
 */
export async function answerFunctionCalls(
  tools: readonly AnyReadyTool[],
  output: readonly ResponsesItem[],
  options: AnswerOptions = {},
): Promise<FunctionCallOutput[]> {
  const pending = output.flatMap(({ type, call_id: id, name, arguments: input }) =>
    type === "function_call" && typeof id === "string" && typeof input === "string"
      ? { id, name, arguments: input }
      : [],
  );
  return (await answerAll(tools, pending, options)).map(({ id, text }) => ({
    type: "function_call_output",
    call_id: id,
    output: text,
  }));
}

interface PendingCall {
  readonly id: string;
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
}

async function answerAll(
  tools: readonly AnyReadyTool[],
  calls: readonly PendingCall[],
  { signal, ...host }: AnswerOptions,
): Promise<{ readonly id: string; readonly text: string }[]> {
  const answers: { readonly id: string; readonly text: string }[] = [];
  for (const { id, name, arguments: input = "" } of calls) {
    const tool = tools.find((one) => one.name === name);
    if (!tool) continue;
    const { text } = await callToolWithText(tool, input, { adapter: ADAPTER, id, signal }, host);
    answers.push({ id, text });
  }
  return answers;
}
