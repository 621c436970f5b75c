import { findTask } from "../../../tasks/links/detail.ts";
import { defineCommand, JSON_OPTION } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { textOptions } from "../../io/text-options.ts";
import { refuseTask, TASK, TASK_STORE_OPTION } from "../../options/task-change.ts";
import { taskForm } from "../../print/task-form.ts";

export const show = defineCommand({
  arguments: [TASK],
  options: { json: JSON_OPTION, ...TASK_STORE_OPTION },
  examples: [
    { command: "waymark task show t1", comment: "Show a task and its dependencies" },
    {
      command: "waymark task show 1 --json",
      comment: "Print it as JSON; the t of the id can be omitted",
    },
  ],
  seeAlso: ["task list", "task history", "task dep"],
  async run(call) {
    const { args, values, terminal, home } = call;
    const [id = ""] = args;
    const store = await home.tasks("reading", values.store);
    const found = await findTask(store, id);
    if (!found.ok) return refuseTask(call, found.refused);
    const { task, blocks, children } = found.detail;
    if (values.json) {
      terminal.printJson({ ...taskForm(task), blocks, children });
      return EXIT.success;
    }
    const { renderTask } = await import("../../../surfaces/text/tasks/index.ts");
    terminal.print(renderTask(found.detail, textOptions(terminal, await store.now())));
    return EXIT.success;
  },
});
