import { forJson } from "../../../core/text/escape.ts";
import { printTaskMarkdown } from "../../../tasks/formats/markdown.ts";
import { TASK_STATUSES } from "../../../tasks/model.ts";
import { oneOf } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { TASK_STORE } from "../../options/task-change.ts";

const FORMATS = ["jsonl", "markdown"] as const;
const PORTION = 1_000;

export const exportTasks = defineCommand({
  arguments: [],
  options: {
    format: {
      type: "string",
      value: "FORMAT",
      summary: "jsonl, one task a line with all its fields, or markdown, a checklist",
      words: FORMATS,
    },
    status: {
      type: "string",
      value: "STATUS",
      summary: `Only these: ${TASK_STATUSES.join(", ")}`,
      words: TASK_STATUSES,
    },
    ...TASK_STORE,
  },
  examples: [
    { command: "waymark task export > tasks.jsonl", says: "All of them, for waymark task import" },
    { command: "waymark task export --format markdown", says: "A checklist to read" },
  ],
  async run({ values, terminal, home }) {
    const format = oneOf("--format", values.format ?? "jsonl", FORMATS);
    const status =
      values.status === undefined ? undefined : oneOf("--status", values.status, TASK_STATUSES);
    const store = await home.tasks("reading", values.store);
    const tasks = await store.list(status === undefined ? {} : { status });
    if (format === "markdown") {
      terminal.printFile(printTaskMarkdown(tasks));
      return EXIT.fine;
    }
    const progress = terminal.progress("Exporting tasks");
    for (let done = 0; done < tasks.length; done += PORTION) {
      terminal.printFile(
        tasks
          .slice(done, done + PORTION)
          .map((task) => `${forJson(task)}\n`)
          .join(""),
      );
      if (!terminal.isTty) progress.update(Math.min(done + PORTION, tasks.length), tasks.length);
    }
    progress.end();
    return EXIT.fine;
  },
});
