import { defineCommand } from "../../args/command.ts";
import { AS_OPTION, changeTask, TASK, TASK_CHANGE_OPTIONS } from "../../options/task-change.ts";

export const unblock = defineCommand({
  arguments: [
    { ...TASK, name: "TASK", summary: "Blocked task, e.g. t3" },
    { ...TASK, name: "BLOCKER", summary: "Blocker to remove", repeatable: true },
  ],
  options: { ...AS_OPTION, ...TASK_CHANGE_OPTIONS },
  examples: [
    { command: "waymark task unblock t3 t2", comment: "Remove t2 as a blocker of t3" },
    { command: "waymark task unblock t3 t1 t2 --json", comment: "Remove two blockers" },
  ],
  seeAlso: ["task block", "task dep"],
  async run(call) {
    const [id = "", ...removeBlockedBy] = call.args;
    return changeTask(call, { op: "edit", id, set: { removeBlockedBy } }, (task) =>
      task.blockedBy.length === 0
        ? `${task.id} has no blockers`
        : `${task.id} is blocked by ${task.blockedBy.join(", ")}`,
    );
  },
});
