import { defineCommand } from "../../args/command.ts";
import { AS, changeTask, TASK, TASK_CHANGE } from "../../options/task-change.ts";

export const unblock = defineCommand({
  arguments: [
    { ...TASK, name: "TASK", summary: "the task that waits" },
    { ...TASK, name: "BLOCKER", summary: "what it no longer waits for", many: true },
  ],
  options: { ...AS, ...TASK_CHANGE },
  examples: [
    { command: "waymark task unblock t3 t2", says: "t3 no longer waits for t2" },
    { command: "waymark task unblock t3 t1 t2 --json", says: "For neither of two" },
  ],
  async run(call) {
    const [id = "", ...removeBlockedBy] = call.args;
    return changeTask(call, { op: "edit", id, set: { removeBlockedBy } }, (task) =>
      task.blockedBy.length === 0
        ? `${task.id} waits for nothing`
        : `${task.id} waits for ${task.blockedBy.join(", ")}`,
    );
  },
});
