import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import type { MockLanguageModelV3 } from "ai/test";
import { describe, expect, test } from "vitest";
import * as waymark from "../../../src/index.ts";
import { aiTools, withWaymark } from "../../../src/sdk/ai.ts";
import { newList } from "../../tools/call.ts";
import {
  adapterSuite,
  type ModelCall,
  type OfferedTool,
  type SdkAdapter,
} from "./adapter-suite.ts";
import { type SdkConversation, sdkConversation } from "./conversation-suite.ts";
import { fileStore } from "./file-store.ts";
import { scriptedModel } from "./scripted-ai.ts";

const stopWhen = stepCountIs(5);
const prompt = "Go";

type ModelRequest = MockLanguageModelV3["doGenerateCalls"][number] | undefined;

function offeredIn(request: ModelRequest): readonly OfferedTool[] {
  return (request?.tools ?? []).flatMap((tool) =>
    tool.type === "function"
      ? {
          name: tool.name,
          description: tool.description ?? "",
          schema: tool.inputSchema as Record<string, unknown>,
        }
      : [],
  );
}

function resultsIn(request: ModelRequest, calls: readonly ModelCall[]): readonly string[] {
  const parts = (request?.prompt ?? []).flatMap((message) =>
    message.role === "tool" ? message.content : [],
  );
  return calls.map(({ id }) => {
    const part = parts.find((one) => one.type === "tool-result" && one.toolCallId === id);
    return part?.type === "tool-result" && "value" in part.output ? String(part.output.value) : "";
  });
}

const generated: SdkAdapter = {
  name: "ai, generateText",
  async offered(ready) {
    const model = scriptedModel([{ text: "Done." }]);
    await generateText({ model, tools: aiTools(ready), prompt });
    return offeredIn(model.doGenerateCalls[0]);
  },
  async answer(ready, calls, { host, signal }) {
    const model = scriptedModel([{ calls }, { text: "Done." }]);
    const tools = aiTools(ready, host);
    await generateText({ model, tools, stopWhen, prompt, ...(signal && { abortSignal: signal }) });
    return resultsIn(model.doGenerateCalls[1], calls);
  },
};

const streamed: SdkAdapter = {
  name: "ai, streamText",
  async offered(ready) {
    const model = scriptedModel([{ text: "Done." }]);
    await streamText({ model, tools: aiTools(ready), prompt }).text;
    return offeredIn(model.doStreamCalls[0]);
  },
  async answer(ready, calls, { host, signal }) {
    const model = scriptedModel([{ calls }, { text: "Done." }]);
    const tools = aiTools(ready, host);
    const result = streamText({
      model,
      tools,
      stopWhen,
      prompt,
      ...(signal && { abortSignal: signal }),
    });
    await result.text;
    return resultsIn(model.doStreamCalls[1], calls);
  },
};

for (const newStore of [undefined, fileStore]) {
  adapterSuite(waymark, generated, newStore);
  adapterSuite(waymark, streamed, newStore);
}

/** Keeps the first message, and the last answer with its results. */
const shortened = <M>(messages: readonly M[]): M[] => [
  ...messages.slice(0, 1),
  ...messages.slice(-2),
];

const look = tool({
  inputSchema: jsonSchema<unknown>({ type: "object" }),
  execute: () => "nothing new",
});

const steps: SdkConversation = {
  name: "ai, generateText",
  async run(tracker, answers, { trimAt = Number.POSITIVE_INFINITY }) {
    const model = scriptedModel(answers);
    const way = withWaymark(tracker);
    await generateText({
      model,
      prompt: "Fix it",
      tools: { look, ...way.tools },
      prepareStep: ({ messages, stepNumber }) =>
        way.prepareStep({ messages: stepNumber + 1 < trimAt ? messages : shortened(messages) }),
      stopWhen: stepCountIs(100),
    });
    return model.doGenerateCalls.map((request) => JSON.stringify(request.prompt));
  },
};

const streamedSteps: SdkConversation = {
  name: "ai, streamText",
  async run(tracker, answers, { trimAt = Number.POSITIVE_INFINITY }) {
    const model = scriptedModel(answers);
    const way = withWaymark(tracker);
    const result = streamText({
      model,
      prompt: "Fix it",
      tools: { look, ...way.tools },
      prepareStep: ({ messages, stepNumber }) =>
        way.prepareStep({ messages: stepNumber + 1 < trimAt ? messages : shortened(messages) }),
      stopWhen: stepCountIs(100),
    });
    await result.text;
    return model.doStreamCalls.map((request) => JSON.stringify(request.prompt));
  },
};

sdkConversation(waymark, steps);
sdkConversation(waymark, streamedSteps);

describe("ai", () => {
  test("passes the whole result to the program and its text to the model; a refusal is an error", async () => {
    const calls: ModelCall[] = [
      { id: "a", name: "todos", input: { add: ["One"] } },
      { id: "b", name: "todos", input: { nonsense: true } },
    ];
    const model = scriptedModel([{ calls }, { text: "Done." }]);
    const tools = aiTools(waymark.todoTools(newList()));
    const { steps } = await generateText({ model, tools, stopWhen, prompt });
    expect(steps[0]?.toolResults.map(({ output }) => output)).toMatchObject([
      { ok: true, data: { changed: [{ id: "1", text: "One", status: "pending" }] } },
      { ok: false, rejected: [{ code: "invalid_input" }] },
    ]);
    const [, , message] = model.doGenerateCalls[1]?.prompt ?? [];
    expect(message).toMatchObject({
      role: "tool",
      content: [{ output: { type: "text" } }, { output: { type: "error-text" } }],
    });
  });
});
