import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import type { OfferedTool } from "../servers/sdk/adapter-suite.ts";
import type { ModelAnswer } from "../servers/sdk/conversation-suite.ts";

/** A scripted chat model that keeps its requests. */
export class ScriptedChat extends BaseChatModel {
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

/** The tool of the host. */
export const look = tool(() => "nothing new", {
  name: "look",
  description: "Looks.",
  schema: { type: "object", properties: { at: { type: "number" } } },
});
