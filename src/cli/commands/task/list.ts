import { TASK_STATUSES } from "../../../tasks/model.ts";
import { oneOf, wholeNumber } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { TASK_STORE } from "../../options/task-change.ts";
import { printTasks } from "../../print/task-table.ts";

export const list = defineCommand({
  arguments: [],
  options: {
    status: {
      type: "string",
      value: "STATUS",
      summary: `Only these: ${TASK_STATUSES.join(", ")}`,
      words: TASK_STATUSES,
    },
    owner: {
      type: "string",
      value: "OWNER",
      summary: "Only what this one holds, or held when it was closed",
    },
    label: { type: "string", value: "LABEL", summary: "Only with this label" },
    parent: { type: "string", value: "TASK", summary: "Only parts of this task", words: "tasks" },
    all: { type: "boolean", summary: "Closed ones as well, and every row" },
    limit: { type: "string", value: "N", summary: "Only the first N" },
    json: { type: "boolean", summary: "Print JSON; every task unless told otherwise" },
    ...TASK_STORE,
  },
  examples: [
    { command: "waymark task list", says: "What is open or being worked on" },
    { command: "waymark task list --status claimed --owner ann", says: "What one agent works on" },
    { command: "waymark task list --label core --json", says: "For a program" },
  ],
  async run({ values, terminal, home }) {
    const { owner, label, parent, all, json } = values;
    const status =
      values.status === undefined ? undefined : oneOf("--status", values.status, TASK_STATUSES);
    const limit = values.limit === undefined ? undefined : wholeNumber("--limit", values.limit, 1);
    const store = await home.tasks("reading", values.store);
    const filter = {
      ...(status !== undefined && { status }),
      ...(owner !== undefined && { owner }),
      ...(label !== undefined && { label }),
      ...(parent !== undefined && { parent }),
    };
    const named = status !== undefined || all || json;
    const found = named
      ? await store.list(filter)
      : [
          ...(await store.list({ ...filter, status: "claimed" })),
          ...(await store.list({ ...filter, status: "open" })),
        ];
    const tasks = limit === undefined ? found : found.slice(0, limit);
    if (json) {
      terminal.printJson(tasks);
      return EXIT.fine;
    }
    await printTasks({ terminal, store, tasks, whole: all === true || limit !== undefined });
    if (tasks.length === 0) await sayWhatElse();
    return EXIT.fine;

    async function sayWhatElse(): Promise<void> {
      const { open, claimed, done, failed, cancelled } = await store.counts();
      const total = open + claimed + done + failed + cancelled;
      terminal.say(
        total === 0
          ? "Add the first one: waymark task add SUBJECT"
          : `There ${total === 1 ? "is" : "are"} ${total} in all: ${open} open, ${claimed} claimed, ${done} done, ${failed} failed, ${cancelled} cancelled. waymark task list --all shows them.`,
      );
    }
  },
});
