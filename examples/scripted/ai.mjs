import { jsonSchema, tool } from "ai";
import { ANSWERS, lookAt } from "./script.mjs";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

let turn = 0;

/** A minimal model for the AI SDK. */
export const model = {
  specificationVersion: "v3",
  provider: "scripted",
  modelId: "scripted",
  supportedUrls: {},
  doGenerate: async () => {
    const { text, calls = [] } = ANSWERS[turn++] ?? { text: "The script has ended." };
    return {
      content: [
        ...(text ? [{ type: "text", text }] : []),
        ...calls.map(({ id, name, input }) => ({
          type: "tool-call",
          toolCallId: id,
          toolName: name,
          input: JSON.stringify(input),
        })),
      ],
      finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
      usage,
      warnings: [],
    };
  },
  doStream: async () => {
    throw new Error("The script is not streamed.");
  },
};

export const look = tool({
  description: "Reads a file.",
  inputSchema: jsonSchema({ type: "object", properties: { file: { type: "string" } } }),
  execute: lookAt,
});
