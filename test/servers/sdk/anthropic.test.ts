import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import * as waymark from "../../../src/index.ts";
import {
  answerToolUses,
  anthropicRunnableTools,
  anthropicSession,
  anthropicTools,
} from "../../../src/sdk/anthropic.ts";
import { newList, shown } from "../../tools/call.ts";
import { adapterSuite, type ModelCall, type SdkAdapter } from "./adapter-suite.ts";
import { type SdkConversation, sdkConversation } from "./conversation-suite.ts";
import { fileStore } from "./file-store.ts";
import { type ScriptedApi, scriptedApi } from "./scripted-http.ts";
import { sdkForFile } from "./sdks.ts";

const { default: Client } = await sdkForFile(() => import("@anthropic-ai/sdk"));

const ASK = { model: "scripted", max_tokens: 100 } as const;

function clientOf({ fetch }: ScriptedApi): Anthropic {
  return new Client({ apiKey: "none", baseURL: "http://model.test", maxRetries: 0, fetch });
}

function message(
  content: readonly { readonly type: string; readonly [field: string]: unknown }[],
): unknown {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "scripted",
    content,
    stop_reason: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

const uses = (calls: readonly ModelCall[]) =>
  calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input }));
const done = message([{ type: "text", text: "Done." }]);

interface Told {
  readonly tool_use_id: string;
  readonly content: unknown;
}

/** The results in the last request, in the order of the calls. */
function resultsIn({ requests }: ScriptedApi, calls: readonly ModelCall[]): readonly string[] {
  const messages = requests.at(-1)?.messages as { content: readonly Told[] }[];
  const results = messages.at(-1)?.content ?? [];
  return calls.map(({ id }) => {
    const content = results.find((result) => result.tool_use_id === id)?.content;
    return typeof content === "string" ? content : JSON.stringify(content);
  });
}

function offeredIn({ requests }: ScriptedApi) {
  const tools = requests[0]?.tools as Anthropic.Tool[] | undefined;
  return (tools ?? []).map(({ name, description = "", input_schema: schema }) => ({
    name,
    description,
    schema: { ...schema },
  }));
}

const ownLoop: SdkAdapter = {
  name: "anthropic, own loop",
  async offered(tools) {
    const api = scriptedApi([done]);
    await clientOf(api).messages.create({
      ...ASK,
      tools: anthropicTools(tools),
      messages: [{ role: "user", content: "Go" }],
    });
    return offeredIn(api);
  },
  async answer(tools, calls, { host = {}, signal }) {
    const api = scriptedApi([message(uses(calls)), done]);
    const client = clientOf(api);
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Go" }];
    const ask = { ...ASK, tools: anthropicTools(tools) };
    const { content } = await client.messages.create({ ...ask, messages });
    const results = await answerToolUses(tools, content, {
      ...host,
      ...(signal && { signal }),
    });
    messages.push({ role: "assistant", content }, { role: "user", content: results });
    await client.messages.create({ ...ask, messages });
    return resultsIn(api, calls);
  },
};

const toolRunner: SdkAdapter = {
  name: "anthropic, tool runner",
  async offered(tools) {
    const api = scriptedApi([done]);
    await clientOf(api).beta.messages.toolRunner({
      ...ASK,
      tools: anthropicRunnableTools(tools),
      messages: [{ role: "user", content: "Go" }],
    });
    return offeredIn(api);
  },
  async answer(tools, calls, { host = {}, signal }) {
    const api = scriptedApi([message(uses(calls)), done]);
    await clientOf(api).beta.messages.toolRunner(
      {
        ...ASK,
        tools: anthropicRunnableTools(tools, host),
        messages: [{ role: "user", content: "Go" }],
      },
      signal && { signal },
    );
    return resultsIn(api, calls);
  },
};

for (const newStore of [undefined, fileStore]) {
  adapterSuite(waymark, ownLoop, newStore);
  adapterSuite(waymark, toolRunner, newStore);
}

const conversation: SdkConversation = {
  name: "anthropic, own loop",
  async run(tracker, answers, { trimAt = Number.POSITIVE_INFINITY }) {
    const api = scriptedApi(
      answers.map(({ text, calls = [] }) =>
        message([...(text === undefined ? [] : [{ type: "text", text }]), ...uses(calls)]),
      ),
    );
    const client = clientOf(api);
    const way = anthropicSession<Anthropic.MessageParam>(tracker);
    let messages: Anthropic.MessageParam[] = [{ role: "user", content: "Fix it" }];
    for (let request = 1; ; request++) {
      if (request >= trimAt) messages = [...messages.slice(0, 1), ...messages.slice(-2)];
      const { content } = await client.messages.create({
        ...ASK,
        tools: way.tools,
        messages: await way.before(messages),
      });
      messages.push({ role: "assistant", content });
      const results = await way.answer(content);
      for (const block of content)
        if (block.type === "tool_use" && block.name === "look")
          results.push({ type: "tool_result", tool_use_id: block.id, content: "nothing new" });
      if (results.length === 0) break;
      messages.push({ role: "user", content: results });
    }
    return api.requests.map((request) => JSON.stringify(request.messages));
  },
};

sdkConversation(waymark, conversation);

describe("anthropic", () => {
  test("marks a refusal as an error and leaves other tools to the host", async () => {
    const list = newList();
    const results = await answerToolUses(waymark.todoTools(list), [
      { type: "text" },
      { type: "tool_use", id: "a", name: "shell", input: { command: "ls" } },
      { type: "tool_use", id: "b", name: "todos", input: { nonsense: 1 } },
      { type: "tool_use", id: "c", name: "todos", input: { add: ["One"] } },
    ]);
    expect(results).toEqual([
      {
        type: "tool_result",
        tool_use_id: "b",
        content:
          'Unknown field "nonsense". Valid fields: todos, start, finish, evidence, drop, block, reason, add, note. Nothing was changed.',
        is_error: true,
      },
      {
        type: "tool_result",
        tool_use_id: "c",
        content: '1 [ ] "One"\n0 of 1 done.',
      },
    ]);
    expect(shown(list)).toEqual(["1 [ ] One"]);
  });

  test("adds strict and examples on request", () => {
    const tools = waymark.todoTools(newList(), { tools: ["todos", "todo"] });
    expect(
      anthropicTools(tools, { strict: true, examples: true }).map(
        ({ name, strict, input_examples: examples }) => [name, strict, examples],
      ),
    ).toEqual(
      tools.map(({ name, strict, examples }) => [name, strict ? true : undefined, examples]),
    );
  });
});
