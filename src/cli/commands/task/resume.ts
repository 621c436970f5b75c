import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { queueForm, queueText } from "../../print/queue-form.ts";
import { QUEUE_OPTIONS, sendQueueChange } from "../../work/queue-change.ts";

export const resume = defineCommand({
  description: "Resume the queue after a pause.",
  arguments: [],
  options: QUEUE_OPTIONS,
  examples: [
    { command: "waymark task resume", comment: "Let tasks be claimed again" },
    { command: "waymark task resume --json", comment: "Print the state of the queue as JSON" },
  ],
  seeAlso: ["task pause", "task queue"],
  async run(call) {
    const state = await sendQueueChange(call, { paused: null });
    if (call.values.json) call.terminal.printJson(queueForm(state));
    else call.terminal.printText(queueText(state, Date.now()));
    return EXIT.success;
  },
});
