import { defineCommand } from "../../args/command.ts";
import { AS_OPTION, changeTask, TASK, TASK_CHANGE_OPTIONS } from "../../options/task-change.ts";

export const block = defineCommand({
  arguments: [
    { ...TASK, name: "TASK", summary: "Task to block, e.g. t3" },
    { ...TASK, name: "BLOCKER", summary: "Task that has to be done first", repeatable: true },
  ],
  options: { ...AS_OPTION, ...TASK_CHANGE_OPTIONS },
  examples: [
    { command: "waymark task block t3 t1", comment: "Block t3 until t1 is done" },
    { command: "waymark task block t3 t1 t2 --json", comment: "Block t3 until t1 and t2 are done" },
  ],
  seeAlso: ["task unblock", "task dep", "task graph"],
  async run(call) {
    const [id = "", ...addBlockedBy] = call.args;
    return changeTask(
      call,
      { op: "edit", id, set: { addBlockedBy } },
      (task) => `${task.id} is blocked by ${task.blockedBy.join(", ")}`,
    );
  },
});
