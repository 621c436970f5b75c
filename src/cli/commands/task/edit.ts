import { UsageError } from "../../../core/error.ts";
import { ownerOf } from "../../../sessions/caller/session.ts";
import type { Json, TaskEdit } from "../../../tasks/model.ts";
import { parseInteger } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { parseTimeAhead } from "../../args/time.ts";
import { callingAgent } from "../../options/person.ts";
import { AS_OPTION, changeTask, TASK, TASK_CHANGE_OPTIONS } from "../../options/task-change.ts";
import { parsePriority } from "./add.ts";

export const edit = defineCommand({
  arguments: [TASK],
  options: {
    subject: { type: "string", value: "TEXT", summary: "New subject", perCall: true },
    description: {
      type: "string",
      value: "TEXT",
      summary: 'Description; "" removes it',
      perCall: true,
    },
    active: {
      type: "string",
      value: "TEXT",
      summary: 'Text while it is worked on, e.g. "Writing the lexer"; "" removes it',
      perCall: true,
    },
    priority: {
      type: "string",
      value: "0-4",
      summary: "Priority; 0 is the most urgent",
      perCall: true,
    },
    label: {
      type: "string",
      value: "LABEL",
      summary: "Add a label; repeat for several",
      repeatable: true,
      perCall: true,
    },
    "remove-label": {
      type: "string",
      value: "LABEL",
      summary: "Remove a label; repeat for several",
      repeatable: true,
      perCall: true,
    },
    parent: {
      type: "string",
      value: "TASK",
      summary: 'Parent task; "" for none',
      completions: "tasks",
      perCall: true,
    },
    "max-attempts": {
      type: "string",
      value: "N",
      summary: "Number of attempts before the task fails",
      perCall: true,
    },
    "not-before": {
      type: "string",
      value: "TIME",
      summary: 'Earliest claim: ISO 8601, HH:MM, a duration or now; "" for none',
      perCall: true,
    },
    deadline: {
      type: "string",
      value: "TIME",
      summary: 'Time after which it is overdue; "" for none',
      perCall: true,
    },
    check: {
      type: "string",
      value: "NAME",
      summary: 'Check that has to pass before the task can be finished; "" for none',
      perCall: true,
    },
    meta: {
      type: "string",
      value: "KEY=VALUE",
      summary: "Set a metadata value, as JSON or text; KEY= removes it",
      repeatable: true,
      perCall: true,
    },
    ...AS_OPTION,
    ...TASK_CHANGE_OPTIONS,
  },
  examples: [
    {
      command: 'waymark task edit t1 --subject "Write the lexer" --priority 0',
      comment: "Change the subject and the priority",
    },
    {
      command: "waymark task edit t1 --label core --meta size=3 --meta note=",
      comment: "Add a label and change metadata",
    },
  ],
  seeAlso: ["task show", "task block"],
  async run(call) {
    const [id = ""] = call.args;
    const { values } = call;
    const { subject, description, active, priority, label, parent, meta, check, deadline } = values;
    const notBefore = values["not-before"];
    const removed = values["remove-label"];
    const attempts = values["max-attempts"];
    const set: TaskEdit = {
      ...(subject !== undefined && { subject }),
      ...(description !== undefined && { description: description || null }),
      ...(active !== undefined && { activeText: active || null }),
      ...(priority !== undefined && { priority: parsePriority(priority) }),
      ...(label !== undefined && { addLabels: label }),
      ...(removed !== undefined && { removeLabels: removed }),
      ...(parent !== undefined && { parent: parent || null }),
      ...(attempts !== undefined && { maxAttempts: parseInteger("--max-attempts", attempts, 1) }),
      ...(notBefore !== undefined && { notBefore: timeOrNone("--not-before", notBefore) }),
      ...(deadline !== undefined && { deadline: timeOrNone("--deadline", deadline) }),
      ...(check !== undefined && { check: check || null }),
      ...(meta !== undefined && { metadata: Object.fromEntries(meta.map(readPair)) }),
    };
    if (Object.keys(set).length === 0)
      throw new UsageError(
        "Nothing to change. Pass --subject, --description, --priority, --label or another option.",
      );
    // An agent may set a check, but only the user may change or remove it.
    const agent = check === undefined ? undefined : callingAgent(call);
    const as = values.as ?? (agent && ownerOf(agent));
    return changeTask(
      { ...call, values: { ...values, ...(as !== undefined && { as }) } },
      { op: "edit", id, set },
      (task) => `Changed ${task.id}`,
    );
  },
});

/** `now` removes a delay: a time that has passed delays nothing. */
function timeOrNone(name: string, given: string): number | null {
  return given === "" || given === "now" ? null : parseTimeAhead(name, given, Date.now());
}

function readPair(given: string): [string, Json] {
  const at = given.indexOf("=");
  if (at < 1) throw new UsageError(`Invalid --meta "${given.slice(0, 40)}". Use KEY=VALUE.`);
  const text = given.slice(at + 1);
  if (text === "") return [given.slice(0, at), null];
  try {
    return [given.slice(0, at), JSON.parse(text)];
  } catch {
    // Not JSON: a plain string.
    return [given.slice(0, at), text];
  }
}
