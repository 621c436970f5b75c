// OpenAI Responses API, in your own loop.
import OpenAI from "openai";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { responsesSession } from "waymark/sdk/openai";
import { scriptedFetch } from "./scripted/openai.mjs";
import { compacted, lookAt, PROMPT, printReminders } from "./scripted/script.mjs";

const client = new OpenAI({ apiKey: "none", fetch: scriptedFetch });
const tracker = createTracker();
const waymark = responsesSession(tracker);
printReminders(tracker);

const look = {
  type: "function",
  name: "look",
  description: "Reads a file.",
  parameters: { type: "object", properties: { file: { type: "string" } } },
  strict: false,
};

let input = [{ role: "user", content: PROMPT }];
for (;;) {
  input = compacted(input, 37, 6);
  const { output } = await client.responses.create({
    model: "scripted",
    instructions: systemPrompt("todos"),
    tools: [look, ...waymark.tools],
    input: await waymark.before(input),
  });
  const results = await waymark.answer(output);
  for (const { type, name, call_id, arguments: given } of output)
    if (type === "function_call" && name === "look")
      results.push({ type: "function_call_output", call_id, output: lookAt(JSON.parse(given)) });
  input.push(...output, ...results);
  if (results.length === 0) break;
}

console.log(printMarkdown(tracker.own.get()));
