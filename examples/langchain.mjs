// LangChain: one middleware adds the tools, the reminders and the recovery.
import * as langchain from "langchain";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { langchainMiddleware } from "waymark/sdk/langchain";
import { model } from "./scripted/langchain.mjs";
import { compacted, lookAt, PROMPT, printReminders } from "./scripted/script.mjs";

const tracker = createTracker();
printReminders(tracker);

const look = langchain.tool(lookAt, {
  name: "look",
  description: "Reads a file.",
  schema: { type: "object", properties: { file: { type: "string" } }, required: ["file"] },
});
const compaction = langchain.createMiddleware({
  name: "compaction",
  wrapModelCall: (request, handler) =>
    handler({ ...request, messages: compacted(request.messages) }),
});
const agent = langchain.createAgent({
  model,
  systemPrompt: systemPrompt("todos"),
  tools: [look],
  // The middleware that compacts the conversation comes first, so that Waymark restores what it removed.
  middleware: [compaction, langchainMiddleware(tracker, langchain)],
});

const { messages } = await agent.invoke(
  { messages: [{ role: "user", content: PROMPT }] },
  { recursionLimit: 200 },
);

console.log(`${messages.at(-1).content}\n\n${printMarkdown(tracker.own.get())}`);
