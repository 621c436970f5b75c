import { NoAnswer } from "../../../core/error.ts";
import { printMarkdown } from "../../../core/list/markdown.ts";
import { defineCommand } from "../../args/command.ts";
import { EXIT } from "../../io/exit.ts";
import { listToRead, TRACK_OPTIONS } from "../../options/which-track.ts";
import { listForm } from "../../print/list-form.ts";

export const exportList = defineCommand({
  arguments: [],
  options: {
    ...TRACK_OPTIONS,
    json: { type: "boolean", summary: "Print JSON, as waymark todos does" },
  },
  notes: [
    "Headings are phases, quoted lines are notes, and what markdown has no form for stands in a comment behind the text: waymark todo import reads it back without loss.",
  ],
  examples: [
    { command: "waymark todo export", says: "The newest list of this directory" },
    { command: "waymark todo export --session demo > list.md", says: "Into a file" },
  ],
  async run(call) {
    const { terminal, values } = call;
    const list = await listToRead(call);
    const track = await list.read();
    if (values.json) {
      terminal.printJson(listForm(track));
      return EXIT.fine;
    }
    if (track.version === 0)
      throw new NoAnswer(
        `Session ${list.id.session} has no list of agent ${list.id.agent}. waymark ls shows which there are.`,
      );
    terminal.printFile(printMarkdown(track.todos));
    return EXIT.fine;
  },
});
