import { defineCommand } from "../command.ts";
import { EXIT } from "../exit.ts";
import { findTracks, printTracks, trackForm } from "../tracks-table.ts";

export const ls = defineCommand({
  arguments: [],
  options: {
    all: { type: "boolean", summary: "Every list, not only the 20 last written" },
    cwd: { type: "boolean", summary: "Only lists of the current directory" },
    json: { type: "boolean", summary: "Print JSON" },
  },
  examples: [
    { command: "waymark ls", says: "The lists that were last written" },
    { command: "waymark ls --cwd --all", says: "Every list of this directory" },
    { command: "waymark ls --json", says: "The same for a program" },
  ],
  async run({ values: { all, cwd, json }, terminal, home }) {
    const { tracks, more } = await findTracks(home, { all, ...(cwd && { cwd: process.cwd() }) });
    if (json) {
      terminal.printJson(tracks.map(trackForm));
      return EXIT.fine;
    }
    printTracks(tracks, terminal, Date.now());
    if (more) terminal.say("There are older ones: waymark ls --all");
    if (tracks.length === 0) terminal.say("Begin a list with: waymark todo add TEXT");
    return EXIT.fine;
  },
});
