import { defineCommand } from "../../args/command.ts";
import { AS_OPTION, changeTask, TASK, TASK_CHANGE_OPTIONS } from "../../options/task-change.ts";

export const reopen = defineCommand({
  arguments: [TASK],
  options: { ...AS_OPTION, ...TASK_CHANGE_OPTIONS },
  examples: [
    { command: "waymark task reopen t4", comment: "Reopen a task" },
    { command: "waymark task reopen t4 --json", comment: "Print the task as JSON" },
  ],
  seeAlso: ["task cancel", "task fail"],
  async run(call) {
    const [id = ""] = call.args;
    return changeTask(call, { op: "reopen", id }, (task) => `Reopened ${task.id}`);
  },
});
