// Anthropic Messages API, in your own loop.
import Anthropic from "@anthropic-ai/sdk";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { anthropicSession } from "waymark/sdk/anthropic";
import { scriptedFetch } from "./scripted/anthropic.mjs";
import { compacted, lookAt, PROMPT, printReminders } from "./scripted/script.mjs";

const client = new Anthropic({ apiKey: "none", fetch: scriptedFetch });
const tracker = createTracker();
const waymark = anthropicSession(tracker);
printReminders(tracker);

const look = {
  name: "look",
  description: "Reads a file.",
  input_schema: { type: "object", properties: { file: { type: "string" } } },
};

let messages = [{ role: "user", content: PROMPT }];
for (;;) {
  messages = compacted(messages);
  const { content } = await client.messages.create({
    model: "scripted",
    max_tokens: 1_000,
    system: systemPrompt("todos"),
    tools: [look, ...waymark.tools],
    messages: await waymark.before(messages),
  });
  messages.push({ role: "assistant", content });
  const results = await waymark.answer(content);
  for (const { type, name, id, input } of content)
    if (type === "tool_use" && name === "look")
      results.push({ type: "tool_result", tool_use_id: id, content: lookAt(input) });
  if (results.length === 0) break;
  messages.push({ role: "user", content: results });
}

console.log(printMarkdown(tracker.own.get()));
