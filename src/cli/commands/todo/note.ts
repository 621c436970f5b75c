import { defineCommand } from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/change.ts";
import { listToChange } from "../../options/which-track.ts";

export const note = defineCommand({
  arguments: [
    { name: "TODO", summary: "the todo: its id, or a part of its text", words: "todos" },
    { name: "TEXT", summary: "the note" },
  ],
  options: CHANGE_OPTIONS,
  examples: [
    { command: 'waymark todo note 1 "Ask before the release"', says: "A note on the first todo" },
    { command: 'waymark todo note "Publish" "Only from main" --session demo', says: "By its text" },
  ],
  async run(call) {
    const [any = "", text = ""] = call.args;
    return change(call, await listToChange(call), [{ op: "note", target: { any }, text }]);
  },
});
