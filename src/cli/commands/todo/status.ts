import type { Op, TodoTarget } from "../../../core/model.ts";
import {
  type Call,
  type Command,
  defineCommand,
  type Example,
  type Options,
} from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/list-change.ts";
import { listToChange } from "../../options/track-selection.ts";

export const TODO = {
  name: "TODO",
  summary: "Id, text or unique part of the text",
  completions: "todos",
} as const;

interface Action<O extends Options> {
  readonly single?: boolean;
  readonly options?: O;
  readonly examples: readonly Example[];
  readonly op: (target: TodoTarget, values: Call<O>["values"]) => Op;
}

/** Defines a command that applies one op to each todo: to all of them or to none. */
function onTodos<const O extends Options = Record<never, never>>({
  single = false,
  options,
  examples,
  op,
}: Action<O>): Command {
  return defineCommand({
    arguments: [{ ...TODO, repeatable: !single }],
    options: { ...options, ...CHANGE_OPTIONS },
    examples,
    seeAlso: ["todos", "todo edit"],
    async run(call) {
      const list = await listToChange(call);
      const ops = call.args.map((any) => op({ any }, call.values as Call<O>["values"]));
      return change(call, list, ops);
    },
  });
}

export const start = onTodos({
  single: true,
  examples: [
    { command: "waymark todo start 1", comment: "Start a todo by its id" },
    {
      command: 'waymark todo start "Write the tests" --session demo',
      comment: "Start a todo by its text",
    },
  ],
  op: (target) => ({ op: "start", target }),
});

export const done = onTodos({
  options: {
    evidence: {
      type: "string",
      value: "TEXT",
      summary: "Proof that it is done: a command, a path or a URL",
      perCall: true,
    },
  },
  examples: [
    {
      command: 'waymark todo done 1 --evidence "npm test"',
      comment: "Complete a todo with evidence",
    },
    { command: "waymark todo done 1 2 --session demo", comment: "Complete two todos" },
  ],
  op: (target, { evidence }) => ({
    op: "finish",
    target,
    ...(evidence !== undefined && { evidence }),
  }),
});

export const drop = onTodos({
  examples: [
    { command: "waymark todo drop 2", comment: "Drop a todo that is no longer needed" },
    {
      command: 'waymark todo drop "Publish" --session demo',
      comment: "Drop a todo by part of its text",
    },
  ],
  op: (target) => ({ op: "drop", target }),
});

export const rm = onTodos({
  examples: [
    {
      command: "waymark todo rm 2",
      comment: "Remove a todo; the history keeps it",
    },
    { command: "waymark todo rm 1 3 --session demo", comment: "Remove two todos" },
  ],
  op: (target) => ({ op: "remove", target }),
});

export const reopen = onTodos({
  examples: [
    { command: "waymark todo reopen 1", comment: "Reopen a todo" },
    { command: "waymark todo reopen 1 2 --session demo", comment: "Reopen two todos" },
  ],
  op: (target) => ({ op: "reopen", target }),
});

export const block = onTodos({
  options: { reason: { type: "string", value: "TEXT", summary: "Reason", perCall: true } },
  examples: [
    {
      command: 'waymark todo block 2 --reason "no access yet"',
      comment: "Block a todo with a reason",
    },
    { command: "waymark todo block 2 3 --session demo", comment: "Block two todos" },
  ],
  op: (target, { reason }) => ({ op: "block", target, ...(reason !== undefined && { reason }) }),
});

export const unblock = onTodos({
  examples: [
    { command: "waymark todo unblock 2", comment: "Unblock a todo" },
    { command: "waymark todo unblock 2 3 --session demo", comment: "Unblock two todos" },
  ],
  op: (target) => ({ op: "unblock", target }),
});
