// LangChain: one middleware brings the tools, the reminders and the recovery.
import * as langchain from "langchain";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { langchainMiddleware } from "waymark/sdk/langchain";
import { model } from "./scripted/langchain.mjs";
import { lookAt, PROMPT, shortened, showTold } from "./scripted/script.mjs";

const tracker = createTracker();
showTold(tracker);

const look = langchain.tool(lookAt, {
  name: "look",
  description: "Looks at a file.",
  schema: { type: "object", properties: { file: { type: "string" } }, required: ["file"] },
});
const shortening = langchain.createMiddleware({
  name: "shortening",
  wrapModelCall: (request, handler) =>
    handler({ ...request, messages: shortened(request.messages) }),
});
const agent = langchain.createAgent({
  model,
  systemPrompt: systemPrompt("todos"),
  tools: [look],
  // What shortens the conversation comes first: the model is told what it then no longer sees.
  middleware: [shortening, langchainMiddleware(tracker, langchain)],
});

const { messages } = await agent.invoke(
  { messages: [{ role: "user", content: PROMPT }] },
  { recursionLimit: 200 },
);

console.log(`${messages.at(-1).content}\n\n${printMarkdown(tracker.own.get())}`);
