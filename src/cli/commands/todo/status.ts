import type { Op, Target } from "../../../core/model.ts";
import {
  type Call,
  type Command,
  defineCommand,
  type Example,
  type Options,
} from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/change.ts";
import { listToChange } from "../../options/which-track.ts";

export const TODO = {
  name: "TODO",
  summary: "a todo: its id, its text, or a part of the text that no other has",
  words: "todos",
} as const;

interface Action<O extends Options> {
  readonly single?: boolean;
  readonly options?: O;
  readonly examples: readonly Example[];
  readonly op: (target: Target, values: Call<O>["values"]) => Op;
}

/** A command that does the same to every todo it is given, to all of them or to none. */
function onTodos<const O extends Options = Record<never, never>>({
  single = false,
  options,
  examples,
  op,
}: Action<O>): Command {
  return defineCommand({
    arguments: [{ ...TODO, many: !single }],
    options: { ...options, ...CHANGE_OPTIONS },
    examples,
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
    { command: "waymark todo start 1", says: "By its id" },
    { command: 'waymark todo start "Write the tests" --session demo', says: "By its text" },
  ],
  op: (target) => ({ op: "start", target }),
});

export const done = onTodos({
  options: {
    evidence: { type: "string", value: "TEXT", summary: "What shows it: a command, a path, a URL" },
  },
  examples: [
    { command: 'waymark todo done 1 --evidence "npm test"', says: "With what shows it" },
    { command: "waymark todo done 1 2 --session demo", says: "Two at once" },
  ],
  op: (target, { evidence }) => ({
    op: "finish",
    target,
    ...(evidence !== undefined && { evidence }),
  }),
});

export const drop = onTodos({
  examples: [
    { command: "waymark todo drop 2", says: "It is no longer needed" },
    { command: 'waymark todo drop "Publish" --session demo', says: "By a part of its text" },
  ],
  op: (target) => ({ op: "drop", target }),
});

export const rm = onTodos({
  examples: [
    { command: "waymark todo rm 2", says: "As if it had never been there; the history keeps it" },
    { command: "waymark todo rm 1 3 --session demo", says: "Two at once" },
  ],
  op: (target) => ({ op: "remove", target }),
});

export const reopen = onTodos({
  examples: [
    { command: "waymark todo reopen 1", says: "It was not done after all" },
    { command: "waymark todo reopen 1 2 --session demo", says: "Two at once" },
  ],
  op: (target) => ({ op: "reopen", target }),
});

export const block = onTodos({
  options: { reason: { type: "string", value: "TEXT", summary: "What it waits for" } },
  examples: [
    { command: 'waymark todo block 2 --reason "no access yet"', says: "With the reason" },
    { command: "waymark todo block 2 3 --session demo", says: "Two at once" },
  ],
  op: (target, { reason }) => ({ op: "block", target, ...(reason !== undefined && { reason }) }),
});

export const unblock = onTodos({
  examples: [
    { command: "waymark todo unblock 2", says: "It can go on" },
    { command: "waymark todo unblock 2 3 --session demo", says: "Two at once" },
  ],
  op: (target) => ({ op: "unblock", target }),
});
