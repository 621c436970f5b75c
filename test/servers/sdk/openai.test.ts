import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import * as waymark from "../../../src/index.ts";
import {
  answerFunctionCalls,
  answerToolCalls,
  chatSession,
  chatTools,
  responsesSession,
  responsesTools,
} from "../../../src/sdk/openai.ts";
import { newList, shown } from "../../tools/call.ts";
import { adapterSuite, type ModelCall, type SdkAdapter } from "./adapter-suite.ts";
import { type SdkConversation, sdkConversation } from "./conversation-suite.ts";
import { type ScriptedApi, scriptedApi } from "./scripted-http.ts";
import { sdkForFile } from "./sdks.ts";

const { default: Client } = await sdkForFile(() => import("openai"));

const model = "scripted";

function clientOf({ fetch }: ScriptedApi): OpenAI {
  return new Client({ apiKey: "none", baseURL: "http://model.test/v1", maxRetries: 0, fetch });
}

const written = (input: unknown) => (typeof input === "string" ? input : JSON.stringify(input));

function completion(calls: readonly ModelCall[], text = "Done."): unknown {
  const called = calls.map(({ id, name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: written(input) },
  }));
  const printed =
    calls.length > 0 ? { content: text, tool_calls: called } : { content: text, refusal: null };
  return {
    id: "chatcmpl_1",
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...printed } }],
  };
}

const chat: SdkAdapter = {
  name: "openai, chat completions",
  async offered(tools) {
    const api = scriptedApi([completion([])]);
    await clientOf(api).chat.completions.create({
      model,
      tools: chatTools(tools),
      messages: [{ role: "user", content: "Go" }],
    });
    const sent = (api.requests[0]?.tools ?? []) as ReturnType<typeof chatTools>;
    return sent.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      schema: parameters,
    }));
  },
  async answer(tools, calls, { host = {}, signal }) {
    const api = scriptedApi([completion(calls), completion([])]);
    const client = clientOf(api);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Go" }];
    const ask = { model, tools: chatTools(tools) };
    const { choices } = await client.chat.completions.create({ ...ask, messages });
    const message = choices[0]?.message;
    if (!message) throw new Error("The script has no answer.");
    const options = { ...host, ...(signal && { signal }) };
    messages.push(message, ...(await answerToolCalls(tools, message.tool_calls, options)));
    await client.chat.completions.create({ ...ask, messages });
    const sent = api.requests[1]?.messages as { tool_call_id?: string; content: string }[];
    return calls.map(({ id }) => sent.find((one) => one.tool_call_id === id)?.content ?? "");
  },
};

function response(calls: readonly ModelCall[], text = "Done."): unknown {
  const called = calls.map(({ id, name, input }, index) => ({
    type: "function_call",
    id: `fc_${index}`,
    call_id: id,
    name,
    arguments: written(input),
    status: "completed",
  }));
  const printed = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model,
    status: "completed",
    output: [printed, ...called],
  };
}

const responses: SdkAdapter = {
  name: "openai, responses",
  async offered(tools) {
    const api = scriptedApi([response([])]);
    await clientOf(api).responses.create({ model, tools: responsesTools(tools), input: "Go" });
    const sent = (api.requests[0]?.tools ?? []) as ReturnType<typeof responsesTools>;
    return sent.map(({ name, description, parameters }) => ({
      name,
      description,
      schema: parameters,
    }));
  },
  async answer(tools, calls, { host = {}, signal }) {
    const api = scriptedApi([response(calls), response([])]);
    const client = clientOf(api);
    const input: unknown[] = [{ role: "user", content: "Go" }];
    const ask = () => ({
      model,
      tools: responsesTools(tools),
      // Outputs are sent back as inputs. Their types differ only in fields that function calls lack.
      input: input as OpenAI.Responses.ResponseInput,
    });
    const { output } = await client.responses.create(ask());
    const options = { ...host, ...(signal && { signal }) };
    input.push(...output, ...(await answerFunctionCalls(tools, output, options)));
    await client.responses.create(ask());
    const sent = api.requests[1]?.input as { type: string; call_id?: string; output?: string }[];
    return calls.map(
      ({ id }) =>
        sent.find((one) => one.type === "function_call_output" && one.call_id === id)?.output ?? "",
    );
  },
};

