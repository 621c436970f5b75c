import { Usage } from "@openai/agents";
import { ANSWERS } from "./script.mjs";

let turn = 0;

/** A minimal model for the Agents SDK. */
export const model = {
  getResponse: async () => {
    const { text, calls = [] } = ANSWERS[turn++] ?? { text: "The script has ended." };
    const message = {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text }],
    };
    return {
      usage: new Usage(),
      output: [
        ...(text ? [message] : []),
        ...calls.map(({ id, name, input }) => ({
          type: "function_call",
          callId: id,
          name,
          status: "completed",
          arguments: JSON.stringify(input),
        })),
      ],
    };
  },
  getStreamedResponse: () => {
    throw new Error("The script is not streamed.");
  },
};
