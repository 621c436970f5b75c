import { UsageError } from "../../../core/error.ts";
import type { Op } from "../../../core/model.ts";
import { oneLine } from "../../../core/text/escape.ts";
import { defineCommand } from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/change.ts";
import { listToWrite } from "../../options/which-track.ts";

export const add = defineCommand({
  arguments: [{ name: "TEXT", summary: "what is to be done; each one is a todo", many: true }],
  options: {
    phase: { type: "string", value: "PHASE", summary: "The phase that it belongs to" },
    active: { type: "string", value: "TEXT", summary: "The same as it happens: Writing the tests" },
    start: { type: "boolean", summary: "Begin it at once" },
    ...CHANGE_OPTIONS,
  },
  examples: [
    {
      command: 'waymark todo add "Fix the parser" --start',
      says: "Begin a list, or go on with it",
    },
    { command: 'waymark todo add "Build" "Publish" --phase Release', says: "Two todos of a phase" },
  ],
  async run(call) {
    const { values, args } = call;
    const { phase, active } = values;
    const [first = ""] = args;
    const single = (["active", "start"] as const).find((name) => values[name] !== undefined);
    if (single && args.length > 1)
      throw new UsageError(`--${single} goes with one TEXT; ${args.length} were given.`);
    const todos = args.map((text) => ({
      text,
      ...(phase !== undefined && { phase }),
      ...(active !== undefined && { activeText: active }),
    }));
    // The new todo is started by its text, so that text must not be there already.
    const ops: Op[] = values.start
      ? [
          { op: "add", todos, unique: true },
          { op: "start", target: { text: oneLine(first) } },
        ]
      : [{ op: "add", todos }];
    return change(call, await listToWrite(call), ops);
  },
});
