import {
  Agent,
  type AgentInputItem,
  MemorySession,
  type Model,
  type ModelRequest,
  Runner,
  tool,
  Usage,
} from "@openai/agents";
import { describe, expect, test } from "vitest";
import * as waymark from "waymark";
import { agentsSession, agentsTools } from "waymark/sdk/openai-agents";
import { z } from "zod";
import { adapterSuite, type SdkAdapter } from "../servers/sdk/adapter-suite.ts";
import {
  type ModelAnswer,
  type SdkConversation,
  sdkConversation,
} from "../servers/sdk/conversation-suite.ts";

/** A scripted model that keeps its requests. */
function scripted(answers: readonly ModelAnswer[]) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    getResponse: async (request) => {
      request.signal?.throwIfAborted();
      const { text, calls = [] } = answers[requests.length] ?? { text: "The end." };
      requests.push(request);
      return {
        usage: new Usage(),
        output: [
          ...(text === undefined
            ? []
            : [
                {
                  type: "message" as const,
                  role: "assistant" as const,
                  status: "completed" as const,
                  content: [{ type: "output_text" as const, text }],
                },
              ]),
          ...calls.map(({ id, name, input }) => ({
            type: "function_call" as const,
            callId: id,
            name,
            status: "completed" as const,
            arguments: JSON.stringify(input),
          })),
        ],
      };
    },
    getStreamedResponse: () => {
      throw new Error("The script is not streamed.");
    },
  };
  return { model, requests };
}

const runner = new Runner({ tracingDisabled: true });

const adapter: SdkAdapter = {
  name: "openai-agents, run",
  async offered(ready) {
    const { model, requests } = scripted([{ text: "Done." }]);
    await runner.run(new Agent({ name: "tern", model, tools: agentsTools(ready) }), "Go");
    return (requests[0]?.tools ?? []).flatMap((one) =>
      one.type === "function"
        ? {
            name: one.name,
            description: one.description,
            schema: one.parameters as unknown as Record<string, unknown>,
          }
        : [],
    );
  },
  async answer(ready, calls, { host, signal }) {
    const { model, requests } = scripted([{ calls }, { text: "Done." }]);
    const agent = new Agent({ name: "tern", model, tools: agentsTools(ready, host) });
    await runner.run(agent, "Go", { ...(signal && { signal }) });
    const items = requests[1]?.input ?? [];
    return calls.map(({ id }) => {
      const result =
        typeof items === "string"
          ? undefined
          : items.find((item) => item.type === "function_call_result" && item.callId === id);
      const output = result?.type === "function_call_result" ? result.output : undefined;
      return typeof output === "object" && "text" in output ? output.text : String(output);
    });
  },
};

const look = tool({
  name: "look",
  description: "Looks.",
  parameters: z.object({ at: z.number() }),
  execute: () => "nothing new",
});

const conversation: SdkConversation = {
  name: "openai-agents, run",
  async run(tracker, answers, { trimAt = Number.POSITIVE_INFINITY }) {
    const { model, requests } = scripted(answers);
    const way = agentsSession<AgentInputItem>(tracker);
    const agent = new Agent({ name: "tern", model, tools: [look, ...way.tools] });
    await runner.run(agent, "Fix it", {
      maxTurns: 100,
      callModelInputFilter: ({ modelData }) => {
        const { input } = modelData;
        const short = [...input.slice(0, 1), ...input.slice(-3)];
        return way.callModelInputFilter({
          modelData: requests.length + 1 < trimAt ? modelData : { ...modelData, input: short },
        });
      },
    });
    return requests.map(({ input }) => JSON.stringify(input));
  },
};

adapterSuite(waymark, adapter);
sdkConversation(waymark, conversation);

describe("openai-agents, stop", () => {
  const QUESTION = "You are about to stop with 1 open todo.";
  const answers: readonly ModelAnswer[] = [
    { calls: [{ id: "w", name: "todos", input: { add: ["Run the tests"] } }] },
    { text: "Done." },
  ];
  const open = (script: readonly ModelAnswer[]) => {
    const tracker = waymark.createTracker();
    const { model, requests } = scripted(script);
    const { tools, callModelInputFilter, stop } = agentsSession<AgentInputItem>(tracker);
    const agent = new Agent({ name: "tern", model, tools: [look, ...tools] });
    return { tracker, agent, requests, callModelInputFilter, stop };
  };
  const asks = (requests: readonly ModelRequest[]) =>
    requests.map(({ input }) => JSON.stringify(input).split(QUESTION).length - 1);

  test("asks the agent to continue, at most twice per prompt", async () => {
    const looks = (id: string) => ({ calls: [{ id, name: "look", input: { at: 1 } }] });
    const end = { text: "The end." };
    const { tracker, agent, requests, callModelInputFilter, stop } = open([
      ...answers,
      ...[looks("a"), end, looks("b"), end],
    ]);
    let input: string | AgentInputItem[] | undefined = "Fix it";
    for (let runs = 0; input && runs < 9; runs++)
      input = await stop((await runner.run(agent, input, { callModelInputFilter })).history);
    expect(asks(requests)).toEqual([0, 0, 1, 1, 2, 2]);
    const { activity, todos } = tracker.own.read();
    expect([activity?.counts.turns, todos.map(({ status }) => status)]).toEqual([1, ["pending"]]);
  });

  test("lets an agent stop that finished its list", async () => {
    const finish = { calls: [{ id: "f", name: "todos", input: { finish: ["1"] } }] };
    const { agent, requests, callModelInputFilter, stop } = open([...answers, finish]);
    const first = await runner.run(agent, "Fix it", { callModelInputFilter });
    const more = await stop(first.history);
    const second = await runner.run(agent, more ?? [], { callModelInputFilter });
    expect([await stop(second.history), asks(requests)]).toEqual([undefined, [0, 0, 1, 1]]);
  });

  test("asks in a conversation that the SDK keeps", async () => {
    const { tracker, agent, requests, callModelInputFilter, stop } = open(answers);
    const session = new MemorySession();
    const sessionInputCallback = (past: AgentInputItem[], input: AgentInputItem[]) => [
      ...past,
      ...input,
    ];
    const options = { session, sessionInputCallback, callModelInputFilter };
    const first = await runner.run(agent, "Fix it", options);
    const more = await stop(first.history);
    await runner.run(agent, more?.slice(-1) ?? [], options);
    expect(asks(requests)).toEqual([0, 0, 1]);
    expect(tracker.own.read().activity?.counts.turns).toBe(1);
  });
});
