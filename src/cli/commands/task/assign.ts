import { UsageError } from "../../../core/error.ts";
import { parseInteger } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { parseLease } from "../../options/lease.ts";
import { changeTask, TASK, TASK_CHANGE_OPTIONS } from "../../options/task-change.ts";

export const assign = defineCommand({
  arguments: [TASK],
  options: {
    to: { type: "string", value: "OWNER", summary: "New owner", perCall: true },
    as: { type: "string", value: "OWNER", summary: "Owner that hands the task over" },
    epoch: { type: "string", value: "N", summary: "Epoch of its claim", perCall: true },
    lease: {
      type: "string",
      value: "TIME",
      summary: "Lease duration, e.g. 90s, 5m, 1h",
      default: "the current lease, or 5m",
    },
    ...TASK_CHANGE_OPTIONS,
  },
  notes: [
    "Without --as and --epoch you assign the task yourself, even if it is claimed: the next call of the previous owner is refused and names the new one. With both, the owner hands the task over.",
  ],
  examples: [
    { command: "waymark task assign t1 --to bob", comment: "Assign a task to bob" },
    {
      command: "waymark task assign t2 --to bob --as ann --epoch 1 --lease 30m",
      comment: "As ann, hand a task over to bob",
    },
  ],
  seeAlso: ["task claim", "task release"],
  async run(call) {
    const [id = ""] = call.args;
    const { to, as, epoch, lease } = call.values;
    if (to === undefined)
      throw new UsageError("Missing --to OWNER. Name the new owner, e.g. --to bob.");
    if ((as === undefined) !== (epoch === undefined))
      throw new UsageError(
        "--as and --epoch go together. Pass both to hand a task over, or neither to assign it yourself.",
      );
    return changeTask(
      call,
      {
        op: "assign",
        id,
        owner: to,
        ...(lease !== undefined && { lease: parseLease(lease) }),
        ...(as !== undefined &&
          epoch !== undefined && { from: { owner: as, epoch: parseInteger("--epoch", epoch, 0) } }),
      },
      (task) => `Assigned ${task.id} to ${task.owner} (epoch ${task.epoch})`,
    );
  },
});
