import { UsageError } from "../../../core/error.ts";
import { defineCommand } from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/list-change.ts";
import { listToChange } from "../../options/track-selection.ts";

export const edit = defineCommand({
  usage: ["[options]", "TODO [--text TEXT] [--active TEXT] [--phase PHASE] [options]"],
  arguments: [
    {
      name: "TODO",
      summary: "Id, text or part of the text",
      optional: true,
      default: "the whole list, in your editor",
      completions: "todos",
    },
  ],
  options: {
    text: { type: "string", value: "TEXT", summary: "New text", perCall: true },
    active: {
      type: "string",
      value: "TEXT",
      summary: 'Text while it is in progress; "" removes it',
      perCall: true,
    },
    phase: {
      type: "string",
      value: "PHASE",
      summary: 'Phase; "" removes it from its phase',
      perCall: true,
    },
    ...CHANGE_OPTIONS,
  },
  notes: [
    "The editor is $VISUAL or $EDITOR. It shows the list as a Markdown checklist; an unchanged or empty file changes nothing.",
  ],
  examples: [
    {
      command: 'waymark todo edit 1 --text "Write more tests"',
      comment: "Change the text of a todo",
    },
    {
      command: 'waymark todo edit 1 --active "Writing more tests" --session demo',
      comment: "Change the text that is shown while it is in progress",
    },
    { command: "waymark todo edit", comment: "Open the whole list in your editor" },
  ],
  seeAlso: ["todo move", "todo note", "todo import"],
  async run(call) {
    const { args, values } = call;
    const [any] = args;
    const { text, active, phase } = values;
    const given = text !== undefined || active !== undefined || phase !== undefined;
    if (any === undefined) {
      if (given) throw new UsageError("Missing TODO. Name the todo to change.");
      const { editList } = await import("../../board/edit-list.ts");
      return editList(call);
    }
    if (!given) throw new UsageError("Nothing to change. Pass --text, --active or --phase.");
    const set = {
      ...(text !== undefined && { text }),
      ...(active !== undefined && { activeText: active || null }),
      ...(phase !== undefined && { phase: phase || null }),
    };
    return change(call, await listToChange(call), [{ op: "edit", target: { any }, set }]);
  },
});
