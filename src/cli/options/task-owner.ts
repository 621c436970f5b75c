import { UsageError } from "../../core/error.ts";
import type { ClaimRef, Task, TaskOp } from "../../tasks/model.ts";
import { parseInteger } from "../args/arguments.ts";
import {
  type Call,
  type Command,
  defineCommand,
  type Example,
  type Options,
} from "../args/command.ts";
import { changeTask, TASK, TASK_CHANGE_OPTIONS } from "./task-change.ts";

/** For commands of the owner of a task. */
export const OWNER_OPTIONS = {
  as: { type: "string", value: "OWNER", summary: "Owner that claimed the task" },
  epoch: { type: "string", value: "N", summary: "Epoch that `waymark task claim` printed" },
} as const satisfies Options;

export function requireOwner({ as }: { readonly as?: string }): string {
  if (as === undefined)
    throw new UsageError("Missing --as OWNER. Name the owner of the task, e.g. --as ann.");
  return as;
}

interface Action<O extends Options> {
  readonly options: O;
  readonly notes?: readonly string[];
  readonly examples: readonly Example[];
  readonly seeAlso: readonly string[];
  op(values: Call<O>["values"], by: { owner: string; held: readonly ClaimRef[] }): TaskOp;
  summarize(task: Task): string;
}

/** Defines a command that the owner of a task runs on it. */
export function ownerCommand<const O extends Options>(action: Action<O>): Command {
  const { options, notes, examples, seeAlso } = action;
  return defineCommand({
    arguments: [TASK],
    options: { ...OWNER_OPTIONS, ...options, ...TASK_CHANGE_OPTIONS },
    ...(notes && { notes }),
    examples,
    seeAlso,
    async run(given) {
      // TypeScript cannot prove that `O` leaves the shared options alone.
      const call = given as unknown as Call<typeof OWNER_OPTIONS & typeof TASK_CHANGE_OPTIONS>;
      const [id = ""] = call.args;
      const { epoch } = call.values;
      if (epoch === undefined)
        throw new UsageError(
          "Missing --epoch N. Use the number that `waymark task claim` printed.",
        );
      const by = {
        owner: requireOwner(call.values),
        held: [{ id, epoch: parseInteger("--epoch", epoch, 0) }],
      };
      const op = action.op(given.values as Call<O>["values"], by);
      return changeTask(call, op, action.summarize);
    },
  });
}
