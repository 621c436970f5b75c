import type { AnyReadyTool } from "../tools/toolbox.ts";
import { callToolWithText, type Situation } from "./call.ts";
import { isStrictSchema } from "./strict.ts";

const DOOR = "openai";

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
 * The tools as the Chat Completions API takes them.
 *
 * @param tools tools of `todoTools` or `taskTools`
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
  /** Only for tools all of whose fields are required: the others would be refused by the API. */
  strict: boolean;
}

/**
 * The tools as the Responses API takes them.
 *
 * @param tools tools of `todoTools` or `taskTools`
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
export interface AnswerOptions extends Situation {
  readonly signal?: AbortSignal;
}

/** A call in a message of the model, as far as it is looked at. */
export interface ChatToolCall {
  readonly id: string;
  readonly type?: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** The answer to a tool call, as a message. */
export interface ChatToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/**
 * Carries out the calls of our tools in a message of the model, in their order. Calls of other
 * tools are left to the host.
 *
 * @param tools the tools that are executed here
 * @param calls the `tool_calls` of the model's message
 * @param options the situation of the host
 * @returns the answers; calls of other tools have none
 */
export async function answerToolCalls(
  tools: readonly AnyReadyTool[],
  calls: readonly ChatToolCall[] | null | undefined,
  options: AnswerOptions = {},
): Promise<ChatToolMessage[]> {
  const asked = (calls ?? []).map((call) => ({ id: call.id, ...call.function }));
  return (await answerAll(tools, asked, options)).map(({ id, text }) => ({
    role: "tool",
    tool_call_id: id,
    content: text,
  }));
}

/** An item of a response, as far as it is looked at. */
export interface ResponsesItem {
  readonly type?: string | undefined;
  readonly call_id?: string | null | undefined;
  readonly name?: string | undefined;
  readonly arguments?: unknown;
}

/** The answer to a function call, as an input item. */
export interface FunctionCallOutput {
  type: "function_call_output";
  call_id: string;
  output: string;
}

/**
 * The same for the output of the Responses API.
 *
 * @param tools the tools that are executed here
 * @param output the output of a response
 * @param options the situation of the host
 * @returns the answers; calls of other functions have none
 */
export async function answerFunctionCalls(
  tools: readonly AnyReadyTool[],
  output: readonly ResponsesItem[],
  options: AnswerOptions = {},
): Promise<FunctionCallOutput[]> {
  const asked = output.flatMap(({ type, call_id: id, name, arguments: input }) =>
    type === "function_call" && typeof id === "string" && typeof input === "string"
      ? { id, name, arguments: input }
      : [],
  );
  return (await answerAll(tools, asked, options)).map(({ id, text }) => ({
    type: "function_call_output",
    call_id: id,
    output: text,
  }));
}

interface Asked {
  readonly id: string;
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
}

async function answerAll(
  tools: readonly AnyReadyTool[],
  calls: readonly Asked[],
  { signal, ...situation }: AnswerOptions,
): Promise<{ readonly id: string; readonly text: string }[]> {
  const answers: { readonly id: string; readonly text: string }[] = [];
  for (const { id, name, arguments: input = "" } of calls) {
    const tool = tools.find((one) => one.name === name);
    if (!tool) continue;
    const { text } = await callToolWithText(tool, input, { door: DOOR, id, signal }, situation);
    answers.push({ id, text });
  }
  return answers;
}
