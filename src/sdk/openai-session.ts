import type { HostState } from "./call.ts";
import { parsedInput, textOf } from "./content.ts";
import {
  answerFunctionCalls,
  answerToolCalls,
  type ChatTool,
  type ChatToolCall,
  type ChatToolMessage,
  chatTools,
  type FunctionCallOutput,
  type ResponsesItem,
  type ResponsesTool,
  responsesTools,
} from "./openai-tools.ts";
import { openSession, outputOf, type SessionOptions, type SessionTracker } from "./session.ts";
import { type MessageFormat, type ParsedMessage, parsedMessage } from "./thread.ts";

/** A message of the Chat Completions API, with the fields that are read. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly ChatToolCall[] | undefined;
  readonly tool_call_id?: string;
}

/** One conversation over the Chat Completions API. */
export interface ChatSession<M> {
  readonly tools: ChatTool[];
  /** Call it before each model call. Returns the messages to send. */
  before<T extends M>(messages: readonly T[]): Promise<T[]>;
  /** Runs the calls of Waymark's tools and returns their results. Calls of other tools are left to the host. */
  answer(
    calls: readonly ChatToolCall[] | null | undefined,
    signal?: AbortSignal,
  ): Promise<ChatToolMessage[]>;
  /** Call it when the model stops. Returns the messages to continue with, or undefined if the turn may end. */
  stop<T extends M>(messages: readonly T[]): Promise<T[] | undefined>;
}

/**
 * Connects one conversation over the Chat Completions API: list tools, reminders and recovery.
 *
 * @param tracker the tracker, from `createTracker`
 * @param options the tools for the model, and the state of the host
 * @returns the tools, and functions to call before and after each request
 */
export function chatSession<M extends ChatMessage = ChatMessage>(
  tracker: SessionTracker,
  options: SessionOptions & HostState = {},
): ChatSession<M> {
  // The SDK's message types are wider than the fields read here; each includes plain text messages.
  const session = openSession(tracker, CHAT as unknown as MessageFormat<M>, options);
  return {
    ...session,
    tools: chatTools(session.tools),
    answer: (calls, signal) =>
      answerToolCalls(session.tools, calls, { ...options, ...(signal && { signal }) }),
  };
}

const CHAT: MessageFormat<ChatMessage> = {
  create: (text) => ({ role: "user", content: text }),
  read: ({ role, content, tool_calls: calls = [], tool_call_id: id }) => {
    const text = textOf(content);
    if (role === "user") return parsedMessage("user", { text });
    if (role === "tool" && id !== undefined)
      return parsedMessage("tool", { results: [{ id, ...outputOf(text), failed: false }] });
    if (role !== "assistant") return parsedMessage("other", { text });
    return parsedMessage("assistant", {
      text,
      calls: calls.flatMap((call) =>
        call.function
          ? { id: call.id, name: call.function.name, input: parsedInput(call.function.arguments) }
          : [],
      ),
    });
  },
};

/** An input or output item of the Responses API, with the fields that are read. */
export interface ResponsesMessage extends ResponsesItem {
  readonly role?: string | undefined;
  readonly content?: unknown;
  readonly output?: unknown;
}

/** One conversation over the Responses API. */
export interface ResponsesSession<M> {
  readonly tools: ResponsesTool[];
  /** Call it before each model call. Returns the input to send. */
  before<T extends M>(input: readonly T[]): Promise<T[]>;
  /** Runs the calls of Waymark's tools and returns their results. Calls of other tools are left to the host. */
  answer(output: readonly ResponsesItem[], signal?: AbortSignal): Promise<FunctionCallOutput[]>;
  /** Call it when the model stops. Returns the input to continue with, or undefined if the turn may end. */
  stop<T extends M>(input: readonly T[]): Promise<T[] | undefined>;
}

/**
 * Connects one conversation over the Responses API: list tools, reminders and recovery. The host sends the whole
 * input each time.
 *
 * @param tracker the tracker, from `createTracker`
 * @param options the tools for the model, and the state of the host
 * @returns the tools, and functions to call before and after each request
 */
export function responsesSession<M = unknown>(
  tracker: SessionTracker,
  options: SessionOptions & HostState = {},
): ResponsesSession<M> {
  const session = openSession(tracker, RESPONSES as unknown as MessageFormat<M>, options);
  return {
    ...session,
    tools: responsesTools(session.tools),
    answer: (output, signal) =>
      answerFunctionCalls(session.tools, output, { ...options, ...(signal && { signal }) }),
  };
}

const RESPONSES: MessageFormat<ResponsesMessage> = {
  create: (text) => ({ type: "message", role: "user", content: text }),
  read: readItem,
};

function readItem({
  type,
  role,
  content,
  call_id: id,
  name,
  ...item
}: ResponsesMessage): ParsedMessage {
  if (type === "function_call" && typeof id === "string" && name !== undefined)
    return parsedMessage("assistant", {
      calls: [{ id, name, input: parsedInput(item.arguments) }],
    });
  if (type === "function_call_output" && typeof id === "string")
    return parsedMessage("tool", {
      results: [{ id, ...outputOf(textOf(item.output)), failed: false }],
    });
  if (role === "user") return parsedMessage("user", { text: textOf(content) });
  // Reasoning belongs to the answer.
  if (role === "assistant" || type === "reasoning")
    return parsedMessage("assistant", { text: textOf(content) });
  return parsedMessage("other", { text: textOf(content) });
}
