import { UsageError } from "../../../core/error.ts";
import { counted } from "../../../core/text/count.ts";
import { oneLine } from "../../../core/text/escape.ts";
import type { Task } from "../../../tasks/model.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { AS_OPTION, refuseTask, sendTask, TASK_STORE_OPTION } from "../../options/task-change.ts";
import { taskForm } from "../../print/task-form.ts";

export const retry = defineCommand({
  description: "Give failed tasks (dead letters) all their attempts again.",
  usage: ["TASK... [options]", "--all [--label LABEL] [options]"],
  arguments: [
    {
      name: "TASK",
      summary: "Ids of failed tasks, e.g. t3",
      completions: "tasks",
      optional: true,
      repeatable: true,
    },
  ],
  options: {
    all: { type: "boolean", summary: "All failed tasks", perCall: true },
    label: {
      type: "string",
      value: "LABEL",
      summary: "With --all, only tasks with this label",
      perCall: true,
    },
    json: { type: "boolean", summary: "Print the tasks as JSON", perCall: true },
    ...AS_OPTION,
    ...TASK_STORE_OPTION,
  },
  notes: ["`waymark task list --status failed` lists them with the reasons."],
  examples: [
    { command: "waymark task retry --all", comment: "Retry all failed tasks" },
    { command: "waymark task retry --all --label core --json", comment: "Print JSON" },
  ],
  seeAlso: ["task fail", "task reopen", "task edit"],
  async run(call) {
    const { args, values, home, terminal } = call;
    const { all, label } = values;
    if (all ? args.length > 0 : args.length === 0)
      throw new UsageError("Name the failed tasks, or use --all.");
    if (label !== undefined && !all) throw new UsageError("--label needs --all.");
    const store = await home.tasks("writing", values.store);
    const failed = all
      ? await store.list({ status: "failed", ...(label !== undefined && { label }) })
      : [];
    // Decided before the first change, so that a mistyped id changes nothing.
    for (const id of args) {
      const task = await store.get(id);
      if (task && task.status !== "failed")
        return refuseTask(call, {
          code: "not_closed",
          id: task.id,
          message: `${task.id} is ${task.status}, not failed. Only failed tasks can be retried. Nothing was changed.`,
        });
    }
    const retried: Task[] = [];
    for (const id of all ? failed.map((task) => task.id) : new Set(args)) {
      const answer = await sendTask(call, { op: "reopen", id });
      if (!answer.ok) return refuseTask(call, answer.refused);
      retried.push(...answer.tasks);
    }
    if (values.json) terminal.printJson(retried.map(taskForm));
    else {
      for (const { id, subject } of retried)
        terminal.printText(`${id} is ready again: ${oneLine(subject)}`);
      if (retried.length !== 1) terminal.print(`Retried ${counted(retried.length, "task")}.`);
    }
    return EXIT.success;
  },
});
