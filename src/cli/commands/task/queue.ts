import { defineCommand } from "../../args/command.ts";
import { parseDurationOption } from "../../args/time.ts";
import { EXIT } from "../../io/exit.ts";
import { queueForm, queueText } from "../../print/queue-form.ts";
import { QUEUE_OPTIONS, sendQueueChange } from "../../work/queue-change.ts";

export const queue = defineCommand({
  description: "Show whether the queue is paused, or change how waiting counts.",
  arguments: [],
  options: {
    aging: {
      type: "string",
      value: "TIME",
      summary: "Waiting time that counts as one step of priority; off for none",
      perCall: true,
    },
    ...QUEUE_OPTIONS,
  },
  notes: [
    "With aging, a task of priority 3 that has waited for two such times comes before a new one of priority 2. Without it, a less urgent task waits until no more urgent one is ready.",
  ],
  examples: [
    { command: "waymark task queue", comment: "Show the state of the queue" },
    {
      command: "waymark task queue --aging 4h",
      comment: "Let tasks rise by one priority every 4 hours",
    },
    { command: "waymark task queue --aging off", comment: "Order by priority alone" },
  ],
  seeAlso: ["task pause", "task resume", "task stats"],
  async run(call) {
    const { values, home, terminal } = call;
    const { aging } = values;
    const state =
      aging === undefined
        ? await (await home.tasks("reading", values.store)).queue()
        : await sendQueueChange(call, {
            aging: aging === "off" ? null : parseDurationOption("--aging", aging),
          });
    if (values.json) terminal.printJson(queueForm(state));
    else terminal.printText(queueText(state, Date.now()));
    return EXIT.success;
  },
});
