import { withIsoTimes } from "../../core/views/json.ts";
import { redactRefusal } from "../../engines/storage/redact-secrets.ts";
import type { Task, TaskAnswer, TaskOp, TaskRefusal, TaskSender } from "../../tasks/model.ts";
import type { Call, Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import type { Terminal } from "../io/terminal.ts";
import { taskForm } from "../print/task-form.ts";
import { refusalText } from "../print/task-refusal.ts";

/** For commands about tasks. */
export const TASK_STORE_OPTION = {
  store: {
    type: "string",
    value: "URL",
    summary: "Task store, e.g. postgres://host/db",
    default: "WAYMARK_STORE, or this machine",
  },
} as const satisfies Options;

export const TASK = {
  name: "TASK",
  summary: "Task id, e.g. t3",
  completions: "tasks",
} as const;

/** For commands that change a task. */
export const TASK_CHANGE_OPTIONS = {
  key: {
    type: "string",
    value: "KEY",
    summary: "Idempotency key; repeating a call with the same key is safe",
    perCall: true,
  },
  json: {
    type: "boolean",
    summary: "Print the task as JSON, or the error code if refused",
    perCall: true,
  },
  ...TASK_STORE_OPTION,
} as const satisfies Options;

/** For changes that anyone may make: by the user, or by the owner that is named. */
export const AS_OPTION = {
  as: { type: "string", value: "OWNER", summary: "Make the change as this owner", default: "you" },
} as const satisfies Options;

type ChangeCall = Pick<
  Call<typeof TASK_CHANGE_OPTIONS & typeof AS_OPTION>,
  "values" | "terminal" | "home"
>;

export async function sendTask(
  { values, home }: ChangeCall,
  op: TaskOp,
  sender: Pick<TaskSender, "by" | "actor"> = senderNamed(values),
): Promise<TaskAnswer> {
  const { key, store } = values;
  const tasks = await home.tasks("writing", store);
  return tasks.apply(op, { ...sender, via: "cli", ...(key !== undefined && { key }) });
}

/** Names with --as are those of agents. */
function senderNamed({ as: actor }: ChangeCall["values"]): Pick<TaskSender, "by" | "actor"> {
  return actor === undefined ? { by: "user" } : { by: "agent", actor };
}

/** The context of a refusal. */
interface RefusedCommand {
  readonly isClaim?: boolean;
  /** The owner in whose name the command ran (default: the value of --as). */
  readonly owner?: string | undefined;
  /** The command, as a user would type it. */
  readonly command?: string;
  /** A person may force it. */
  readonly mayForce?: boolean;
}

/** Prints why a change was refused, with --json also as JSON. */
export function refuseTask(
  { values, terminal }: Pick<ChangeCall, "values" | "terminal">,
  { short: _, ...refused }: Omit<TaskRefusal, "message"> & { readonly message: string },
  { owner = values.as, ...command }: RefusedCommand = {},
): Exit {
  if (values.json) terminal.printJson(withIsoTimes(redactRefusal(refused)));
  const text = refusalText(refused, { ...command, as: owner, now: Date.now() });
  terminal.printError(`waymark: ${text}`);
  return EXIT.failure;
}

/** Applies the change and prints the task: as JSON, or as `summarize` puts it. */
export async function changeTask(
  call: ChangeCall,
  op: TaskOp,
  summarize: (task: Task) => string,
): Promise<Exit> {
  const answer = await sendTask(call, op);
  if (!answer.ok) return refuseTask(call, answer.refused);
  const [task] = answer.tasks;
  reportDuplicate(call.terminal, answer);
  if (call.values.json) call.terminal.printJson(task && taskForm(task));
  else if (task) call.terminal.printText(summarize(task));
  return EXIT.success;
}

export function reportDuplicate(terminal: Terminal, answer: TaskAnswer): void {
  if (answer.ok && answer.duplicate)
    terminal.printError("This key was used before, so nothing was changed.");
}
