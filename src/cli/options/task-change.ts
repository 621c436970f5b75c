import { refusalWithoutSecrets } from "../../engines/storage/own-secrets.ts";
import type { Task, TaskAnswer, TaskOp, TaskRefusal } from "../../tasks/model.ts";
import type { Call, Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import type { Terminal } from "../io/terminal.ts";

/** Of every command about tasks. */
export const TASK_STORE = {
  store: {
    type: "string",
    value: "URL",
    summary: "Where the tasks are: postgres://...; else WAYMARK_STORE, else this machine",
  },
} as const satisfies Options;

export const TASK = {
  name: "TASK",
  summary: "the id of a task, such as t3",
  words: "tasks",
} as const;

/** What every command that changes a task takes. */
export const TASK_CHANGE = {
  key: {
    type: "string",
    value: "KEY",
    summary: "Unique for this change: the same key never acts twice",
  },
  json: { type: "boolean", summary: "Print JSON: the task, or the code of the refusal" },
  ...TASK_STORE,
} as const satisfies Options;

/** Who sends it; a person unless an owner is named. */
export const AS = {
  as: { type: "string", value: "OWNER", summary: "Who you are" },
} as const satisfies Options;

type ChangeCall = Pick<Call<typeof TASK_CHANGE & typeof AS>, "values" | "terminal" | "home">;

export async function sendTask({ values, home }: ChangeCall, op: TaskOp): Promise<TaskAnswer> {
  const { key, as: actor, store } = values;
  const tasks = await home.tasks("writing", store);
  return tasks.apply(op, {
    by: actor === undefined ? "user" : "agent",
    via: "cli",
    ...(actor !== undefined && { actor }),
    ...(key !== undefined && { key }),
  });
}

export function refuseTask(
  { values, terminal }: Pick<ChangeCall, "values" | "terminal">,
  { short: _, ...refused }: Omit<TaskRefusal, "message"> & { readonly message: string },
): Exit {
  if (values.json) terminal.printJson(refusalWithoutSecrets(refused));
  terminal.say(`waymark: ${refused.message}`);
  return EXIT.no;
}

/** Makes the change and says what came of it: the one task, in JSON or in the words given. */
export async function changeTask(
  call: ChangeCall,
  op: TaskOp,
  words: (task: Task) => string,
): Promise<Exit> {
  const answer = await sendTask(call, op);
  if (!answer.ok) return refuseTask(call, answer.refused);
  const [task] = answer.tasks;
  sayDuplicate(call.terminal, answer);
  if (call.values.json) call.terminal.printJson(task);
  else if (task) call.terminal.printText(words(task));
  return EXIT.fine;
}

export function sayDuplicate(terminal: Terminal, answer: TaskAnswer): void {
  if (answer.ok && answer.duplicate)
    terminal.say("This key was used before: nothing was done again.");
}
