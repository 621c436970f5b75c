import type { Situation } from "./call.ts";
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
import { type MessageShape, type Seen, seen } from "./thread.ts";

/** A message of the Chat Completions API, as far as it is looked at. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly ChatToolCall[] | undefined;
  readonly tool_call_id?: string;
}

/** Everything that a loop of one's own needs, for one conversation. */
export interface ChatSession<M> {
  readonly tools: ChatTool[];
  /** Before each model call: the messages to send. */
  before<T extends M>(messages: readonly T[]): Promise<T[]>;
  /** The answers of our tools; what is not in it is a call of the host's own tools. */
  answer(
    calls: readonly ChatToolCall[] | null | undefined,
    signal?: AbortSignal,
  ): Promise<ChatToolMessage[]>;
  /** When the model wants to stop: the messages to go on with, where it is asked to. */
  stop<T extends M>(messages: readonly T[]): Promise<T[] | undefined>;
}

/**
 * Everything that a loop over the Chat Completions API needs, for one conversation.
 *
 * @param tracker what `createTracker` returns
 * @param options which tools, and the situation of the host
 * @returns the tools, and functions to call before and after each request
 */
export function chatSession<M extends ChatMessage = ChatMessage>(
  tracker: SessionTracker,
  options: SessionOptions & Situation = {},
): ChatSession<M> {
  // The SDK's message types are wider than what is looked at: a plain text message is one of them.
  const session = openSession(tracker, CHAT as unknown as MessageShape<M>, options);
  return {
    ...session,
    tools: chatTools(session.tools),
    answer: (calls, signal) =>
      answerToolCalls(session.tools, calls, { ...options, ...(signal && { signal }) }),
  };
}

const CHAT: MessageShape<ChatMessage> = {
  say: (text) => ({ role: "user", content: text }),
  read: ({ role, content, tool_calls: calls = [], tool_call_id: id }) => {
    const text = textOf(content);
    if (role === "user") return seen("user", { text });
    if (role === "tool" && id !== undefined)
      return seen("tool", { results: [{ id, ...outputOf(text), failed: false }] });
    if (role !== "assistant") return seen("other", { text });
    return seen("assistant", {
      text,
      calls: calls.flatMap((call) =>
        call.function
          ? { id: call.id, name: call.function.name, input: parsedInput(call.function.arguments) }
          : [],
      ),
    });
  },
};

/** An item of the Responses API, in or out, as far as it is looked at. */
export interface ResponsesMessage extends ResponsesItem {
  readonly role?: string | undefined;
  readonly content?: unknown;
  readonly output?: unknown;
}

/** One conversation over the Responses API. */
export interface ResponsesSession<M> {
  readonly tools: ResponsesTool[];
  /** Before each model call: the input to send. */
  before<T extends M>(input: readonly T[]): Promise<T[]>;
  /** The answers of our tools; what is not in it is a call of the host's own tools. */
  answer(output: readonly ResponsesItem[], signal?: AbortSignal): Promise<FunctionCallOutput[]>;
  /** When the model wants to stop: the input to go on with, where it is asked to. */
  stop<T extends M>(input: readonly T[]): Promise<T[] | undefined>;
}

/**
 * Everything that a loop over the Responses API needs, for one conversation whose input is sent
 * whole each time.
 *
 * @param tracker what `createTracker` returns
 * @param options which tools, and the situation of the host
 * @returns the tools, and functions to call before and after each request
 */
export function responsesSession<M = unknown>(
  tracker: SessionTracker,
  options: SessionOptions & Situation = {},
): ResponsesSession<M> {
  const session = openSession(tracker, RESPONSES as unknown as MessageShape<M>, options);
  return {
    ...session,
    tools: responsesTools(session.tools),
    answer: (output, signal) =>
      answerFunctionCalls(session.tools, output, { ...options, ...(signal && { signal }) }),
  };
}

const RESPONSES: MessageShape<ResponsesMessage> = {
  say: (text) => ({ type: "message", role: "user", content: text }),
  read: readItem,
};

function readItem({ type, role, content, call_id: id, name, ...item }: ResponsesMessage): Seen {
  if (type === "function_call" && typeof id === "string" && name !== undefined)
    return seen("assistant", { calls: [{ id, name, input: parsedInput(item.arguments) }] });
  if (type === "function_call_output" && typeof id === "string")
    return seen("tool", { results: [{ id, ...outputOf(textOf(item.output)), failed: false }] });
  if (role === "user") return seen("user", { text: textOf(content) });
  // What the model thought belongs to its answer.
  if (role === "assistant" || type === "reasoning")
    return seen("assistant", { text: textOf(content) });
  return seen("other", { text: textOf(content) });
}
