import { CommandError } from "../../../core/error.ts";
import { printMarkdown } from "../../../core/list/markdown.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { listToRead, TRACK_OPTIONS } from "../../options/track-selection.ts";
import { listForm } from "../../print/list-form.ts";

export const exportList = defineCommand({
  arguments: [],
  options: {
    ...TRACK_OPTIONS,
    json: { type: "boolean", summary: "Print JSON, as `waymark todos` does", perCall: true },
  },
  notes: [
    "Headings are phases and quoted lines are notes. Other fields are in comments after the text, so that `waymark todo import` restores the list without loss.",
  ],
  examples: [
    { command: "waymark todo export", comment: "Print the newest list in this directory" },
    { command: "waymark todo export --session demo > list.md", comment: "Write a list to a file" },
  ],
  seeAlso: ["todo import", "todos"],
  async run(call) {
    const { terminal, values } = call;
    const list = await listToRead(call);
    const track = await list.read();
    if (values.json) {
      terminal.printJson(listForm(track));
      return EXIT.success;
    }
    if (track.version === 0)
      throw new CommandError(
        `Session ${list.id.session} has no list of agent ${list.id.agent}. \`waymark ls --all\` lists all sessions.`,
      );
    terminal.printFile(printMarkdown(track.todos));
    return EXIT.success;
  },
});
