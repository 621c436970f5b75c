import { UsageError } from "../../../core/error.ts";
import { oneLine } from "../../../core/text/escape.ts";
import { roughly } from "../../../surfaces/text/draw/duration.ts";
import { wholeNumber } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { readLease } from "../../options/lease.ts";
import {
  refuseTask,
  sayDuplicate,
  sendTask,
  TASK,
  TASK_CHANGE,
} from "../../options/task-change.ts";
import { HOLDER, owner } from "../../options/task-holder.ts";

export const claim = defineCommand({
  arguments: [{ ...TASK, optional: true }],
  options: {
    as: HOLDER.as,
    lease: {
      type: "string",
      value: "TIME",
      summary: "How long it is yours without a sign of life: 90s, 5m, 1h; 5m unless told",
    },
    label: { type: "string", value: "LABEL", summary: "The most urgent with this label" },
    count: { type: "string", value: "N", summary: "Up to N at once; JSON is a list then" },
    ...TASK_CHANGE,
  },
  notes: [
    "A task has one holder at a time. The claim has an epoch: give it with every later call on the task. A lease that is not renewed runs out, and the task is free for others.",
  ],
  examples: [
    { command: "waymark task claim --as ann", says: "The most urgent that is ready" },
    { command: "waymark task claim t1 --as ann --lease 30m --json", says: "A certain one" },
  ],
  async run(call) {
    const { args, values, terminal } = call;
    const [id] = args;
    const { label } = values;
    const count = values.count === undefined ? undefined : wholeNumber("--count", values.count, 1);
    if (id !== undefined && (label !== undefined || count !== undefined))
      throw new UsageError("TASK names one; --label and --count are for whatever is ready.");
    const answer = await sendTask(call, {
      op: "claim",
      owner: owner(values),
      ...(id !== undefined && { id }),
      ...(label !== undefined && { label }),
      ...(count !== undefined && { count }),
      ...(values.lease !== undefined && { lease: readLease(values.lease) }),
    });
    if (!answer.ok) return refuseTask(call, answer.refused);
    sayDuplicate(terminal, answer);
    if (values.json) {
      terminal.printJson(count === undefined ? answer.tasks[0] : answer.tasks);
      return EXIT.fine;
    }
    for (const task of answer.tasks)
      terminal.printText(
        `claimed ${task.id} with epoch ${task.epoch} for ${roughly(task.lease ?? 0)}: ${oneLine(task.subject)}`,
      );
    return EXIT.fine;
  },
});
