import type { ModelMessage } from "ai";
import { textOf } from "./content.ts";
import { outputOf } from "./session.ts";
import {
  type MessageFormat,
  type ParsedCall,
  type ParsedMessage,
  type ParsedResult,
  parsedMessage,
} from "./thread.ts";

/** The messages of the AI SDK, which also are the prompts of its language models. */
export const AI_MESSAGES: MessageFormat<ModelMessage> = {
  create: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  read: (message) => {
    switch (message.role) {
      case "user":
        return parsedMessage("user", { text: textOf(message.content) });
      case "assistant":
        return readAnswer(message);
      case "tool":
        return parsedMessage("tool", { results: message.content.flatMap(resultOf) });
      default:
        return parsedMessage("other", { text: message.content });
    }
  },
};

function readAnswer({ content }: ModelMessage & { role: "assistant" }): ParsedMessage {
  if (typeof content === "string") return parsedMessage("assistant", { text: content });
  const calls: readonly ParsedCall[] = content.flatMap((part) =>
    part.type === "tool-call"
      ? { id: part.toolCallId, name: part.toolName, input: part.input }
      : [],
  );
  return parsedMessage("assistant", {
    // As the SDK joins it: without the reasoning.
    text: content.map((part) => (part.type === "text" ? part.text : "")).join(""),
    calls,
    results: content.flatMap(resultOf),
  });
}

type Part = Exclude<(ModelMessage & { role: "assistant" | "tool" })["content"], string>[number];

function resultOf(part: Part): ParsedResult[] {
  if (part.type !== "tool-result") return [];
  const { output } = part;
  const failed = ["error-text", "error-json", "execution-denied"].includes(output.type);
  return [{ id: part.toolCallId, ...outputOf("value" in output ? output.value : ""), failed }];
}
