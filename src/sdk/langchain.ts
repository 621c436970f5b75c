import type { ModelText } from "../core/text/model-text.ts";
import type { AnyReadyTool } from "../tools/toolbox.ts";
import { callTool, type Situation } from "./call.ts";
import { textOf } from "./content.ts";
import { openSchema } from "./open-schema.ts";
import { openSession, outputOf, type SessionOptions, type SessionTracker } from "./session.ts";
import { type Seen, seen } from "./thread.ts";

const DOOR = "langchain";

/** What the tool's function is given besides its input. */
export interface LangChainCall {
  readonly toolCall?: { readonly id?: string };
  readonly signal?: AbortSignal;
}

/** What `tool` of LangChain takes besides the function. */
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
 * The tools as LangChain takes them. The model reads the text; the whole result is the artifact of
 * the tool's message.
 *
 * @param tools tools of `todoTools` or `taskTools`
 * @param tool `tool` of `@langchain/core/tools`
 * @param situation the situation of the host
 * @returns tools of LangChain
 */
export function langchainTools<T>(
  tools: readonly AnyReadyTool[],
  tool: LangChainTool<T>,
  situation: Situation = {},
): T[] {
  return tools.map((ready) =>
    tool(
      async (input, given) => {
        const call = { door: DOOR, id: given?.toolCall?.id, signal: given?.signal };
        const result = await callTool(ready, input, call, situation);
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

/** A message, as far as it is looked at. */
export interface LangChainMessage {
  readonly type: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { id?: string; name: string; args: unknown }[];
  readonly tool_call_id?: string;
  readonly status?: string;
}

/** What is needed of the package `langchain`: hand over the whole of it. */
export interface LangChain<T, M> {
  readonly tool: LangChainTool<T>;
  readonly HumanMessage: new (text: string) => LangChainMessage;
  createMiddleware(config: LangChainMiddleware<T>): M;
}

/** The middleware, as `createMiddleware` takes it. */
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

/**
 * Everything that an agent of `createAgent` needs, for one conversation: tools, reminders,
 * recovery.
 *
 * @param tracker what `createTracker` returns
 * @param options which tools, and the situation of the host
 * @returns the middleware
 */
export function langchainMiddleware<T, M>(
  tracker: SessionTracker,
  { tool, HumanMessage, createMiddleware }: LangChain<T, M>,
  options: SessionOptions & Situation = {},
): M {
  const say = (text: ModelText) => new HumanMessage(text);
  const session = openSession<LangChainMessage>(tracker, { read, say }, options);
  return createMiddleware({
    name: "waymark",
    tools: langchainTools(session.tools, tool, options),
    wrapModelCall: async (request, handler) =>
      handler({ ...request, messages: await session.before(request.messages) }),
    afterModel: {
      canJumpTo: ["model"],
      hook: async ({ messages }) => {
        if ((messages.at(-1)?.tool_calls ?? []).length > 0) return undefined;
        const more = await session.stop(messages);
        // Without a message of its own the agent ends, wherever it is sent.
        return more && { messages: more.slice(-1), jumpTo: "model" };
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
  const roles: Record<string, Seen["role"]> = { human: "user", ai: "assistant" };
  if (type === "tool" && id !== undefined)
    return seen("tool", { results: [{ id, ...outputOf(text), failed: status === "error" }] });
  return seen(roles[type] ?? "other", {
    text,
    calls: calls.flatMap(({ id: call, name, args: input }) =>
      call === undefined ? [] : { id: call, name, input },
    ),
  });
}
