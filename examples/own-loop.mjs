// Your own loop, without an SDK: pass the tools to the model, add the context before each call, report activity after it.
import { createTracker, printMarkdown } from "waymark";
import { askModel } from "./scripted/plain.mjs";
import { compacted, lookAt, PROMPT, printReminders } from "./scripted/script.mjs";

const tracker = createTracker();
const tools = tracker.tools();
printReminders(tracker);

let messages = [{ role: "user", text: PROMPT }];
tracker.observe({ type: "turn.started", prompt: PROMPT });
for (;;) {
  const shorter = compacted(messages);
  const isCompacted = shorter.length < messages.length;
  if (isCompacted) tracker.observe({ type: "session.compacted" });
  messages = shorter;
  const context = tracker.context({ moment: isCompacted ? "compacted" : "step" });
  if (context) messages.push({ role: "user", text: context });

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
