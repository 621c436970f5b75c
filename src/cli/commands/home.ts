import { defineCommand } from "../command.ts";
import { EXIT } from "../exit.ts";
import { findTracks, printTracks, trackForm } from "../tracks-table.ts";

const WELCOME = `No list on this machine yet. Try one of these:

  waymark todo add "Write the first test" --start
      begins a list for this directory
  waymark todos
      shows it
  echo '{"add":["Run it"]}' | waymark tool todos
      adds to it as an agent does

waymark --help shows everything else.`;

const NEXT = `
One list:   waymark todos --session SESSION
Its past:   waymark history --session SESSION
All else:   waymark --help`;

/** What the program shows when it is called by its name alone. */
export const home = defineCommand({
  arguments: [],
  options: {
    all: { type: "boolean", summary: "Every list, not only the 20 last written" },
    json: { type: "boolean", summary: "Print JSON" },
  },
  examples: [],
  async run({ values: { all, json }, terminal, home: place }) {
    const { tracks, more } = await findTracks(place, { all });
    if (json) terminal.printJson(tracks.map(trackForm));
    else if (tracks.length === 0) terminal.print(WELCOME);
    else {
      printTracks(tracks, terminal, Date.now());
      if (more) terminal.print("There are older ones: waymark ls --all");
      terminal.print(NEXT);
    }
    return EXIT.fine;
  },
});
