import { forJson } from "../../../core/text/escape.ts";
import { catchInterrupts } from "../../../home/interrupts.ts";
import type { TaskEvent } from "../../../tasks/model.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { textOptions } from "../../io/text-options.ts";
import { TASK_STORE_OPTION } from "../../options/task-change.ts";
import { taskEventForm } from "../../print/task-form.ts";

export const watch = defineCommand({
  arguments: [],
  options: {
    json: { type: "boolean", summary: "Print events as JSON lines", perCall: true },
    ...TASK_STORE_OPTION,
  },
  notes: ["Prints the changes of all processes in order, until Ctrl+C."],
  examples: [
    { command: "waymark task watch", comment: "Print changes as text" },
    { command: "waymark task watch --json", comment: "Print changes as JSON lines" },
  ],
  seeAlso: ["task history", "watch"],
  async run({ values, terminal, home }) {
    const store = await home.tasks("writing", values.store);
    const { renderTaskHistory } = await import("../../../surfaces/text/tasks/index.ts");
    let day = "";
    const asText = (event: TaskEvent): string => {
      const [today = "", ...lines] = renderTaskHistory(
        [event],
        textOptions(terminal, event.at),
      ).split("\n");
      const isNew = today !== day;
      day = today;
      return [...(isNew ? [today] : []), ...lines].join("\n");
    };
    await new Promise<void>((resolve, reject) => {
      // A subscription alone does not keep the process alive.
      const keepAlive = setInterval(() => undefined, 60_000);
      const end = (finish: () => void): void => {
        clearInterval(keepAlive);
        stop();
        interrupts.release();
        finish();
      };
      const finish = () => end(resolve);
      const interrupts = catchInterrupts(finish);
      const stop = store.watch((event) => {
        try {
          terminal.print(values.json ? forJson(taskEventForm(event)) : asText(event));
        } catch (error) {
          end(() => reject(error));
        }
      });
    });
    return EXIT.success;
  },
});
