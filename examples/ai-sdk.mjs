// The Vercel AI SDK: the agent keeps a list, is reminded when it forgets it, and gets it back when messages are cut away.
import { generateText, stepCountIs } from "ai";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { withWaymark } from "waymark/sdk/ai";
import { look, model } from "./scripted/ai.mjs";
import { PROMPT, shortened, showTold } from "./scripted/script.mjs";

const tracker = createTracker();
const waymark = withWaymark(tracker);
showTold(tracker);

const { text } = await generateText({
  model,
  system: systemPrompt("todos"),
  prompt: PROMPT,
  tools: { look, ...waymark.tools },
  prepareStep: ({ messages }) => waymark.prepareStep({ messages: shortened(messages) }),
  stopWhen: stepCountIs(50),
});

console.log(`${text}\n\n${printMarkdown(tracker.own.get())}`);
