// Google Gen AI SDK, in your own loop.
import { GoogleGenAI } from "@google/genai";
import { createTracker, printMarkdown, systemPrompt } from "waymark";
import { googleSession } from "waymark/sdk/google";
import { startGoogleModel } from "./scripted/google.mjs";
import { compacted, lookAt, PROMPT, printReminders } from "./scripted/script.mjs";

const model = await startGoogleModel();
const client = new GoogleGenAI(model.options);
const tracker = createTracker();
const waymark = googleSession(tracker);
printReminders(tracker);

const look = {
  name: "look",
  description: "Reads a file.",
  parametersJsonSchema: { type: "object", properties: { file: { type: "string" } } },
};

let contents = [{ role: "user", parts: [{ text: PROMPT }] }];
while (contents) {
  contents = compacted(contents);
  const { candidates, functionCalls = [] } = await client.models.generateContent({
    model: "scripted",
    config: {
      systemInstruction: systemPrompt("todos"),
      tools: [{ functionDeclarations: [look, ...waymark.tools] }],
    },
    contents: await waymark.before(contents),
  });
  contents.push(candidates[0].content);
  const parts = await waymark.answer(functionCalls);
  for (const { id, name, args } of functionCalls)
    if (name === "look")
      parts.push({ functionResponse: { id, name, response: { output: lookAt(args) } } });
  if (parts.length > 0) contents.push({ role: "user", parts });
  // If the model stops with open todos, the next request asks it to continue.
  else contents = await waymark.stop(contents);
}

model.close();
console.log(printMarkdown(tracker.own.get()));
