import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { ModelAnswer } from "../servers/sdk/conversation-suite.ts";

export interface MessagesRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly input_schema?: Record<string, unknown>;
  }[];
}

/** Serves a scripted, streaming Messages API on a loopback port. */
export async function scriptedServer(answers: readonly ModelAnswer[]) {
  const requests: MessagesRequest[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      if (!request.url?.startsWith("/v1/messages") || request.url.includes("count_tokens")) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end('{"input_tokens":1}');
        return;
      }
      const body = JSON.parse(Buffer.concat(pieces).toString("utf8")) as MessagesRequest;
      // Requests without tools ask for titles and the like. They are not steps of the agent.
      const isStep = (body.tools ?? []).length > 0;
      const answer = isStep ? answers[requests.length] : { text: "ok" };
      if (isStep) requests.push(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of streamOf(answer ?? { text: "The end." }, requests.length))
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function streamOf({ text, calls = [] }: ModelAnswer, number: number) {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const blocks = [
    ...(text === undefined
      ? []
      : [
          {
            start: { type: "text", text: "" },
            delta: { type: "text_delta", text },
          },
        ]),
    ...calls.map(({ id, name, input }) => ({
      start: { type: "tool_use", id, name, input: {} },
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
    })),
  ];
  const message = {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const stop = { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  return [
    { type: "message_start", message },
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: stop, usage },
    { type: "message_stop" },
  ];
}
