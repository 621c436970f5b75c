// OpenAI Chat Completions API, in your own loop.
import OpenAI from "openai";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { chatSession } from "waymark/sdk/openai";
import { scriptedFetch } from "./scripted/openai.mjs";
import { compacted, lookAt, PROMPT, printReminders } from "./scripted/script.mjs";

const client = new OpenAI({ apiKey: "none", fetch: scriptedFetch });
const tracker = createTracker();
const waymark = chatSession(tracker);
printReminders(tracker);

const look = {
  type: "function",
  function: {
    name: "look",
    description: "Reads a file.",
    parameters: { type: "object", properties: { file: { type: "string" } } },
  },
};
const system = { role: "system", content: systemPrompt("todos") };

let messages = [{ role: "user", content: PROMPT }];
for (;;) {
  messages = compacted(messages);
  const { choices } = await client.chat.completions.create({
    model: "scripted",
    tools: [look, ...waymark.tools],
    messages: [system, ...(await waymark.before(messages))],
  });
  const { message } = choices[0];
  const results = await waymark.answer(message.tool_calls);
  for (const { id, function: called } of message.tool_calls ?? [])
    if (called.name === "look")
      results.push({
        role: "tool",
        tool_call_id: id,
        content: lookAt(JSON.parse(called.arguments)),
      });
  messages.push(message, ...results);
  if (results.length === 0) break;
}

console.log(printMarkdown(tracker.own.get()));
