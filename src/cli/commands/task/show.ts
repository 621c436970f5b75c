import { findTask } from "../../../tasks/links/detail.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { textOptions } from "../../io/text-options.ts";
import { refuseTask, TASK, TASK_STORE } from "../../options/task-change.ts";

export const show = defineCommand({
  arguments: [TASK],
  options: { json: { type: "boolean", summary: "Print JSON" }, ...TASK_STORE },
  examples: [
    { command: "waymark task show t1", says: "One task with all its ties" },
    { command: "waymark task show 1 --json", says: "The letter may be left out" },
  ],
  async run(call) {
    const { args, values, terminal, home } = call;
    const [id = ""] = args;
    const store = await home.tasks("reading", values.store);
    const found = await findTask(store, id);
    if (!found.ok) return refuseTask(call, found.refused);
    const { task, blocks, children } = found.detail;
    if (values.json) {
      terminal.printJson({ ...task, blocks, children });
      return EXIT.fine;
    }
    const { renderTask } = await import("../../../surfaces/text/tasks/index.ts");
    terminal.print(renderTask(found.detail, textOptions(terminal, await store.now())));
    return EXIT.fine;
  },
});
