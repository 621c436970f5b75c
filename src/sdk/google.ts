import { fingerprint } from "../core/activity/detect.ts";
import type { AnyReadyTool } from "../tools/toolbox.ts";
import { callTool, type HostState } from "./call.ts";
import { textOf } from "./content.ts";
import { openSession, outputOf, type SessionOptions, type SessionTracker } from "./session.ts";
import { type MessageFormat, type ParsedMessage, parsedMessage } from "./thread.ts";

const ADAPTER = "google";

/** A function declaration of the Google Gen AI SDK. */
export interface GoogleTool {
  name: string;
  description: string;
  parametersJsonSchema: { [keyword: string]: unknown };
}

/**
 * Converts tools for the Google Gen AI SDK.
 *
 * @param tools the tools of `todoTools` or `taskTools`
 * @returns declarations for `functionDeclarations` of a tool in a request
 */
export function googleTools(tools: readonly AnyReadyTool[]): GoogleTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: { ...inputSchema },
  }));
}

/** A function call of the model, with the fields that are read. Some APIs give it no id. */
export interface GoogleCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: unknown;
}

/** A part with the result of a function call, for the next content. */
export interface GoogleResult {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
  };
}

/** Options of `answerGoogleCalls`. */
export interface GoogleAnswerOptions extends HostState {
  readonly signal?: AbortSignal;
}

/**
 * Runs the calls of Waymark's tools in an answer of the model, in order. Calls of other tools are left to the host.
 *
 * @param tools the tools to run
 * @param calls `functionCalls` of a response
 * @returns the parts with the results of the calls that were run
 */
export async function answerGoogleCalls(
  tools: readonly AnyReadyTool[],
  calls: readonly GoogleCall[] | undefined,
  { signal, ...host }: GoogleAnswerOptions = {},
): Promise<GoogleResult[]> {
  const results: GoogleResult[] = [];
  for (const { id, name, args } of calls ?? []) {
    const tool = tools.find((one) => one.name === name);
    if (!tool) continue;
    // The SDK leaves out the arguments of a call without any.
    const { ok, text } = await callTool(tool, args ?? {}, { adapter: ADAPTER, id, signal }, host);
    results.push({
      functionResponse: {
        ...(id !== undefined && { id }),
        name: tool.name,
        response: ok ? { output: text } : { error: text },
      },
    });
  }
  return results;
}

/** A part of a content, with the fields that are read. */
export interface GooglePart {
  readonly text?: string;
  readonly functionCall?: GoogleCall;
  readonly functionResponse?: {
    readonly id?: string;
    readonly name?: string;
    readonly response?: Readonly<Record<string, unknown>>;
  };
}

/** A content of a conversation, with the fields that are read. */
export interface GoogleContent {
  readonly role?: string;
  readonly parts?: readonly GooglePart[];
}

/** One conversation over `generateContent`. */
export interface GoogleSession<M> {
  readonly tools: GoogleTool[];
  /** Call it before each model call. Returns the contents to send. */
  before<T extends M>(contents: readonly T[]): Promise<T[]>;
  /** Runs the calls of Waymark's tools and returns their results. Calls of other tools are left to the host. */
  answer(calls: readonly GoogleCall[] | undefined, signal?: AbortSignal): Promise<GoogleResult[]>;
  /** Call it when the model stops. Returns the contents to continue with, or undefined if the turn may end. */
  stop<T extends M>(contents: readonly T[]): Promise<T[] | undefined>;
}

/**
 * Connects one conversation over `generateContent` or `generateContentStream`: list tools, reminders and recovery.
 *
 * @param tracker the tracker, from `createTracker`
 * @param options the tools for the model, and the state of the host
 * @returns the tools, and functions to call before and after each request
 */
export function googleSession<M extends GoogleContent = GoogleContent>(
  tracker: SessionTracker,
  options: SessionOptions & HostState = {},
): GoogleSession<M> {
  // The SDK's content type is wider than the fields read here; it includes plain text contents.
  const before = new WeakMap<GoogleContent, GoogleContent | undefined>();
  const shape: MessageFormat<GoogleContent> = {
    read: (content) => read(content, before.get(content)),
    create: (text) => ({ role: "user", parts: [{ text }] }),
  };
  const session = openSession(tracker, shape as unknown as MessageFormat<M>, options);
  const noteOrder = (contents: readonly GoogleContent[]) => {
    for (const [index, content] of contents.entries()) before.set(content, contents[index - 1]);
  };
  return {
    before: async (contents) => {
      noteOrder(contents);
      return session.before(contents);
    },
    stop: async (contents) => {
      noteOrder(contents);
      return session.stop(contents);
    },
    tools: googleTools(session.tools),
    answer: (calls, signal) =>
      answerGoogleCalls(session.tools, calls, { ...options, ...(signal && { signal }) }),
  };
}

function read(content: GoogleContent, previous: GoogleContent | undefined): ParsedMessage {
  const { role, parts = [] } = content;
  const text = textOf(parts);
  const idOf = idsByName(role === "model" ? content : previous);
  if (role === "model")
    return parsedMessage("assistant", {
      text,
      calls: parts.flatMap(({ functionCall: call }) =>
        call?.name === undefined
          ? []
          : { id: call.id ?? idOf(call.name), name: call.name, input: call.args ?? {} },
      ),
    });
  const results = parts.flatMap(({ functionResponse: result }) => {
    if (result?.name === undefined) return [];
    const { error, output } = result.response ?? {};
    const failed = error !== undefined && error !== null;
    const value = failed ? error : (output ?? result.response ?? "");
    return { id: result.id ?? idOf(result.name), ...outputOf(value), failed };
  });
  return parsedMessage(results.length > 0 ? "tool" : "user", { text, results });
}

/** Pairs calls and results that have no ids: by the content with the calls, by name and by order. */
function idsByName(calls: GoogleContent | undefined): (name: string) => string {
  const answer = fingerprint(calls ?? null);
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${answer}:${name}:${count}`;
  };
}
