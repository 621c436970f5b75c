import { ANSWERS } from "./script.mjs";

let turn = 0;

/** Replaces the network: answers like the Chat Completions API and the Responses API. */
export async function scriptedFetch(url) {
  const answer = ANSWERS[turn++] ?? { text: "The script has ended." };
  return Response.json(
    String(url).endsWith("/responses") ? asResponse(answer) : asCompletion(answer),
  );
}

function asCompletion({ text, calls }) {
  const tool_calls = calls?.map(({ id, name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message = { role: "assistant", content: text ?? null, ...(tool_calls && { tool_calls }) };
  return {
    id: `chatcmpl_${turn}`,
    object: "chat.completion",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, finish_reason: calls ? "tool_calls" : "stop", message }],
  };
}

function asResponse({ text, calls = [] }) {
  return {
    id: `resp_${turn}`,
    object: "response",
    created_at: 1,
    model: "scripted",
    status: "completed",
    output: [
      ...(text
        ? [
            {
              type: "message",
              id: `msg_${turn}`,
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ]
        : []),
      ...calls.map(({ id, name, input }) => ({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: JSON.stringify(input),
        status: "completed",
      })),
    ],
  };
}
