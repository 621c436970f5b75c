import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { queueForm, queueText } from "../../print/queue-form.ts";
import { QUEUE_OPTIONS, sendQueueChange } from "../../work/queue-change.ts";

export const pause = defineCommand({
  description: "Pause the queue: claimed tasks continue, nothing new is claimed.",
  arguments: [],
  options: {
    reason: {
      type: "string",
      value: "TEXT",
      summary: "Why, for everyone who works on tasks",
      perCall: true,
    },
    ...QUEUE_OPTIONS,
  },
  notes: ["Assigning a task to an owner still works."],
  examples: [
    { command: "waymark task pause", comment: "Stop claims until the queue is resumed" },
    {
      command: 'waymark task pause --reason "database maintenance"',
      comment: "Say why; refused claims repeat it",
    },
  ],
  seeAlso: ["task resume", "task queue"],
  async run(call) {
    const { reason, json } = call.values;
    const paused = reason === undefined ? {} : { reason };
    const state = await sendQueueChange(call, { paused });
    if (json) call.terminal.printJson(queueForm(state));
    else call.terminal.printText(queueText(state, Date.now()));
    return EXIT.success;
  },
});
