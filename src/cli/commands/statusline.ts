import { STATUS_LINE_AGENTS } from "../../agents/identities.ts";
import { parseInteger } from "../args/arguments.ts";
import { defineCommand } from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { drawStatusLine } from "../print/status-line.ts";

export const statusline = defineCommand({
  arguments: [],
  toleratesBrokenFiles: true,
  options: {
    width: {
      type: "string",
      value: "N",
      summary: "Width of the line in columns",
      default: "COLUMNS, or 80; 30 with --tmux",
    },
    tmux: { type: "boolean", summary: "All agents, for the status bar of tmux" },
    cost: {
      type: "boolean",
      summary: `Add the cost of the session, as ${STATUS_LINE_AGENTS} reports it`,
    },
    ascii: { type: "boolean", summary: "Use ASCII only" },
  },
  notes: [
    `Reads the JSON that ${STATUS_LINE_AGENTS} passes to its status line and shows that session; without it, the newest session. Colors are on unless NO_COLOR is set.`,
  ],
  examples: [
    {
      command: `echo '{"session_id":"demo"}' | waymark statusline`,
      comment: "Print the line of one session",
    },
    { command: "waymark statusline --tmux", comment: "For status-right in tmux.conf" },
  ],
  seeAlso: ["setup"],
  async run({ values, env }) {
    const { tmux = false, ascii = false, cost = false } = values;
    const width = values.width === undefined ? undefined : parseInteger("--width", values.width, 1);
    await drawStatusLine({ tmux, ascii, cost, ...(width !== undefined && { width }) }, env);
    return EXIT.success;
  },
});
