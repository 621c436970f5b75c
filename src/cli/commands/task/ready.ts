import { parseInteger } from "../../args/arguments.ts";
import { defineCommand, JSON_OPTION } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { TASK_STORE_OPTION } from "../../options/task-change.ts";
import { taskForm } from "../../print/task-form.ts";
import { printTasks } from "../../print/task-table.ts";

const ROWS = 20;

export const ready = defineCommand({
  arguments: [],
  options: {
    limit: { type: "string", value: "N", summary: "Only the first N tasks", default: String(ROWS) },
    label: { type: "string", value: "LABEL", summary: "Only tasks with this label" },
    json: JSON_OPTION,
    ...TASK_STORE_OPTION,
  },
  notes: [
    "A task is ready if it is open, not claimed, not delayed, and all its blockers are done. A task whose lease expired is ready again.",
  ],
  examples: [
    { command: "waymark task ready", comment: "List ready tasks, most urgent first" },
    {
      command: "waymark task ready --limit 1 --json",
      comment: "Print the most urgent one as JSON",
    },
  ],
  seeAlso: ["task claim", "task list"],
  async run({ values, terminal, home }) {
    const limit = values.limit === undefined ? ROWS : parseInteger("--limit", values.limit, 1);
    const store = await home.tasks("reading", values.store);
    const { label } = values;
    const tasks = await store.ready({ limit, ...(label !== undefined && { label }) });
    if (values.json) {
      terminal.printJson(tasks.map(taskForm));
      return EXIT.success;
    }
    if (tasks.length > 0) await printTasks({ terminal, store, tasks, whole: true });
    else {
      const { open, claimed, delayed } = await store.counts();
      terminal.print("No tasks are ready.");
      terminal.printError(
        open + claimed === 0
          ? "Add one with `waymark task add SUBJECT`."
          : `${claimed} claimed, ${open - delayed} blocked${delayed > 0 ? `, ${delayed} delayed` : ""}. \`waymark task graph\` shows the dependencies.`,
      );
    }
    return EXIT.success;
  },
});
