import { ANSWERS } from "./script.mjs";

let turn = 0;

/** Replaces the network: answers like the Messages API. */
export async function scriptedFetch() {
  const { text, calls = [] } = ANSWERS[turn++] ?? { text: "The script has ended." };
  return Response.json({
    id: `msg_${turn}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [
      ...(text ? [{ type: "text", text }] : []),
      ...calls.map((call) => ({ type: "tool_use", ...call })),
    ],
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  });
}
