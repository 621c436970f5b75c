import { UsageError } from "../../../core/error.ts";
import { wholeNumber } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { readLease } from "../../options/lease.ts";
import { changeTask, TASK, TASK_CHANGE } from "../../options/task-change.ts";
import { HOLDER } from "../../options/task-holder.ts";

export const assign = defineCommand({
  arguments: [TASK],
  options: {
    to: { type: "string", value: "OWNER", summary: "Who is to hold it" },
    ...HOLDER,
    lease: { type: "string", value: "TIME", summary: "For how long; as before, else 5m" },
    ...TASK_CHANGE,
  },
  notes: [
    "With --as and --epoch the holder hands it over. Without them a person decides, whoever holds it: the former holder's next call is refused and names the new one.",
  ],
  examples: [
    { command: "waymark task assign t1 --to bob", says: "Bob has it now" },
    {
      command: "waymark task assign t2 --to bob --as ann --epoch 1 --lease 30m",
      says: "Ann hands hers over",
    },
  ],
  async run(call) {
    const [id = ""] = call.args;
    const { to, as, epoch, lease } = call.values;
    if (to === undefined) throw new UsageError("--to is missing: say who is to hold it.");
    if ((as === undefined) !== (epoch === undefined))
      throw new UsageError("To hand a task over give both --as and --epoch.");
    return changeTask(
      call,
      {
        op: "assign",
        id,
        owner: to,
        ...(lease !== undefined && { lease: readLease(lease) }),
        ...(as !== undefined &&
          epoch !== undefined && { from: { owner: as, epoch: wholeNumber("--epoch", epoch, 0) } }),
      },
      (task) => `${task.id} is held by ${task.owner} with epoch ${task.epoch}`,
    );
  },
});
