import { UsageError } from "../../../core/error.ts";
import { formatShortDuration } from "../../../core/text/duration.ts";
import { oneLine } from "../../../core/text/escape.ts";
import { parseInteger } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { parseLease } from "../../options/lease.ts";
import {
  refuseTask,
  reportDuplicate,
  sendTask,
  TASK,
  TASK_CHANGE_OPTIONS,
} from "../../options/task-change.ts";
import { OWNER_OPTIONS, ownerOfCall, rememberClaims } from "../../options/task-owner.ts";
import { taskForm } from "../../print/task-form.ts";

export const claim = defineCommand({
  description: "Claim a task, so that no other agent works on it.",
  arguments: [{ ...TASK, optional: true, default: "the most urgent ready task" }],
  options: {
    as: OWNER_OPTIONS.as,
    lease: {
      type: "string",
      value: "TIME",
      summary: "Lease duration, e.g. 90s, 5m, 1h",
      default: "5m",
    },
    label: { type: "string", value: "LABEL", summary: "Only tasks with this label" },
    count: {
      type: "string",
      value: "N",
      summary: "Claim up to N tasks; JSON is an array then",
      perCall: true,
    },
    ...TASK_CHANGE_OPTIONS,
  },
  notes: [
    "A task has one owner at a time. The claim has an epoch; later commands from the same session find it themselves, others pass it with --epoch. A lease that is not renewed expires, and the task is ready again.",
  ],
  exitCodes: { 0: "Claimed", 1: "Refused: none ready, claimed by another owner, or blocked" },
  examples: [
    { command: "waymark task claim", comment: "Claim the most urgent ready task" },
    {
      command: "waymark task claim t1 --as ann --lease 30m --json",
      comment: "Claim a specific task for half an hour",
    },
  ],
  seeAlso: ["task ready", "task renew", "task done", "task release"],
  async run(call) {
    const { args, values, terminal } = call;
    const [id] = args;
    const { label } = values;
    const count = values.count === undefined ? undefined : parseInteger("--count", values.count, 1);
    if (id !== undefined && (label !== undefined || count !== undefined))
      throw new UsageError("--label and --count cannot be combined with TASK.");
    const by = ownerOfCall(call);
    const { owner, sender } = by;
    const op = {
      op: "claim",
      owner,
      ...(id !== undefined && { id }),
      ...(label !== undefined && { label }),
      ...(count !== undefined && { count }),
      ...(values.lease !== undefined && { lease: parseLease(values.lease) }),
    } as const;
    const answer = await sendTask(call, op, sender);
    if (!answer.ok) return refuseTask(call, answer.refused, { isClaim: true, owner });
    rememberClaims(call, by, answer.tasks);
    reportDuplicate(terminal, answer);
    if (values.json) {
      const tasks = answer.tasks.map(taskForm);
      terminal.printJson(count === undefined ? tasks[0] : tasks);
      return EXIT.success;
    }
    for (const task of answer.tasks)
      terminal.printText(
        `Claimed ${task.id} (epoch ${task.epoch}, lease ${formatShortDuration(task.lease ?? 0)}): ${oneLine(task.subject)}`,
      );
    return EXIT.success;
  },
});
