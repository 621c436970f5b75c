import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GoogleGenAI } from "@google/genai";
import type { ModelAnswer } from "../servers/sdk/conversation-suite.ts";

/** A client of the SDK whose model, on a loopback port, answers from a script and keeps its requests. */
export async function scriptedGoogle(answers: readonly ModelAnswer[], { hasIds = true } = {}) {
  const requests: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { text, calls = [] } = answers[requests.length] ?? { text: "The end." };
    requests.push(JSON.parse(body) as Record<string, unknown>);
    const parts = [
      ...(text === undefined ? [] : [{ text }]),
      ...calls.map(({ id, name, input: args }) => ({
        functionCall: { ...(hasIds && { id }), name, args },
      })),
    ];
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    client: new GoogleGenAI({
      apiKey: "none",
      httpOptions: { baseUrl: `http://127.0.0.1:${port}` },
    }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
