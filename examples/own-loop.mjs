// A loop of one's own, without any SDK: the tools in, what the model should know before each call, what happened after it.
import { createTracker, printMarkdown } from "waymark";
import { askModel } from "./scripted/plain.mjs";
import { lookAt, PROMPT, shortened, showTold } from "./scripted/script.mjs";

const tracker = createTracker();
const tools = tracker.tools();
showTold(tracker);

let messages = [{ role: "user", text: PROMPT }];
tracker.observe({ type: "turn.started", prompt: PROMPT });
for (;;) {
  const short = shortened(messages);
  const cut = short.length < messages.length;
  if (cut) tracker.observe({ type: "session.compacted" });
  messages = short;
  const told = tracker.context({ moment: cut ? "compacted" : "step" });
  if (told) messages.push({ role: "user", text: told });

  const answer = await askModel(messages, tools);
  messages.push({ role: "assistant", ...answer });
  tracker.observe({ type: "message", role: "assistant", text: answer.text ?? "" });
  if (!answer.calls) break;
  for (const { id, name, input } of answer.calls) {
    const ours = tools.find((tool) => tool.name === name);
    if (ours) {
      const { text } = await ours.execute(input, { key: id });
      messages.push({ role: "tool", id, text });
      continue;
    }
    tracker.observe({ type: "tool.started", callId: id, name, input });
    const output = lookAt(input);
    tracker.observe({ type: "tool.completed", callId: id, name, output });
    messages.push({ role: "tool", id, text: output });
  }
}
tracker.observe({ type: "turn.completed" });

console.log(printMarkdown(tracker.own.get()));
