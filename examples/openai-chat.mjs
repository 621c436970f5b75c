// The Chat Completions API of OpenAI, in a loop of one's own.
import OpenAI from "openai";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { chatSession } from "waymark/sdk/openai";
import { scriptedFetch } from "./scripted/openai.mjs";
import { lookAt, PROMPT, shortened, showTold } from "./scripted/script.mjs";

const client = new OpenAI({ apiKey: "none", fetch: scriptedFetch });
const tracker = createTracker();
const waymark = chatSession(tracker);
showTold(tracker);

const look = {
  type: "function",
  function: {
    name: "look",
    description: "Looks at a file.",
    parameters: { type: "object", properties: { file: { type: "string" } } },
  },
};
const system = { role: "system", content: systemPrompt("todos") };

let messages = [{ role: "user", content: PROMPT }];
for (;;) {
  messages = shortened(messages);
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
