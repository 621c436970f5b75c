import { findTask } from "../../../tasks/links/detail.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { refuseTask, TASK, TASK_STORE } from "../../options/task-change.ts";
import { printTasks } from "../../print/task-table.ts";

export const dep = defineCommand({
  arguments: [TASK],
  options: { json: { type: "boolean", summary: "Print JSON" }, ...TASK_STORE },
  notes: ["waymark task block and unblock change what a task waits for."],
  examples: [
    { command: "waymark task dep t3", says: "Those before it and those behind it" },
    { command: "waymark task dep t3 --json", says: "Ids only: blockedBy, waitsFor, blocks" },
  ],
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
      return EXIT.fine;
    }
    if (blockedBy.length + blocks.length === 0) {
      terminal.print(`${task.id} waits for nothing, and nothing waits for it.`);
      return EXIT.fine;
    }
    for (const [what, ids] of [
      [`${task.id} waits for:`, blockedBy],
      [`These wait for ${task.id}:`, blocks],
    ] as const) {
      if (ids.length === 0) continue;
      terminal.print(what);
      const tasks = (await Promise.all(ids.map((each) => store.get(each)))).filter(
        (each) => !!each,
      );
      await printTasks({ terminal, store, tasks, whole: true });
    }
    return EXIT.fine;
  },
});
