import { defineCommand } from "../../args/command.ts";
import { AS, changeTask, TASK, TASK_CHANGE } from "../../options/task-change.ts";

export const cancel = defineCommand({
  arguments: [TASK],
  options: {
    reason: { type: "string", value: "TEXT", summary: "Why it is no longer needed" },
    ...AS,
    ...TASK_CHANGE,
  },
  notes: ["What waits for a cancelled task goes on waiting: waymark task unblock frees it."],
  examples: [
    { command: "waymark task cancel t1", says: "It stays in the list of closed ones" },
    { command: 'waymark task cancel t1 --reason "solved by t2"', says: "With the reason" },
  ],
  async run(call) {
    const [id = ""] = call.args;
    const { reason } = call.values;
    const op = { op: "cancel", id, ...(reason !== undefined && { reason }) } as const;
    return changeTask(call, op, (task) => `cancelled ${task.id}`);
  },
});
