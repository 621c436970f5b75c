import { defineCommand } from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/change.ts";
import { listToChange } from "../../options/which-track.ts";

export const clear = defineCommand({
  arguments: [],
  options: CHANGE_OPTIONS,
  examples: [
    { command: "waymark todo clear", says: "Your list of this directory" },
    { command: "waymark todo clear --session demo --json", says: "One list, for a program" },
  ],
  run: async (call) => change(call, await listToChange(call), [{ op: "clear" }]),
});
