import { createServer } from "node:http";
import { ANSWERS } from "./script.mjs";

/** Serves `generateContent` on a loopback port, and returns the options with which the SDK uses it. */
export async function startGoogleModel() {
  let turn = 0;
  const server = createServer((request, response) => {
    request.resume();
    const { text, calls = [] } = ANSWERS[turn++] ?? { text: "The script has ended." };
    const parts = [
      ...(text ? [{ text }] : []),
      ...calls.map(({ id, name, input: args }) => ({ functionCall: { id, name, args } })),
    ];
    const candidates = [{ content: { role: "model", parts }, finishReason: "STOP" }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ candidates }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    options: {
      apiKey: "none",
      httpOptions: { baseUrl: `http://127.0.0.1:${server.address().port}` },
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
