import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import * as langchain from "langchain";
import * as waymark from "waymark";
import { langchainMiddleware, langchainTools } from "waymark/sdk/langchain";
import { adapterSuite, type OfferedTool, type SdkAdapter } from "../servers/sdk/adapter-suite.ts";
import {
  type ModelAnswer,
  type SdkConversation,
  sdkConversation,
} from "../servers/sdk/conversation-suite.ts";

const { AIMessage, createAgent, createMiddleware, tool } = langchain;

/** A scripted chat model that keeps its requests. */
class ScriptedChat extends BaseChatModel {
  readonly requests: BaseMessage[][] = [];
  offered: readonly OfferedTool[] = [];
  readonly answers: readonly ModelAnswer[];

  constructor(answers: readonly ModelAnswer[]) {
    super({});
    this.answers = answers;
  }

  override _llmType() {
    return "scripted";
  }

  override bindTools(tools: Parameters<NonNullable<BaseChatModel["bindTools"]>>[0]) {
    this.offered = tools.map((one) => {
      const { name, description = "", parameters } = convertToOpenAITool(one as never).function;
      return { name, description, schema: parameters as Record<string, unknown> };
    });
    return this as never;
  }

  override async _generate(messages: BaseMessage[]) {
    const { text = "", calls = [] } = this.answers[this.requests.length] ?? { text: "The end." };
    this.requests.push([...messages]);
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        name,
        args: input as Record<string, unknown>,
      })),
    });
    return { generations: [{ text, message }] };
  }
}

const adapter: SdkAdapter = {
  name: "langchain, createAgent",
  async offered(ready) {
    const model = new ScriptedChat([{ text: "Done." }]);
    const agent = createAgent({ model, tools: langchainTools(ready, tool) });
    await agent.invoke({ messages: [{ role: "user", content: "Go" }] });
    return model.offered;
  },
  async answer(ready, calls, { host, signal }) {
    const model = new ScriptedChat([{ calls }, { text: "Done." }]);
    const agent = createAgent({ model, tools: langchainTools(ready, tool, host) });
    const { messages } = await agent.invoke(
      { messages: [{ role: "user", content: "Go" }] },
      { ...(signal && { signal }) },
    );
    return calls.map(({ id }) => {
      const result = messages.find((one) => "tool_call_id" in one && one.tool_call_id === id);
      return String(result?.content);
    });
  },
};

const look = tool(() => "nothing new", {
  name: "look",
  description: "Looks.",
  schema: { type: "object", properties: { at: { type: "number" } } },
});

const conversation: SdkConversation = {
  name: "langchain, middleware",
  async run(tracker, answers, { trimAt = Number.POSITIVE_INFINITY }) {
    const model = new ScriptedChat(answers);
    const trimming = createMiddleware({
      name: "trimming",
      wrapModelCall: (request, handler) => {
        const { messages } = request;
        if (model.requests.length + 1 < trimAt) return handler(request);
        return handler({ ...request, messages: [...messages.slice(0, 1), ...messages.slice(-2)] });
      },
    });
    const agent = createAgent({
      model,
      tools: [look],
      middleware: [trimming, langchainMiddleware(tracker, langchain)],
    });
    await agent.invoke(
      { messages: [{ role: "user", content: "Fix it" }] },
      { recursionLimit: 500 },
    );
    return model.requests.slice(0, answers.length).map((messages) => JSON.stringify(messages));
  },
};

adapterSuite(waymark, adapter);
sdkConversation(waymark, conversation);
