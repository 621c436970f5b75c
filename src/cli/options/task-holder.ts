import { UsageError } from "../../core/error.ts";
import type { Held, Task, TaskOp } from "../../tasks/model.ts";
import { wholeNumber } from "../args/arguments.ts";
import {
  type Call,
  type Command,
  defineCommand,
  type Example,
  type Options,
} from "../args/command.ts";
import { changeTask, TASK, TASK_CHANGE } from "./task-change.ts";

/** What the holder of a task says with every call on it. */
export const HOLDER = {
  as: { type: "string", value: "OWNER", summary: "Who you are: what you claimed it as" },
  epoch: { type: "string", value: "N", summary: "The epoch that the claim gave you" },
} as const satisfies Options;

export function owner({ as }: { readonly as?: string }): string {
  if (as === undefined) throw new UsageError("--as is missing: say who you are, --as NAME.");
  return as;
}

interface Action<O extends Options> {
  readonly options: O;
  readonly notes?: readonly string[];
  readonly examples: readonly Example[];
  /** A task that nobody holds may be meant: then there is no epoch. */
  readonly free?: true;
  op(values: Call<O>["values"], by: { owner: string; held: readonly Held[] }): TaskOp;
  words(task: Task): string;
}

/** A command by which the holder of a task writes to it. */
export function holderCommand<const O extends Options>(action: Action<O>): Command {
  const { options, notes, examples } = action;
  return defineCommand({
    arguments: [TASK],
    options: { ...HOLDER, ...options, ...TASK_CHANGE },
    ...(notes && { notes }),
    examples,
    async run(given) {
      // The compiler cannot see through an `O` that may declare anything.
      const call = given as unknown as Call<typeof HOLDER & typeof TASK_CHANGE>;
      const [id = ""] = call.args;
      const { epoch } = call.values;
      if (epoch === undefined && !action.free)
        throw new UsageError(
          "--epoch is missing: give the number that waymark task claim printed.",
        );
      const by = {
        owner: owner(call.values),
        held: [{ id, ...(epoch !== undefined && { epoch: wholeNumber("--epoch", epoch, 0) }) }],
      };
      const op = action.op(given.values as Call<O>["values"], by);
      return changeTask(call, op, action.words);
    },
  });
}
