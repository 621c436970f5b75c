// A model that answers from a script, on a loopback port: the OpenAI Responses API for Codex and the Gemini API for
// Gemini CLI. A turn is `{ call: input }` (a call of the todos tool) or `{ text }`.
import { createServer } from "node:http";

const LARGEST = 32 * 1024 * 1024;

/** Starts the server; `requests` are the bodies that took a turn of the script, in their order. */
export async function startModel(api, turns) {
  const requests = [];
  const problems = [];
  const server = createServer(async (request, response) => {
    try {
      const body = await readBody(request);
      const reply = api(request, body);
      if (reply.takesTurn) {
        const turn = turns[requests.length] ?? { text: "There is nothing left to do." };
        requests.push(body);
        reply.answer(response, turn, requests.length);
      } else reply.answer(response);
    } catch (error) {
      problems.push(String(error));
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    problems,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readBody(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > LARGEST) throw new Error("The request is too large.");
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString("utf8");
  return text === "" ? {} : JSON.parse(text);
}

function json(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

const notFound = (url) => ({
  takesTurn: false,
  answer: (response) => json(response, { error: { message: `No such route: ${url}` } }, 404),
});

/** Codex asks for streams only, and offers the tools of an MCP server in a namespace or by a long name. */
export function responsesApi(request, body) {
  const path = request.url.split("?")[0];
  if (path === "/v1/models")
    return { takesTurn: false, answer: (response) => json(response, { data: [], models: [] }) };
  if (request.method !== "POST" || path !== "/v1/responses") return notFound(request.url);
  const tool = offeredByCodex(body.tools ?? []);
  return {
    takesTurn: true,
    answer: (response, turn, number) => {
      const id = `resp_${number}`;
      const item = turn.call
        ? {
            type: "function_call",
            id: `fc_${number}`,
            call_id: `call_${number}`,
            ...(tool ?? { name: "todos", namespace: "mcp__waymark" }),
            arguments: JSON.stringify(turn.call),
          }
        : {
            type: "message",
            id: `msg_${number}`,
            role: "assistant",
            content: [{ type: "output_text", text: turn.text, annotations: [] }],
          };
      const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
      const events = [
        { type: "response.created", response: { id, status: "in_progress", output: [] } },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.output_item.done", output_index: 0, item },
        {
          type: "response.completed",
          response: { id, status: "completed", output: [item], usage },
        },
      ];
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events)
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    },
  };
}

function offeredByCodex(tools, namespace) {
  for (const tool of tools) {
    if (tool.type === "namespace") {
      const inside = offeredByCodex(tool.tools ?? [], tool.name);
      if (inside) return inside;
    } else {
      const name = tool.name ?? "";
      const whole = `${namespace ?? ""}_${name}`;
      if (/waymark/.test(whole) && /todos$/.test(whole))
        return { name, ...(namespace !== undefined && { namespace }) };
    }
  }
  return undefined;
}

/** Gemini CLI streams its turns, and asks for small JSON answers beside them. */
export function geminiApi(request, body) {
  const method = /:(\w+)(?:\?|$)/.exec(request.url)?.[1];
  if (method === "countTokens")
    return { takesTurn: false, answer: (response) => json(response, { totalTokens: 10 }) };
  if (method !== "generateContent" && method !== "streamGenerateContent")
    return notFound(request.url);
  const send = (response, part) => {
    const reply = {
      candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [part] } }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    };
    if (method === "generateContent") return json(response, reply);
    response.writeHead(200, { "content-type": "text/event-stream" });
    return response.end(`data: ${JSON.stringify(reply)}\n\n`);
  };
  const offered = (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []);
  if (offered.length === 0) {
    const { responseSchema, responseJsonSchema } = body.generationConfig ?? {};
    const least = JSON.stringify(leastOf(responseSchema ?? responseJsonSchema ?? {}));
    return { takesTurn: false, answer: (response) => send(response, { text: least }) };
  }
  const name = offered.map((tool) => tool.name).find((one) => /waymark.*todos$/.test(one));
  return {
    takesTurn: true,
    answer: (response, turn) =>
      send(
        response,
        turn.call
          ? { functionCall: { name: name ?? "mcp_waymark_todos", args: turn.call } }
          : { text: turn.text },
      ),
  };
}

/** The smallest value that a schema takes. */
function leastOf({ enum: values, type = "", properties = {} }) {
  if (values) return values[0];
  switch (type.toLowerCase()) {
    case "object":
      return Object.fromEntries(
        Object.entries(properties).map(([key, inner]) => [key, leastOf(inner)]),
      );
    case "array":
      return [];
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    default:
      return "none";
  }
}
