import type { ModelText } from "../core/text/model-text.ts";
import type { AnyReadyTool } from "../tools/toolbox.ts";
import { callTool, type HostState } from "./call.ts";
import { textOf } from "./content.ts";
import { openSchema } from "./schema.ts";
import { openSession, outputOf, type SessionOptions, type SessionTracker } from "./session.ts";
import { type ParsedMessage, parsedMessage } from "./thread.ts";

const ADAPTER = "langchain";

/** The second argument of a tool's function. */
export interface LangChainCall {
  readonly toolCall?: { readonly id?: string };
  readonly signal?: AbortSignal;
}

/** The second argument of `tool`. */
export interface LangChainFields {
  name: string;
  description: string;
  schema: object;
  responseFormat: "content_and_artifact";
}

/** `tool` of `@langchain/core/tools`. */
export type LangChainTool<T> = (
  execute: (input: unknown, call?: LangChainCall) => Promise<[text: string, artifact: unknown]>,
  fields: LangChainFields,
) => T;

/**
 * Converts tools for LangChain. The model gets the text of a result; the whole result is the artifact of the tool
 * message.
 *
 * @param tools the tools of `todoTools` or `taskTools`
 * @param tool `tool` of `@langchain/core/tools`
 * @param host the state of the host
 * @returns the LangChain tools
 */
export function langchainTools<T>(
  tools: readonly AnyReadyTool[],
  tool: LangChainTool<T>,
  host: HostState = {},
): T[] {
  return tools.map((ready) =>
    tool(
      async (input, given) => {
        const call = { adapter: ADAPTER, id: given?.toolCall?.id, signal: given?.signal };
        const result = await callTool(ready, input, call, host);
        return [result.text, result];
      },
      {
        name: ready.name,
        description: ready.description,
        schema: openSchema(ready.inputSchema),
        responseFormat: "content_and_artifact",
      },
    ),
  );
}

/** A message, with the fields that are read. */
export interface LangChainMessage {
  readonly type: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { id?: string; name: string; args: unknown }[];
  readonly tool_call_id?: string;
  readonly status?: string;
}

/** The parts of `langchain`, or of `@langchain/core`, that a graph of your own needs. */
export interface LangChainParts<T, H extends LangChainMessage = LangChainMessage> {
  readonly tool: LangChainTool<T>;
  readonly HumanMessage: new (text: string) => H;
}

/** The parts of the package `langchain` that are used. Pass the whole module. */
export interface LangChain<T, M> extends LangChainParts<T> {
  createMiddleware(config: LangChainMiddleware<T>): M;
}

/** The argument of `createMiddleware`. */
export interface LangChainMiddleware<T> {
  name: string;
  tools: T[];
  wrapModelCall<R extends { readonly messages: LangChainMessage[] }, A>(
    request: R,
    handler: (request: R) => A | Promise<A>,
  ): Promise<A>;
  afterModel: {
    canJumpTo: ["model"];
    hook(state: {
      readonly messages: LangChainMessage[];
    }): Promise<{ messages: LangChainMessage[]; jumpTo: "model" } | undefined>;
  };
}

/** One conversation of a graph of your own. */
export interface LangChainSession<T, H> {
  /** The list tools, for the model and for `ToolNode`. */
  readonly tools: T[];
  /** Call it before each model call. Returns the messages to send; the reminders among them need not be kept. */
  before<M extends LangChainMessage>(messages: readonly M[]): Promise<(M | H)[]>;
  /** Call it when the model stops. Returns the question to add and continue with, or undefined if the turn may end. */
  stop(messages: readonly LangChainMessage[]): Promise<H | undefined>;
}

/**
 * Connects one conversation of a LangGraph graph: list tools, reminders and recovery.
 *
 * @param tracker the tracker, from `createTracker`
 * @param parts `tool` and `HumanMessage`
 * @param options the tools for the model, and the state of the host
 * @returns the tools, and functions to call before a model call and when the model stops
 */
export function langchainSession<T, H extends LangChainMessage>(
  tracker: SessionTracker,
  { tool, HumanMessage }: LangChainParts<T, H>,
  options: SessionOptions & HostState = {},
): LangChainSession<T, H> {
  const create = (text: ModelText) => new HumanMessage(text);
  const session = openSession<LangChainMessage>(tracker, { read, create }, options);
  return {
    tools: langchainTools(session.tools, tool, options),
    before: async <M extends LangChainMessage>(messages: readonly M[]) =>
      session.before<M | H>(messages),
    stop: async (messages) => (await session.stop(messages))?.at(-1) as H | undefined,
  };
}

/**
 * Connects one conversation of an agent of `createAgent`: list tools, reminders and recovery.
 *
 * @param tracker the tracker, from `createTracker`
 * @param langchain the module `langchain`
 * @param options the tools for the model, and the state of the host
 * @returns the middleware
 */
export function langchainMiddleware<T, M>(
  tracker: SessionTracker,
  langchain: LangChain<T, M>,
  options: SessionOptions & HostState = {},
): M {
  const session = langchainSession(tracker, langchain, options);
  return langchain.createMiddleware({
    name: "waymark",
    tools: session.tools,
    wrapModelCall: async (request, handler) =>
      handler({ ...request, messages: await session.before(request.messages) }),
    afterModel: {
      canJumpTo: ["model"],
      hook: async ({ messages }) => {
        if ((messages.at(-1)?.tool_calls ?? []).length > 0) return undefined;
        const question = await session.stop(messages);
        // A jump without a new message ends the agent.
        return question && { messages: [question], jumpTo: "model" };
      },
    },
  });
}

function read({
  type,
  content,
  tool_calls: calls = [],
  tool_call_id: id,
  status,
}: LangChainMessage) {
  const text = textOf(content);
  const roles: Record<string, ParsedMessage["role"]> = { human: "user", ai: "assistant" };
  if (type === "tool" && id !== undefined)
    return parsedMessage("tool", {
      results: [{ id, ...outputOf(text), failed: status === "error" }],
    });
  return parsedMessage(roles[type] ?? "other", {
    text,
    calls: calls.flatMap(({ id: call, name, args: input }) =>
      call === undefined ? [] : { id: call, name, input },
    ),
  });
}