adapterSuite(waymark, chat);
adapterSuite(waymark, responses);

/** Keeps the first message, and the last answer with its results. */
function shortened<M>(messages: readonly M[], kept: number): M[] {
  return [...messages.slice(0, 1), ...messages.slice(-kept)];
}

const chatConversation: SdkConversation = {
  name: "openai, chat completions",
  async run(tracker, answers, { trimAt = Number.POSITIVE_INFINITY }) {
    const api = scriptedApi(answers.map(({ text, calls = [] }) => completion(calls, text)));
    const client = clientOf(api);
    const way = chatSession<OpenAI.ChatCompletionMessageParam>(tracker);
    let messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "system", content: "You fix things." },
      { role: "user", content: "Fix it" },
    ];
    for (let request = 1; ; request++) {
      if (request >= trimAt) messages = shortened(messages, 2);
      const { choices } = await client.chat.completions.create({
        model,
        tools: way.tools,
        messages: await way.before(messages),
      });
      const message = choices[0]?.message;
      if (!message) throw new Error("The script has no answer.");
      const results = await way.answer(message.tool_calls);
      for (const call of message.tool_calls ?? [])
        if (call.type === "function" && call.function.name === "look")
          results.push({ role: "tool", tool_call_id: call.id, content: "nothing new" });
      messages.push(message, ...results);
      if (results.length === 0) break;
    }
    return api.requests.map((request) => JSON.stringify(request.messages));
  },
};

const responsesConversation: SdkConversation = {
  name: "openai, responses",
  async run(tracker, answers, { trimAt = Number.POSITIVE_INFINITY }) {
    const api = scriptedApi(answers.map(({ text, calls = [] }) => response(calls, text)));
    const client = clientOf(api);
    const way = responsesSession<OpenAI.Responses.ResponseInputItem>(tracker);
    let input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "Fix it" }];
    for (let request = 1; ; request++) {
      if (request >= trimAt) input = shortened(input, 3);
      const { output } = await client.responses.create({
        model,
        tools: way.tools,
        input: await way.before(input),
      });
      const results = await way.answer(output);
      for (const item of output)
        if (item.type === "function_call" && item.name === "look")
          results.push({
            type: "function_call_output",
            call_id: item.call_id,
            output: "nothing new",
          });
      input.push(...(output as OpenAI.Responses.ResponseInputItem[]), ...results);
      if (results.length === 0) break;
    }
    return api.requests.map((request) => JSON.stringify(request.input));
  },
};

sdkConversation(waymark, chatConversation);
sdkConversation(waymark, responsesConversation);

describe("openai", () => {
  test("refuses invalid JSON with a message and leaves other tools to the host", async () => {
    const list = newList();
    const tools = waymark.todoTools(list);
    const results = await answerToolCalls(tools, [
      { id: "a", type: "function", function: { name: "shell", arguments: "{}" } },
      { id: "b", type: "function", function: { name: "todos", arguments: '{"add":["O' } },
      { id: "c", type: "custom" },
      { id: "d", type: "function", function: { name: "todos", arguments: '{"add":["One"]}' } },
    ]);
    expect(results).toEqual([
      {
        role: "tool",
        tool_call_id: "b",
        content: expect.stringMatching(/^The input is not valid JSON: .* Nothing was changed\.$/),
      },
      { role: "tool", tool_call_id: "d", content: '1 [ ] "One"\n0 of 1 done.' },
    ]);
    expect(await answerToolCalls(tools, undefined)).toEqual([]);
    expect(shown(list)).toEqual(["1 [ ] One"]);
  });

  test("is strict only if every field of the schema is required", () => {
    const tools = waymark.todoTools(newList(), {
      tools: ["todos", "TodoWrite", "update_plan", "write_todos"],
    });
    const strict = (all: readonly { name: string; strict: boolean }[]) =>
      Object.fromEntries(all.map((tool) => [tool.name, tool.strict]));
    const expected = { todos: false, TodoWrite: true, update_plan: false, write_todos: true };
    expect(strict(responsesTools(tools))).toEqual(expected);
    expect(strict(chatTools(tools).map((tool) => tool.function))).toEqual(expected);
  });
});
