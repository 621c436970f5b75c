// A model that answers from a script, on a loopback port: the OpenAI Responses API for Codex, the Gemini API for Gemini
// CLI, the Anthropic API for Claude Code and Chat Completions for opencode and Qwen Code. A turn is `{ call: input }` (a
// call of the todos tool), `{ tool: name, input }` (a call of a tool of the agent), `{ text }` or `{ hang: true }` (no answer); `wait` delays it by
// milliseconds.
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const LARGEST = 32 * 1024 * 1024;

/**
 * Starts the server; `requests` are the bodies that took a turn of the script, in their order, and `hung` resolves at the
 * first turn that hangs.
 */
export async function startModel(api, turns) {
  const requests = [];
  const problems = [];
  let hang;
  const hung = new Promise((resolve) => {
    hang = resolve;
  });
  const server = createServer(async (request, response) => {
    try {
      const body = await readBody(request);
      const reply = api(request, body);
      if (reply.takesTurn) {
        const turn = turns[requests.length] ?? { text: "There is nothing left to do." };
        requests.push(body);
        if (turn.wait) await delay(turn.wait);
        if (turn.hang) hang();
        else reply.answer(response, turn, requests.length);
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
    hung,
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

function isCall(turn) {
  return turn.call !== undefined || turn.tool !== undefined;
}

/** The name that an agent gives the todos tool of the MCP server. */
function todosAmong(names) {
  return names.find((name) => /waymark.*todos$/.test(name));
}

function inputOf(turn) {
  return turn.call ?? turn.input;
}

/** Writes server-sent events, each with its type as its name. */
function sendEvents(response, events) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events)
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** Codex asks for streams only, and offers the tools of an MCP server in a namespace or by a long name. */
export function responsesApi(request, body) {
  const path = request.url.split("?")[0];
  if (path === "/v1/models")
    return { takesTurn: false, answer: (response) => json(response, { data: [], models: [] }) };
  if (request.method !== "POST" || path !== "/v1/responses") return notFound(request.url);
  const tool = offeredByCodex(body.tools ?? []);
  // The interactive program asks for a title of the session beside the work.
  const isTitle = /title of at most/.test(JSON.stringify(body.input ?? ""));
  return {
    takesTurn: !isTitle,
    answer: (response, turn = { text: '{"title":"Work"}' }, number = 0) => {
      const id = `resp_${number}`;
      const item = isCall(turn)
        ? {
            type: "function_call",
            id: `fc_${number}`,
            call_id: `call_${number}`,
            ...(turn.tool
              ? { name: turn.tool }
              : (tool ?? { name: "todos", namespace: "mcp__waymark" })),
            arguments: JSON.stringify(inputOf(turn)),
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
      sendEvents(response, events);
    },
  };
}

/** Claude Code; its requests without tools ask for titles and the like. */
export function messagesApi(request, body) {
  const path = request.url.split("?")[0];
  if (path === "/v1/messages/count_tokens")
    return { takesTurn: false, answer: (response) => json(response, { input_tokens: 10 }) };
  if (request.method !== "POST" || path !== "/v1/messages") return notFound(request.url);
  return {
    takesTurn: (body.tools ?? []).length > 0,
    answer: (response, turn = { text: "Work" }, number = 0) => {
      const block = isCall(turn)
        ? {
            type: "tool_use",
            id: `toolu_${number}`,
            name: turn.tool ?? todosAmong(body.tools.map(({ name }) => name)),
            input: inputOf(turn),
          }
        : { type: "text", text: turn.text };
      const message = {
        id: `msg_${number}`,
        type: "message",
        role: "assistant",
        model: body.model,
        content: [block],
        stop_reason: isCall(turn) ? "tool_use" : "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 5 },
      };
      if (!body.stream) return json(response, message);
      const { stop_reason, stop_sequence, usage, ...start } = message;
      const [empty, delta] = isCall(turn)
        ? [
            { ...block, input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
          ]
        : [
            { type: "text", text: "" },
            { type: "text_delta", text: block.text },
          ];
      return sendEvents(response, [
        { type: "message_start", message: { ...start, content: [], stop_reason: null, usage } },
        { type: "content_block_start", index: 0, content_block: empty },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
        { type: "message_stop" },
      ]);
    },
  };
}

/** opencode, Qwen Code and all agents with a provider of the same kind. */
export function chatApi(request, body) {
  if (request.method === "GET" && /\/models\/?$/.test(request.url))
    return {
      takesTurn: false,
      answer: (response) => json(response, { object: "list", data: [{ id: "scripted" }] }),
    };
  if (request.method !== "POST" || !/\/chat\/completions/.test(request.url))
    return notFound(request.url);
  return {
    takesTurn: (body.tools ?? []).length > 0,
    answer: (response, turn = { text: "Work" }, number = 0) => {
      const call = {
        index: 0,
        id: `call_${number}`,
        type: "function",
        function: {
          // Qwen Code may offer the tool only after its first use.
          name:
            turn.tool ??
            todosAmong((body.tools ?? []).map(({ function: { name } }) => name)) ??
            "mcp__waymark__todos",
          arguments: JSON.stringify(inputOf(turn)),
        },
      };
      const printed = isCall(turn) ? { content: null, tool_calls: [call] } : { content: turn.text };
      const finish_reason = isCall(turn) ? "tool_calls" : "stop";
      const base = { id: `chat_${number}`, created: 1, model: body.model };
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
      if (!body.stream) {
        const message = { role: "assistant", ...printed };
        const choices = [{ index: 0, message, finish_reason }];
        return json(response, { ...base, object: "chat.completion", choices, usage });
      }
      const piece = (delta, end = null, more = {}) => {
        const choices = [{ index: 0, delta, finish_reason: end }];
        const chunk = { ...base, object: "chat.completion.chunk", choices, ...more };
        return `data: ${JSON.stringify(chunk)}\n\n`;
      };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(piece({ role: "assistant", ...printed }));
      response.write(piece({}, finish_reason, { usage }));
      return response.end("data: [DONE]\n\n");
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
  const name = todosAmong(offered.map((tool) => tool.name));
  return {
    takesTurn: true,
    answer: (response, turn) =>
      send(
        response,
        isCall(turn)
          ? {
              functionCall: {
                name: turn.tool ?? name ?? "mcp_waymark_todos",
                args: inputOf(turn),
              },
            }
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
