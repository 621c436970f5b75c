import { defineCommand } from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/list-change.ts";
import { listToChange } from "../../options/track-selection.ts";

export const note = defineCommand({
  arguments: [
    { name: "TODO", summary: "Id, text or part of the text", completions: "todos" },
    { name: "TEXT", summary: "Note" },
  ],
  options: CHANGE_OPTIONS,
  examples: [
    {
      command: 'waymark todo note 1 "Ask before the release"',
      comment: "Add a note to a todo",
    },
    {
      command: 'waymark todo note "Publish" "Only from main" --session demo',
      comment: "Find the todo by its text",
    },
  ],
  seeAlso: ["todo edit", "show"],
  async run(call) {
    const [any = "", text = ""] = call.args;
    return change(call, await listToChange(call), [{ op: "note", target: { any }, text }]);
  },
});
