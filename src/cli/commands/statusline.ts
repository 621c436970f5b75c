import { STATUS_LINE_AGENTS } from "../../agents/identities.ts";
import { wholeNumber } from "../args/arguments.ts";
import { defineCommand } from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { drawStatusLine } from "../print/status-line.ts";

export const statusline = defineCommand({
  arguments: [],
  options: {
    width: { type: "string", value: "N", summary: "Cells of the line; else COLUMNS, else 80" },
    tmux: { type: "boolean", summary: "For the status bar of tmux: all agents, in 30 cells" },
    ascii: { type: "boolean", summary: "No signs beyond ASCII" },
  },
  notes: [
    `The standard input may hold the JSON that ${STATUS_LINE_AGENTS} gives its status line: then the line is about that session, else about the newest. Colours are used unless NO_COLOR is set.`,
  ],
  examples: [
    {
      command: `echo '{"session_id":"demo"}' | waymark statusline`,
      says: "The line of one session",
    },
    { command: "waymark statusline --tmux", says: "For status-right of tmux" },
  ],
  async run({ values }) {
    const { tmux = false, ascii = false } = values;
    const width = values.width === undefined ? undefined : wholeNumber("--width", values.width, 1);
    await drawStatusLine({ tmux, ascii, ...(width !== undefined && { width }) });
    return EXIT.fine;
  },
});
