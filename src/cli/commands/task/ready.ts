import { wholeNumber } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { TASK_STORE } from "../../options/task-change.ts";
import { printTasks } from "../../print/task-table.ts";

const ROWS = 20;

export const ready = defineCommand({
  arguments: [],
  options: {
    limit: { type: "string", value: "N", summary: `At most N; ${ROWS} unless told` },
    label: { type: "string", value: "LABEL", summary: "Only with this label" },
    json: { type: "boolean", summary: "Print JSON" },
    ...TASK_STORE,
  },
  notes: [
    "Ready is what is open, held by nobody, and waits for nothing that is not done. What a silent holder let lapse is ready again.",
  ],
  examples: [
    { command: "waymark task ready", says: "The most urgent first" },
    { command: "waymark task ready --limit 1 --json", says: "The next one, for a program" },
  ],
  async run({ values, terminal, home }) {
    const limit = values.limit === undefined ? ROWS : wholeNumber("--limit", values.limit, 1);
    const store = await home.tasks("reading", values.store);
    const { label } = values;
    const tasks = await store.ready({ limit, ...(label !== undefined && { label }) });
    if (values.json) {
      terminal.printJson(tasks);
      return EXIT.fine;
    }
    if (tasks.length > 0) await printTasks({ terminal, store, tasks, whole: true });
    else {
      const { open, claimed } = await store.counts();
      terminal.print("Nothing is ready.");
      terminal.say(
        open + claimed === 0
          ? "No task is open. Add one: waymark task add SUBJECT"
          : `${claimed} claimed, ${open} waiting: waymark task graph shows for what.`,
      );
    }
    return EXIT.fine;
  },
});
