import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { ANSWERS } from "./script.mjs";

let turn = 0;

class ScriptedChat extends BaseChatModel {
  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate() {
    const { text = "", calls = [] } = ANSWERS[turn++] ?? { text: "The script has ended." };
    const tool_calls = calls.map(({ id, name, input }) => ({ id, name, args: input }));
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls }) }] };
  }
}

export const model = new ScriptedChat({});
