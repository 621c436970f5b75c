import type { AnyReadyTool, ToolAnswer } from "../tools/toolbox.ts";
import { AI_MESSAGES } from "./ai-messages.ts";
import { callTool, type HostState } from "./call.ts";
import { openSession, type SessionOptions, type SessionTracker } from "./session.ts";
import type { MessageFormat } from "./thread.ts";

const ADAPTER = "mastra";

/** A tool of Mastra. The model gets the text of an answer; your program gets the whole answer. */
export interface MastraTool {
  id: string;
  title: string;
  description: string;
  inputSchema: MastraSchema;
  /** Keeps Mastra from rewriting the schema for some providers. */
  strict: false;
  execute(
    input: unknown,
    call: { readonly toolCallId?: string; readonly abortSignal?: AbortSignal | undefined },
  ): Promise<ToolAnswer>;
  toModelOutput(answer: ToolAnswer): { type: "text" | "error-text"; value: string };
}

/** A Standard Schema with a JSON Schema. */
export interface MastraSchema {
  "~standard": {
    version: 1;
    vendor: "waymark";
    validate(value: unknown): { value: unknown };
    jsonSchema: { input(): Record<string, unknown>; output(): Record<string, unknown> };
  };
}

/**
 * Converts tools for Mastra.
 *
 * @param tools the tools of `todoTools` or `taskTools`
 * @param host the state of the host
 * @returns the tools by name, for `tools` or a toolset of an agent
 */
export function mastraTools(
  tools: readonly AnyReadyTool[],
  host: HostState = {},
): Record<string, MastraTool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, mastraTool(tool, host)]));
}

function mastraTool(ready: AnyReadyTool, host: HostState): MastraTool {
  const published = () => ({ ...ready.inputSchema });
  return {
    id: ready.name,
    title: ready.title,
    description: ready.description,
    inputSchema: {
      "~standard": {
        version: 1,
        vendor: "waymark",
        // The tool accepts more than it publishes and explains errors itself.
        validate: (value) => ({ value }),
        jsonSchema: { input: published, output: published },
      },
    },
    strict: false,
    execute: (input, { toolCallId, abortSignal }) =>
      callTool(ready, input, { adapter: ADAPTER, id: toolCallId, signal: abortSignal }, host),
    toModelOutput: ({ ok, text }) => ({ type: ok ? "text" : "error-text", value: text }),
  };
}

/** A message of the prompt for the model. */
export interface MastraMessage {
  readonly role: string;
  readonly content: unknown;
}

/** The report of Mastra after each step of an agent, with the fields that are read. */
export interface MastraIteration {
  readonly iteration: number;
  readonly maxIterations?: number | undefined;
  readonly text: string;
  readonly isFinal: boolean;
  readonly finishReason: string;
}

/** One conversation of a Mastra agent. */
export interface MastraSession {
  /** For `tools` of the agent. */
  readonly tools: Record<string, MastraTool>;
  /** Inserts reminders into the prompt. Put it last in `inputProcessors`, so that it sees the messages that are sent. */
  readonly processor: {
    readonly id: "waymark";
    processLLMRequest<M extends MastraMessage>(request: {
      readonly prompt: M[];
    }): Promise<{ prompt: M[] }>;
  };
  /** For the options of `generate` and `stream`: asks the model to continue if it stops with open todos. */
  onIterationComplete(step: MastraIteration): Promise<{ continue: true } | undefined>;
}

/**
 * Connects one conversation of a Mastra agent: list tools, reminders, recovery and the question at the end.
 *
 * @param tracker the tracker, from `createTracker`
 * @param options the tools for the model, and the state of the host
 * @returns `tools` and `processor` for an agent, and `onIterationComplete` for its runs
 */
export function mastraSession(
  tracker: SessionTracker,
  options: SessionOptions & HostState = {},
): MastraSession {
  // Mastra's prompts are those of the AI SDK's language models.
  const session = openSession(tracker, AI_MESSAGES as MessageFormat<MastraMessage>, options);
  let sent: readonly MastraMessage[] = [];
  let question: MastraMessage | undefined;
  return {
    tools: mastraTools(session.tools, options),
    processor: {
      id: "waymark",
      processLLMRequest: async <M extends MastraMessage>({ prompt: given }: { prompt: M[] }) => {
        sent = given;
        const prompt = await session.before(given);
        // Mastra leaves blank parts out of answers, so the answer before the question may not be found.
        if (question && !prompt.some((message) => message === question)) prompt.push(question as M);
        question = undefined;
        return { prompt };
      },
    },
    onIterationComplete: async ({ iteration, maxIterations, text, isFinal, finishReason }) => {
      const stopped = isFinal && finishReason === "stop";
      if (!stopped || iteration >= (maxIterations ?? Number.POSITIVE_INFINITY)) return undefined;
      const answer = { role: "assistant", content: [{ type: "text", text }] };
      const more = await session.stop<MastraMessage>(text === "" ? sent : [...sent, answer]);
      question = more?.at(-1);
      return question && { continue: true };
    },
  };
}
