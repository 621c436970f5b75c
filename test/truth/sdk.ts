import type { createTracker } from "../../src/index.ts";
import { withWaymark } from "../../src/sdk/ai.ts";
import { anthropicSession } from "../../src/sdk/anthropic.ts";
import { langchainMiddleware } from "../../src/sdk/langchain.ts";
import { chatSession, responsesSession } from "../../src/sdk/openai.ts";
import { agentsSession } from "../../src/sdk/openai-agents.ts";

type Own = ReturnType<typeof createTracker>;
type Look = (messages: object[]) => unknown;

/** How each integration reads the conversation before a model call. */
const LOOPS: Readonly<Record<string, (tracker: Own) => Look>> = {
  anthropic: (tracker) => {
    const { before } = anthropicSession(tracker);
    return (messages) => before(messages as never);
  },
  "openai-chat": (tracker) => {
    const { before } = chatSession(tracker);
    return (messages) => before(messages as never);
  },
  "openai-responses": (tracker) => {
    const { before } = responsesSession<object>(tracker);
    return (messages) => before(messages);
  },
  "openai-agents": (tracker) => {
    const { callModelInputFilter } = agentsSession<object>(tracker);
    return (input) => callModelInputFilter({ modelData: { input } });
  },
  langchain: (tracker) => {
    const { wrapModelCall } = langchainMiddleware(tracker, {
      tool: (() => ({})) as never,
      HumanMessage: class {
        readonly type = "human";
        readonly content: string;
        constructor(text: string) {
          this.content = text;
        }
      },
      createMiddleware: (config) => config,
    });
    return (messages) => wrapModelCall({ messages: messages as never }, () => undefined);
  },
  "ai-sdk": (tracker) => {
    const { prepareStep } = withWaymark(tracker);
    return (messages) => prepareStep({ messages: messages as never });
  },
};

/** Adds one message to the conversation and passes it to the integration. */
export function sdkLoop(name: string, tracker: Own): (message: object) => Promise<void> {
  const look = LOOPS[name]?.(tracker);
  if (!look) throw new Error(`no integration ${name}`);
  const messages: object[] = [];
  return async (message) => {
    messages.push(message);
    await look([...messages]);
  };
}
