import { forJson } from "../../../core/text/escape.ts";
import { printTaskMarkdown } from "../../../tasks/formats/markdown.ts";
import { TASK_STATUSES } from "../../../tasks/model.ts";
import { parseChoice } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { TASK_STORE_OPTION } from "../../options/task-change.ts";
import { taskForm } from "../../print/task-form.ts";

const FORMATS = ["jsonl", "markdown"] as const;
const BATCH = 1_000;

export const exportTasks = defineCommand({
  arguments: [],
  options: {
    format: {
      type: "string",
      value: "FORMAT",
      summary: "jsonl (all fields, one task per line) or markdown (a checklist)",
      default: "jsonl",
      completions: FORMATS,
    },
    status: {
      type: "string",
      value: "STATUS",
      summary: `Only this status: ${TASK_STATUSES.join(", ")}`,
      completions: TASK_STATUSES,
    },
    ...TASK_STORE_OPTION,
  },
  examples: [
    {
      command: "waymark task export > tasks.jsonl",
      comment: "Export all tasks, for `waymark task import`",
    },
    { command: "waymark task export --format markdown", comment: "Print a checklist" },
  ],
  seeAlso: ["task import", "task list"],
  async run({ values, terminal, home }) {
    const format = parseChoice("--format", values.format ?? "jsonl", FORMATS);
    const status =
      values.status === undefined
        ? undefined
        : parseChoice("--status", values.status, TASK_STATUSES);
    const store = await home.tasks("reading", values.store);
    const tasks = await store.list(status === undefined ? {} : { status });
    if (format === "markdown") {
      terminal.printFile(printTaskMarkdown(tasks));
      return EXIT.success;
    }
    const progress = terminal.progress("Exporting tasks");
    for (let done = 0; done < tasks.length; done += BATCH) {
      terminal.printFile(
        tasks
          .slice(done, done + BATCH)
          .map((task) => `${forJson(taskForm(task))}\n`)
          .join(""),
      );
      if (!terminal.isTty) progress.update(Math.min(done + BATCH, tasks.length), tasks.length);
    }
    progress.end();
    return EXIT.success;
  },
});
