import { jsonSchema, type ModelMessage, type Tool } from "ai";
import { AI, assertSupported } from "../peers.ts";
import type { AnyReadyTool, ToolAnswer } from "../tools/toolbox.ts";
import { callTool, type Situation } from "./call.ts";
import { textOf } from "./content.ts";
import { openSession, outputOf, type SessionOptions, type SessionTracker } from "./session.ts";
import { type MessageShape, type Seen, type SeenCall, type SeenResult, seen } from "./thread.ts";

assertSupported("waymark/sdk/ai", import.meta.url, [AI]);

const DOOR = "ai";

/** The model reads the text; whoever draws the conversation gets everything. */
export type AiTool = Tool<unknown, ToolAnswer>;

/**
 * The tools as the AI SDK takes them.
 *
 * @param tools tools of `todoTools` or `taskTools`
 * @param situation the situation of the host
 * @returns the tools by name
 */
export function aiTools(
  tools: readonly AnyReadyTool[],
  situation: Situation = {},
): Record<string, AiTool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, aiTool(tool, situation)]));
}

function aiTool(ready: AnyReadyTool, situation: Situation): AiTool {
  return {
    title: ready.title,
    description: ready.description,
    // Not checked here: the tool itself understands more than it publishes and says what is wrong.
    inputSchema: jsonSchema<unknown>(ready.inputSchema),
    inputExamples: ready.examples.map((input) => ({ input })),
    execute: (input, { toolCallId, abortSignal }) =>
      callTool(ready, input, { door: DOOR, id: toolCallId, signal: abortSignal }, situation),
    toModelOutput: ({ output: { ok, text } }) => ({
      type: ok ? ("text" as const) : ("error-text" as const),
      value: text,
    }),
  };
}

/** The first two are to be spread into the settings of `generateText`, `streamText` or an agent. */
export interface AiSession {
  readonly tools: Record<string, AiTool>;
  /** Puts what the model should know between the messages. Give it shortened messages to shorten them. */
  prepareStep(step: {
    readonly messages: readonly ModelMessage[];
  }): Promise<{ messages: ModelMessage[] }>;
  /** When the model wants to stop: the messages to go on with, where it is asked to. */
  stop(messages: readonly ModelMessage[]): Promise<ModelMessage[] | undefined>;
}

/**
 * Everything that an agent of the AI SDK needs, for one conversation.
 *
 * @param tracker what `createTracker` returns
 * @param options which tools, and the situation of the host
 * @returns `tools` and `prepareStep` for the settings of `generateText`, and `stop`
 */
export function withWaymark(
  tracker: SessionTracker,
  options: SessionOptions & Situation = {},
): AiSession {
  const session = openSession(tracker, SHAPE, options);
  return {
    tools: aiTools(session.tools, options),
    prepareStep: async ({ messages }) => ({ messages: await session.before(messages) }),
    stop: session.stop,
  };
}

const SHAPE: MessageShape<ModelMessage> = {
  say: (text) => ({ role: "user", content: text }),
  read: (message) => {
    switch (message.role) {
      case "user":
        return seen("user", { text: textOf(message.content) });
      case "assistant":
        return readAnswer(message);
      case "tool":
        return seen("tool", { results: message.content.flatMap(resultOf) });
      default:
        return seen("other", { text: message.content });
    }
  },
};

function readAnswer({ content }: ModelMessage & { role: "assistant" }): Seen {
  if (typeof content === "string") return seen("assistant", { text: content });
  const calls: readonly SeenCall[] = content.flatMap((part) =>
    part.type === "tool-call"
      ? { id: part.toolCallId, name: part.toolName, input: part.input }
      : [],
  );
  return seen("assistant", { text: textOf(content), calls, results: content.flatMap(resultOf) });
}

type Part = Exclude<(ModelMessage & { role: "assistant" | "tool" })["content"], string>[number];

function resultOf(part: Part): SeenResult[] {
  if (part.type !== "tool-result") return [];
  const { output } = part;
  const failed = ["error-text", "error-json", "execution-denied"].includes(output.type);
  return [{ id: part.toolCallId, ...outputOf("value" in output ? output.value : ""), failed }];
}
