import { parseInteger } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/list-change.ts";
import { listToChange } from "../../options/track-selection.ts";

export const move = defineCommand({
  arguments: [
    { name: "TODO", summary: "Id, text or part of the text", completions: "todos" },
    { name: "POSITION", summary: "New position, counted from 1" },
  ],
  options: CHANGE_OPTIONS,
  examples: [
    { command: "waymark todo move 3 1", comment: "Move a todo to the top" },
    {
      command: 'waymark todo move "Publish" 2 --session demo',
      comment: "Move it to the second position",
    },
  ],
  seeAlso: ["todo edit"],
  async run(call) {
    const [any = "", position = ""] = call.args;
    const to = parseInteger("POSITION", position, 1) - 1;
    return change(call, await listToChange(call), [{ op: "move", target: { any }, to }]);
  },
});
