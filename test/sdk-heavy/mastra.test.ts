import { Agent } from "@mastra/core/agent";
import { jsonSchema, tool } from "ai";
import type { MockLanguageModelV3 } from "ai/test";
import { expect, test } from "vitest";
import * as waymark from "waymark";
import { mastraSession, mastraTools } from "waymark/sdk/mastra";
import { adapterSuite, type SdkAdapter } from "../servers/sdk/adapter-suite.ts";
import {
  type ModelAnswer,
  type SdkConversation,
  sdkConversation,
  type Tracker,
} from "../servers/sdk/conversation-suite.ts";
import { scriptedModel } from "../servers/sdk/scripted-ai.ts";

type Config = ConstructorParameters<typeof Agent>[0];

const agentOf = (model: MockLanguageModelV3, config: Partial<Config>) =>
  new Agent({ id: "tern", name: "tern", instructions: "Fix it.", model, ...config } as Config);

const offeredIn = ({ tools = [] }: MockLanguageModelV3["doGenerateCalls"][number]) =>
  tools.flatMap((one) =>
    one.type === "function"
      ? {
          name: one.name,
          description: one.description ?? "",
          schema: one.inputSchema as Record<string, unknown>,
        }
      : [],
  );

const adapter = (provider: string, modelId: string): SdkAdapter => ({
  name: `mastra, ${modelId}`,
  async offered(ready) {
    const model = Object.assign(scriptedModel([{ text: "Done." }]), { provider, modelId });
    await agentOf(model, { tools: mastraTools(ready) }).generate("Go");
    return model.doGenerateCalls.flatMap(offeredIn);
  },
  async answer(ready, calls, { host, signal }) {
    const answers = [{ calls }, { text: "Done." }];
    const model = Object.assign(scriptedModel(answers), { provider, modelId });
    const agent = agentOf(model, { tools: mastraTools(ready, host) });
    const result = await agent.generate("Go", { ...(signal && { abortSignal: signal }) });
    const parts = (model.doGenerateCalls[1]?.prompt ?? []).flatMap((message) =>
      message.role === "tool" ? message.content : [],
    );
    return calls.map(({ id }) => {
      const part = parts.find((one) => one.type === "tool-result" && one.toolCallId === id);
      if (part?.type !== "tool-result" || !("value" in part.output))
        throw new Error(`No result of ${id}: ${result.finishReason}`);
      return String(part.output.value);
    });
  },
});

const look = tool({
  inputSchema: jsonSchema<unknown>({ type: "object" }),
  execute: () => "nothing new",
});

/** Runs an agent whose messages another processor may shorten. */
async function run(
  tracker: Tracker,
  model: MockLanguageModelV3,
  {
    trimAt = Number.POSITIVE_INFINITY,
    isStreamed = false,
    asks = false,
    maxSteps = 100,
  }: { trimAt?: number; isStreamed?: boolean; asks?: boolean; maxSteps?: number },
) {
  const { tools, processor, onIterationComplete } = mastraSession(tracker);
  const agent = agentOf(model, {
    tools: { look, ...tools },
    inputProcessors: [
      {
        id: "trim",
        processLLMRequest: ({ prompt, stepNumber }) =>
          stepNumber + 1 < trimAt
            ? undefined
            : { prompt: [...prompt.slice(0, 2), ...prompt.slice(-2)] },
      },
      processor,
    ],
  });
  const options = { maxSteps, ...(asks && { onIterationComplete }) };
  if (isStreamed) await (await agent.stream("Fix it", options)).consumeStream();
  else await agent.generate("Fix it", options);
  return [...model.doGenerateCalls, ...model.doStreamCalls].map(({ prompt }) => prompt);
}

const conversation = (isStreamed: boolean): SdkConversation => ({
  name: `mastra, ${isStreamed ? "stream" : "generate"}`,
  async run(tracker, answers, options) {
    const requests = await run(tracker, scriptedModel(answers), { isStreamed, ...options });
    return requests.map((prompt) => JSON.stringify(prompt));
  },
});

// Mastra rewrites the schemas of strict tools for OpenAI.
const openai = adapter("openai.responses", "gpt-5");
adapterSuite(waymark, adapter("scripted", "scripted"));
adapterSuite(waymark, openai);
sdkConversation(waymark, conversation(false));
sdkConversation(waymark, conversation(true));

const STOPS: readonly ModelAnswer[] = [
  { calls: [{ id: "w1", name: "todos", input: { todos: [{ text: "Write the fix" }] } }] },
  { calls: [{ id: "l1", name: "look", input: { at: 1 } }] },
  { text: "I stop." },
  { text: "I really stop." },
];

/** Adds reasoning to the answers, and splits their texts. */
function reasoningModel(answers: readonly ModelAnswer[], split: RegExp | string) {
  const model = scriptedModel(answers);
  const generate = model.doGenerate;
  model.doGenerate = async (options) => {
    const { content, ...rest } = await generate(options);
    const parts = content.flatMap((part) =>
      part.type === "text"
        ? part.text.split(split).map((text) => ({ type: "text" as const, text }))
        : [part],
    );
    return { ...rest, content: [{ type: "reasoning", text: "Well." }, ...parts] };
  };
  return model;
}

test.each([
  ["generated", scriptedModel(STOPS), false],
  ["streamed", scriptedModel(STOPS), true],
  ["with reasoning", reasoningModel(STOPS, /(?<= )/), false],
  ["with blank parts", reasoningModel(STOPS, ""), false],
])(
  "mastra, %s: asks a model that stops with open todos, and then lets it end",
  async (_, model, isStreamed) => {
    const tracker = waymark.createTracker();
    const requests = await run(tracker, model, { isStreamed, asks: true });
    expect(requests).toHaveLength(4);
    const [answer, question] = requests[3]?.slice(-2) ?? [];
    expect([answer?.role, question?.role]).toEqual(["assistant", "user"]);
    expect(JSON.stringify(question)).toContain("Write the fix");
    expect(tracker.own.read().activity?.counts).toMatchObject({ turns: 1, tools: 1 });
  },
);

test("mastra: keeps the question after an answer with reasoning", async () => {
  const answers = [...STOPS.slice(0, 3), ...STOPS.slice(1, 2), { text: "I really stop." }];
  const model = reasoningModel(answers, /(?<= )/);
  const requests = await run(waymark.createTracker(), model, { asks: true });
  const asked = requests.map((prompt) => JSON.stringify(prompt).includes("You are about to stop"));
  expect(asked.slice(0, 5)).toEqual([false, false, false, true, true]);
});

test.each([2, 3])("mastra: does not ask after the last step, of %i", async (maxSteps) => {
  const tracker = waymark.createTracker();
  const reminders: string[] = [];
  tracker.own.subscribe(({ changes }) => {
    for (const change of changes) if (change.type === "reminded") reminders.push(change.kind);
  });
  const requests = await run(tracker, scriptedModel(STOPS), { asks: true, maxSteps });
  expect([requests.length, reminders]).toEqual([maxSteps, ["introduction"]]);
});

test("mastra: offers OpenAI the schema as it is published", async () => {
  const tools = waymark.createTracker().tools();
  expect((await openai.offered(tools)).map(({ schema }) => schema)).toEqual(
    tools.map(({ inputSchema }) => inputSchema),
  );
});
