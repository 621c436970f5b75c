import {
  Agent,
  type AgentInputItem,
  type Model,
  type ModelRequest,
  Runner,
  tool,
  Usage,
} from "@openai/agents";
import * as waymark from "waymark";
import { agentsSession, agentsTools } from "waymark/sdk/openai-agents";
import { z } from "zod";
import {
  type ModelAnswer,
  type SdkConversation,
  sdkConversation,
} from "../servers/sdk/conversation-suite.ts";
import { type SdkDoor, sdkDoor } from "../servers/sdk/door-suite.ts";

/** A model that answers from a script and keeps what it was asked. */
function scripted(answers: readonly ModelAnswer[]) {
  const asked: ModelRequest[] = [];
  const model: Model = {
    getResponse: async (request) => {
      request.signal?.throwIfAborted();
      const { text, calls = [] } = answers[asked.length] ?? { text: "The end." };
      asked.push(request);
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
  return { model, asked };
}

const runner = new Runner({ tracingDisabled: true });

const door: SdkDoor = {
  name: "openai-agents, run",
  async offered(ready) {
    const { model, asked } = scripted([{ text: "Done." }]);
    await runner.run(new Agent({ name: "tern", model, tools: agentsTools(ready) }), "Go");
    return (asked[0]?.tools ?? []).flatMap((one) =>
      one.type === "function"
        ? {
            name: one.name,
            description: one.description,
            schema: one.parameters as unknown as Record<string, unknown>,
          }
        : [],
    );
  },
  async answer(ready, calls, { situation, signal }) {
    const { model, asked } = scripted([{ calls }, { text: "Done." }]);
    const agent = new Agent({ name: "tern", model, tools: agentsTools(ready, situation) });
    await runner.run(agent, "Go", { ...(signal && { signal }) });
    const items = asked[1]?.input ?? [];
    return calls.map(({ id }) => {
      const told =
        typeof items === "string"
          ? undefined
          : items.find((item) => item.type === "function_call_result" && item.callId === id);
      const output = told?.type === "function_call_result" ? told.output : undefined;
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
    const { model, asked } = scripted(answers);
    const way = agentsSession<AgentInputItem>(tracker);
    const agent = new Agent({ name: "tern", model, tools: [look, ...way.tools] });
    await runner.run(agent, "Fix it", {
      maxTurns: 100,
      callModelInputFilter: ({ modelData }) => {
        const { input } = modelData;
        const short = [...input.slice(0, 1), ...input.slice(-3)];
        return way.callModelInputFilter({
          modelData: asked.length + 1 < trimAt ? modelData : { ...modelData, input: short },
        });
      },
    });
    return asked.map(({ input }) => JSON.stringify(input));
  },
};

sdkDoor(waymark, door);
sdkConversation(waymark, conversation);
