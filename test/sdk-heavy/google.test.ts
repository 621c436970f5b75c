import type { Content } from "@google/genai";
import { expect, test } from "vitest";
import * as waymark from "waymark";
import { answerGoogleCalls, googleSession, googleTools } from "waymark/sdk/google";
import { adapterSuite, type ModelCall, type SdkAdapter } from "../servers/sdk/adapter-suite.ts";
import { type SdkConversation, sdkConversation } from "../servers/sdk/conversation-suite.ts";
import { scriptedGoogle } from "./google-server.ts";

const model = "scripted";
const user = (text: string): Content => ({ role: "user", parts: [{ text }] });

interface Declared {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: Record<string, unknown>;
}

const adapter: SdkAdapter = {
  name: "google, own loop",
  async offered(tools) {
    const { client, requests, close } = await scriptedGoogle([]);
    const config = { tools: [{ functionDeclarations: googleTools(tools) }] };
    await client.models.generateContent({ model, config, contents: [user("Go")] });
    close();
    const declared = requests[0]?.tools as { functionDeclarations: Declared[] }[] | undefined;
    return (declared?.[0]?.functionDeclarations ?? []).map(
      ({ name, description, parametersJsonSchema: schema }) => ({
        name,
        description,
        schema,
      }),
    );
  },
  async answer(tools, calls, { host = {}, signal }) {
    const { client, requests, close } = await scriptedGoogle([{ calls }]);
    try {
      const config = {
        tools: [{ functionDeclarations: googleTools(tools) }],
        ...(signal && { abortSignal: signal }),
      };
      const contents = [user("Go")];
      const { candidates, functionCalls } = await client.models.generateContent({
        model,
        config,
        contents,
      });
      const parts = await answerGoogleCalls(tools, functionCalls, {
        ...host,
        ...(signal && { signal }),
      });
      contents.push(candidates?.[0]?.content ?? {}, { role: "user", parts });
      await client.models.generateContent({ model, config, contents });
      const sent = requests.at(-1)?.contents as Content[];
      return calls.map(({ id }) => {
        const result = sent.at(-1)?.parts?.find((part) => part.functionResponse?.id === id);
        const { output, error } = result?.functionResponse?.response ?? {};
        return String(output ?? error);
      });
    } finally {
      close();
    }
  },
};

/** A conversation with an API that gives ids to calls, or none. */
const conversation = (hasIds: boolean): SdkConversation => ({
  name: `google, own loop, ${hasIds ? "calls with ids" : "calls without ids"}`,
  async run(tracker, answers, { trimAt = Number.POSITIVE_INFINITY }) {
    const { client, requests, close } = await scriptedGoogle(answers, { hasIds });
    const way = googleSession<Content>(tracker);
    let contents = [user("Fix it")];
    for (let request = 1; ; request++) {
      if (request >= trimAt) contents = [...contents.slice(0, 1), ...contents.slice(-2)];
      const { candidates, functionCalls } = await client.models.generateContent({
        model,
        config: { tools: [{ functionDeclarations: way.tools }] },
        contents: await way.before(contents),
      });
      contents.push(candidates?.[0]?.content ?? {});
      const parts: Content["parts"] = await way.answer(functionCalls);
      for (const { id, name } of functionCalls ?? [])
        if (name === "look") {
          const response = { output: "nothing new" };
          parts?.push({ functionResponse: { ...(id !== undefined && { id }), name, response } });
        }
      if (parts?.length === 0) break;
      contents.push({ role: "user", parts: parts ?? [] });
    }
    close();
    return requests.map((request) => JSON.stringify(request.contents));
  },
});

adapterSuite(waymark, adapter);
sdkConversation(waymark, conversation(true));
sdkConversation(waymark, conversation(false));

test("applies equal calls without ids separately, and leaves other tools to the host", async () => {
  const tracker = waymark.createTracker();
  const call = { name: "todos", args: { add: ["One"] } };
  const results = await answerGoogleCalls(tracker.tools(), [call, { name: "shell" }, call]);
  expect(results.map(({ functionResponse }) => Object.keys(functionResponse))).toEqual([
    ["name", "response"],
    ["name", "response"],
  ]);
  expect(tracker.own.get()).toHaveLength(2);
});

test("marks a refusal as an error, and asks to continue at the end", async () => {
  const tracker = waymark.createTracker();
  const way = googleSession<Content>(tracker);
  const contents = [user("Fix it")];
  await way.before(contents);
  const calls: ModelCall[] = [{ id: "a", name: "todos", input: { add: ["Run the tests"] } }];
  const functionCalls = calls.map(({ id, name, input: args }) => ({ id, name, args }));
  const [refused] = await way.answer([{ id: "b", name: "todos", args: { nonsense: 1 } }]);
  expect(refused?.functionResponse.response).toEqual({
    error: expect.stringMatching(/Nothing was changed\.$/),
  });
  const parts = await way.answer(functionCalls);
  contents.push(
    { role: "model", parts: functionCalls.map((functionCall) => ({ functionCall })) as never },
    { role: "user", parts },
    { role: "model", parts: [{ text: "Done." }] },
  );
  const more = await way.stop(contents);
  expect(more?.at(-1)?.parts?.[0]?.text).toContain("You are about to stop with 1 open todo.");
  expect(await way.stop(more ?? [])).toBeUndefined();
});
