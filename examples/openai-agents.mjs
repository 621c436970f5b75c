// OpenAI Agents SDK.
import { Agent, Runner, tool } from "@openai/agents";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { agentsSession } from "waymark/sdk/openai-agents";
import { z } from "zod";
import { model } from "./scripted/openai-agents.mjs";
import { compacted, lookAt, PROMPT, printReminders } from "./scripted/script.mjs";

const tracker = createTracker();
const waymark = agentsSession(tracker);
printReminders(tracker);

const look = tool({
  name: "look",
  description: "Reads a file.",
  parameters: z.object({ file: z.string() }),
  execute: lookAt,
});
const agent = new Agent({
  name: "Fixer",
  model,
  instructions: systemPrompt("todos"),
  tools: [look, ...waymark.tools],
});

const runner = new Runner({ tracingDisabled: true });
const options = {
  maxTurns: 50,
  callModelInputFilter: ({ modelData: { input, ...rest } }) =>
    waymark.callModelInputFilter({ modelData: { ...rest, input: compacted(input, 37, 6) } }),
};
let result;
let input = PROMPT;
while (input) {
  result = await runner.run(agent, input, options);
  // If the agent stops with open todos, the next run asks it to continue.
  input = await waymark.stop(result.history);
}

console.log(`${result.finalOutput}\n\n${printMarkdown(tracker.own.get())}`);
