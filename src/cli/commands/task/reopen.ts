import { defineCommand } from "../../args/command.ts";
import { AS, changeTask, TASK, TASK_CHANGE } from "../../options/task-change.ts";

export const reopen = defineCommand({
  arguments: [TASK],
  options: { ...AS, ...TASK_CHANGE },
  examples: [
    { command: "waymark task reopen t4", says: "It was not over after all" },
    { command: "waymark task reopen t4 --json", says: "For a program" },
  ],
  async run(call) {
    const [id = ""] = call.args;
    return changeTask(call, { op: "reopen", id }, (task) => `${task.id} is open again`);
  },
});
