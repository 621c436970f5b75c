import { UsageError } from "../../../core/error.ts";
import type { Op } from "../../../core/model.ts";
import { oneLine } from "../../../core/text/escape.ts";
import { defineCommand } from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/list-change.ts";
import { listToWrite } from "../../options/track-selection.ts";

export const add = defineCommand({
  arguments: [
    {
      name: "TEXT",
      summary: "Text of the todo, quoted; repeat for several todos",
      repeatable: true,
    },
  ],
  options: {
    phase: { type: "string", value: "PHASE", summary: "Phase to add to", perCall: true },
    active: {
      type: "string",
      value: "TEXT",
      summary: 'Text while it is in progress, e.g. "Writing the tests"',
      perCall: true,
    },
    start: { type: "boolean", summary: "Start it at once", perCall: true },
    ...CHANGE_OPTIONS,
  },
  examples: [
    {
      command: 'waymark todo add "Fix the parser" --start',
      comment: "Add a todo and start it",
    },
    {
      command: 'waymark todo add "Build" "Publish" --phase Release',
      comment: "Add two todos to a phase",
    },
  ],
  seeAlso: ["todos", "todo start", "todo import"],
  async run(call) {
    const { values, args } = call;
    const { phase, active } = values;
    const [first = ""] = args;
    const single = (["active", "start"] as const).find((name) => values[name] !== undefined);
    if (single && args.length > 1)
      throw new UsageError(
        `--${single} needs a single TEXT, but there are ${args.length}. Put text of several words in quotes.`,
      );
    const todos = args.map((text) => ({
      text,
      ...(phase !== undefined && { phase }),
      ...(active !== undefined && { activeText: active }),
    }));
    // `start` finds the new todo by its text, so the text must be unique.
    const ops: Op[] = values.start
      ? [
          { op: "add", todos, unique: true },
          { op: "start", target: { text: oneLine(first) } },
        ]
      : [{ op: "add", todos }];
    return change(call, await listToWrite(call), ops);
  },
});
