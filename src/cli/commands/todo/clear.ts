import { defineCommand } from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/list-change.ts";
import { listToChange } from "../../options/track-selection.ts";

export const clear = defineCommand({
  arguments: [],
  options: CHANGE_OPTIONS,
  examples: [
    { command: "waymark todo clear", comment: "Clear your list in this directory" },
    {
      command: "waymark todo clear --session demo --json",
      comment: "Clear a named list and print it as JSON",
    },
  ],
  seeAlso: ["todo rm", "history"],
  run: async (call) => change(call, await listToChange(call), [{ op: "clear" }]),
});
