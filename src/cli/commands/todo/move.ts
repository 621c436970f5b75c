import { wholeNumber } from "../../args/arguments.ts";
import { defineCommand } from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/change.ts";
import { listToChange } from "../../options/which-track.ts";

export const move = defineCommand({
  arguments: [
    { name: "TODO", summary: "the todo: its id, or a part of its text", words: "todos" },
    { name: "PLACE", summary: "where it goes, counted from 1" },
  ],
  options: CHANGE_OPTIONS,
  examples: [
    { command: "waymark todo move 3 1", says: "To the top" },
    { command: 'waymark todo move "Publish" 2 --session demo', says: "To the second place" },
  ],
  async run(call) {
    const [any = "", place = ""] = call.args;
    const to = wholeNumber("PLACE", place, 1) - 1;
    return change(call, await listToChange(call), [{ op: "move", target: { any }, to }]);
  },
});
