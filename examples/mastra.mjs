// Mastra: an agent with the tools, the reminders, the recovery and the question at the end.
import { Agent } from "@mastra/core/agent";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { mastraSession } from "waymark/sdk/mastra";
import { look, model } from "./scripted/ai.mjs";
import { compacted, PROMPT, printReminders } from "./scripted/script.mjs";

const tracker = createTracker();
printReminders(tracker);

const trim = { id: "trim", processLLMRequest: ({ prompt }) => ({ prompt: compacted(prompt) }) };

const waymark = mastraSession(tracker);
const agent = new Agent({
  id: "fixer",
  name: "Fixer",
  instructions: systemPrompt("todos"),
  model,
  tools: { look, ...waymark.tools },
  inputProcessors: [trim, waymark.processor],
});

await agent.generate(PROMPT, {
  maxSteps: 50,
  onIterationComplete: waymark.onIterationComplete,
});

console.log(printMarkdown(tracker.own.get()));
