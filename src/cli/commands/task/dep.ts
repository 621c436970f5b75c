import { findTask } from "../../../tasks/links/detail.ts";
import { defineCommand, JSON_OPTION } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { refuseTask, TASK, TASK_STORE_OPTION } from "../../options/task-change.ts";
import { printTasks } from "../../print/task-table.ts";

export const dep = defineCommand({
  arguments: [TASK],
  options: { json: JSON_OPTION, ...TASK_STORE_OPTION },
  examples: [
    { command: "waymark task dep t3", comment: "Show what blocks t3 and what it blocks" },
    {
      command: "waymark task dep t3 --json",
      comment: "Print the ids as JSON: blockedBy, waitsFor, blocks",
    },
  ],
  seeAlso: ["task block", "task unblock", "task graph"],
  async run(call) {
    const { args, values, terminal, home } = call;
    const [id = ""] = args;
    const store = await home.tasks("reading", values.store);
    const found = await findTask(store, id);
    if (!found.ok) return refuseTask(call, found.refused);
    const { task, blocks } = found.detail;
    const { blockedBy, waitsFor } = task;
    if (values.json) {
      terminal.printJson({ id: task.id, blockedBy, waitsFor, blocks });
      return EXIT.success;
    }
    if (blockedBy.length + blocks.length === 0) {
      terminal.print(`${task.id} has no dependencies.`);
      return EXIT.success;
    }
    for (const [what, ids] of [
      [`${task.id} is blocked by:`, blockedBy],
      [`${task.id} blocks:`, blocks],
    ] as const) {
      if (ids.length === 0) continue;
      terminal.print(what);
      const tasks = (await Promise.all(ids.map((each) => store.get(each)))).filter(
        (each) => !!each,
      );
      await printTasks({ terminal, store, tasks, whole: true });
    }
    return EXIT.success;
  },
});
