import { counted } from "../../../core/text/count.ts";
import { TASK_STATUSES } from "../../../tasks/model.ts";
import { parseChoice, parseInteger } from "../../args/arguments.ts";
import { defineCommand, JSON_OPTION } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { TASK_STORE_OPTION } from "../../options/task-change.ts";
import { taskForm } from "../../print/task-form.ts";
import { printTasks } from "../../print/task-table.ts";

export const list = defineCommand({
  arguments: [],
  options: {
    status: {
      type: "string",
      value: "STATUS",
      summary: `Only this status: ${TASK_STATUSES.join(", ")}`,
      completions: TASK_STATUSES,
    },
    owner: {
      type: "string",
      value: "OWNER",
      summary: "Only tasks of this owner; for closed tasks, the last owner",
    },
    label: { type: "string", value: "LABEL", summary: "Only tasks with this label" },
    parent: {
      type: "string",
      value: "TASK",
      summary: "Only children of this task",
      completions: "tasks",
      perCall: true,
    },
    all: { type: "boolean", summary: "Include closed tasks, and print all rows" },
    limit: { type: "string", value: "N", summary: "Only the first N tasks" },
    json: JSON_OPTION,
    ...TASK_STORE_OPTION,
  },
  examples: [
    { command: "waymark task list", comment: "List open and claimed tasks" },
    {
      command: "waymark task list --status claimed --owner ann",
      comment: "List what one owner works on",
    },
    { command: "waymark task list --label core --json", comment: "Print JSON" },
  ],
  seeAlso: ["task ready", "task show", "task graph"],
  async run({ values, terminal, home }) {
    const { owner, label, parent, all, json } = values;
    const status =
      values.status === undefined
        ? undefined
        : parseChoice("--status", values.status, TASK_STATUSES);
    const limit = values.limit === undefined ? undefined : parseInteger("--limit", values.limit, 1);
    const store = await home.tasks("reading", values.store);
    const filter = {
      ...(status !== undefined && { status }),
      ...(owner !== undefined && { owner }),
      ...(label !== undefined && { label }),
      ...(parent !== undefined && { parent }),
    };
    const named = status !== undefined || all;
    const found = named
      ? await store.list(filter)
      : [
          ...(await store.list({ ...filter, status: "claimed" })),
          ...(await store.list({ ...filter, status: "open" })),
        ];
    const tasks = limit === undefined ? found : found.slice(0, limit);
    if (json) {
      terminal.printJson(tasks.map(taskForm));
      return EXIT.success;
    }
    await printTasks({ terminal, store, tasks, whole: all === true || limit !== undefined });
    if (tasks.length === 0) await printCounts();
    return EXIT.success;

    async function printCounts(): Promise<void> {
      const { open, claimed, done, failed, cancelled } = await store.counts();
      const total = open + claimed + done + failed + cancelled;
      terminal.printError(
        total === 0
          ? "Add one with `waymark task add SUBJECT`."
          : `No match among ${counted(total, "task")}: ${open} open, ${claimed} claimed, ${done} done, ${failed} failed, ${cancelled} cancelled. Use --all to list all.`,
      );
    }
  },
});
