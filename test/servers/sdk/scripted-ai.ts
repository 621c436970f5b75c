import { convertArrayToReadableStream, MockLanguageModelV3 } from "ai/test";
import type { ModelCall } from "./adapter-suite.ts";

type Answers = { readonly text?: string; readonly calls?: readonly ModelCall[] };

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A scripted model for the AI SDK, with and without streaming. */
export function scriptedModel(answers: readonly Answers[]): MockLanguageModelV3 {
  let turn = 0;
  const next = () => {
    const { text, calls = [] } = answers[turn++] ?? { text: "The script has ended." };
    const finishReason = {
      unified: calls.length > 0 ? ("tool-calls" as const) : ("stop" as const),
      raw: undefined,
    };
    const called = calls.map(({ id, name, input }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input: JSON.stringify(input),
    }));
    return { text, called, finishReason };
  };
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const { text, called, finishReason } = next();
      const content = [...(text === undefined ? [] : [{ type: "text" as const, text }]), ...called];
      return { content, finishReason, usage, warnings: [] };
    },
    doStream: async () => {
      const { text, called, finishReason } = next();
      const printed =
        text === undefined ? [] : [{ type: "text-delta" as const, id: "t", delta: text }];
      return {
        stream: convertArrayToReadableStream([
          { type: "stream-start" as const, warnings: [] },
          ...(printed.length > 0 ? [{ type: "text-start" as const, id: "t" }] : []),
          ...printed,
          ...(printed.length > 0 ? [{ type: "text-end" as const, id: "t" }] : []),
          ...called,
          { type: "finish" as const, finishReason, usage },
        ]),
      };
    },
  });
}
