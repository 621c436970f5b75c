import { forJson } from "../../../core/text/escape.ts";
import { catchInterrupts } from "../../../home/interrupts.ts";
import type { TaskEvent } from "../../../tasks/model.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { textOptions } from "../../io/text-options.ts";
import { TASK_STORE } from "../../options/task-change.ts";

export const watch = defineCommand({
  arguments: [],
  options: {
    json: { type: "boolean", summary: "Print every event as one line of JSON" },
    ...TASK_STORE,
  },
  notes: ["Changes of every process are told, in order. Ctrl+C ends it."],
  examples: [
    { command: "waymark task watch", says: "In words" },
    { command: "waymark task watch --json", says: "For a program" },
  ],
  async run({ values, terminal, home }) {
    const store = await home.tasks("writing", values.store);
    const { renderTaskHistory } = await import("../../../surfaces/text/tasks/index.ts");
    let day = "";
    const inWords = (event: TaskEvent): string => {
      const [today = "", ...lines] = renderTaskHistory(
        [event],
        textOptions(terminal, event.at),
      ).split("\n");
      const isNew = today !== day;
      day = today;
      return [...(isNew ? [today] : []), ...lines].join("\n");
    };
    await new Promise<void>((resolve, reject) => {
      // Watching alone keeps no process alive.
      const alive = setInterval(() => undefined, 60_000);
      const end = (finish: () => void): void => {
        clearInterval(alive);
        stop();
        interrupts.release();
        finish();
      };
      const finish = () => end(resolve);
      const interrupts = catchInterrupts(finish);
      const stop = store.watch((event) => {
        try {
          terminal.print(values.json ? forJson(event) : inWords(event));
        } catch (error) {
          end(() => reject(error));
        }
      });
    });
    return EXIT.fine;
  },
});
