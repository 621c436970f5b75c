import { defineCommand } from "../../args/command.ts";
import { AS_OPTION, changeTask, TASK, TASK_CHANGE_OPTIONS } from "../../options/task-change.ts";

export const cancel = defineCommand({
  arguments: [TASK],
  options: {
    reason: { type: "string", value: "TEXT", summary: "Why it is no longer needed", perCall: true },
    ...AS_OPTION,
    ...TASK_CHANGE_OPTIONS,
  },
  notes: ["Tasks that are blocked by a cancelled task stay blocked; use `waymark task unblock`."],
  examples: [
    { command: "waymark task cancel t1", comment: "Cancel a task" },
    {
      command: 'waymark task cancel t1 --reason "solved by t2"',
      comment: "Cancel it with a reason",
    },
  ],
  seeAlso: ["task reopen", "task unblock"],
  async run(call) {
    const [id = ""] = call.args;
    const { reason } = call.values;
    const op = { op: "cancel", id, ...(reason !== undefined && { reason }) } as const;
    return changeTask(call, op, (task) => `Cancelled ${task.id}`);
  },
});
