// Vercel AI SDK: the agent keeps a list, gets reminders when it neglects the list, and gets the list back after a compaction.
import { generateText, stepCountIs } from "ai";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { withWaymark } from "waymark/sdk/ai";
import { look, model } from "./scripted/ai.mjs";
import { compacted, PROMPT, printReminders } from "./scripted/script.mjs";

const tracker = createTracker();
const waymark = withWaymark(tracker);
printReminders(tracker);

const { text } = await generateText({
  model,
  system: systemPrompt("todos"),
  prompt: PROMPT,
  tools: { look, ...waymark.tools },
  prepareStep: ({ messages }) => waymark.prepareStep({ messages: compacted(messages) }),
  stopWhen: stepCountIs(50),
});

console.log(`${text}\n\n${printMarkdown(tracker.own.get())}`);
