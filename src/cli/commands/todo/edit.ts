import { UsageError } from "../../../core/error.ts";
import { defineCommand } from "../../args/command.ts";
import { CHANGE_OPTIONS, change } from "../../options/change.ts";
import { listToChange } from "../../options/which-track.ts";

export const edit = defineCommand({
  usage: ["[OPTIONS]", "TODO [--text TEXT] [--active TEXT] [--phase PHASE] [OPTIONS]"],
  arguments: [
    {
      name: "TODO",
      summary: "the todo to change; without it the whole list opens in your editor",
      optional: true,
      words: "todos",
    },
  ],
  options: {
    text: { type: "string", value: "TEXT", summary: "What is to be done" },
    active: {
      type: "string",
      value: "TEXT",
      summary: 'The same as it happens; "" takes it away',
    },
    phase: {
      type: "string",
      value: "PHASE",
      summary: 'The phase that it belongs to; "" takes it out of its phase',
    },
    ...CHANGE_OPTIONS,
  },
  notes: [
    "The editor is $VISUAL, else $EDITOR. The list is a markdown checklist there; closing the editor without a change, or with an empty file, changes nothing.",
  ],
  examples: [
    { command: 'waymark todo edit 1 --text "Write more tests"', says: "A new text for one todo" },
    {
      command: 'waymark todo edit 1 --active "Writing more tests" --session demo',
      says: "What is shown while it is in progress",
    },
    { command: "EDITOR=true waymark todo edit", says: "The list in an editor" },
  ],
  async run(call) {
    const { args, values } = call;
    const [any] = args;
    const { text, active, phase } = values;
    const given = text !== undefined || active !== undefined || phase !== undefined;
    if (any === undefined) {
      if (given) throw new UsageError("TODO is missing: say which todo the new text is for.");
      const { editList } = await import("../../board/edit-list.ts");
      return editList(call);
    }
    if (!given) throw new UsageError("Say what changes: --text, --active or --phase.");
    const set = {
      ...(text !== undefined && { text }),
      ...(active !== undefined && { activeText: active || null }),
      ...(phase !== undefined && { phase: phase || null }),
    };
    return change(call, await listToChange(call), [{ op: "edit", target: { any }, set }]);
  },
});
