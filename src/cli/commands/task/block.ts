import { defineCommand } from "../../args/command.ts";
import { AS, changeTask, TASK, TASK_CHANGE } from "../../options/task-change.ts";

export const block = defineCommand({
  arguments: [
    { ...TASK, name: "TASK", summary: "the task that has to wait" },
    { ...TASK, name: "BLOCKER", summary: "what has to be done before", many: true },
  ],
  options: { ...AS, ...TASK_CHANGE },
  examples: [
    { command: "waymark task block t3 t1", says: "t3 waits for t1" },
    { command: "waymark task block t3 t1 t2 --json", says: "For two others" },
  ],
  async run(call) {
    const [id = "", ...addBlockedBy] = call.args;
    return changeTask(
      call,
      { op: "edit", id, set: { addBlockedBy } },
      (task) => `${task.id} waits for ${task.blockedBy.join(", ")}`,
    );
  },
});
