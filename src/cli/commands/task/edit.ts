import { UsageError } from "../../../core/error.ts";
import type { Json, TaskEdit } from "../../../tasks/model.ts";
import { wholeNumber } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { AS, changeTask, TASK, TASK_CHANGE } from "../../options/task-change.ts";
import { readPriority } from "./add.ts";

export const edit = defineCommand({
  arguments: [TASK],
  options: {
    subject: { type: "string", value: "TEXT", summary: "What is to be done" },
    description: { type: "string", value: "TEXT", summary: 'All about it; "" takes it away' },
    active: { type: "string", value: "TEXT", summary: 'The same as it happens; "" takes it away' },
    priority: { type: "string", value: "0-4", summary: "0 is the most urgent" },
    label: { type: "string", value: "LABEL", summary: "Add a label", many: true },
    "remove-label": { type: "string", value: "LABEL", summary: "Take a label away", many: true },
    parent: {
      type: "string",
      value: "TASK",
      summary: 'The task that it is a part of; "" for none',
      words: "tasks",
    },
    "max-attempts": { type: "string", value: "N", summary: "How often it is tried" },
    meta: {
      type: "string",
      value: "KEY=VALUE",
      summary: "Set a value of the metadata, as JSON or as text; KEY= takes it away",
      many: true,
    },
    ...AS,
    ...TASK_CHANGE,
  },
  examples: [
    {
      command: 'waymark task edit t1 --subject "Write the lexer" --priority 0',
      says: "Two fields",
    },
    {
      command: "waymark task edit t1 --label core --meta size=3 --meta note=",
      says: "A label, and what programs want to know",
    },
  ],
  async run(call) {
    const [id = ""] = call.args;
    const { values } = call;
    const { subject, description, active, priority, label, parent, meta } = values;
    const removed = values["remove-label"];
    const attempts = values["max-attempts"];
    const set: TaskEdit = {
      ...(subject !== undefined && { subject }),
      ...(description !== undefined && { description: description || null }),
      ...(active !== undefined && { activeText: active || null }),
      ...(priority !== undefined && { priority: readPriority(priority) }),
      ...(label !== undefined && { addLabels: label }),
      ...(removed !== undefined && { removeLabels: removed }),
      ...(parent !== undefined && { parent: parent || null }),
      ...(attempts !== undefined && { maxAttempts: wholeNumber("--max-attempts", attempts, 1) }),
      ...(meta !== undefined && { metadata: Object.fromEntries(meta.map(readPair)) }),
    };
    if (Object.keys(set).length === 0)
      throw new UsageError("Say what changes: --subject, --description, --priority, --label, ...");
    return changeTask(call, { op: "edit", id, set }, (task) => `changed ${task.id}`);
  },
});

function readPair(given: string): [string, Json] {
  const at = given.indexOf("=");
  if (at < 1) throw new UsageError(`--meta is "${given.slice(0, 40)}"; give KEY=VALUE.`);
  const text = given.slice(at + 1);
  if (text === "") return [given.slice(0, at), null];
  try {
    return [given.slice(0, at), JSON.parse(text)];
  } catch {
    // A word without quotes is meant as it stands.
    return [given.slice(0, at), text];
  }
}
