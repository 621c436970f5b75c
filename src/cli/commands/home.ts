import { defineCommand } from "../command.ts";
import { EXIT } from "../exit.ts";
import { showsBoards } from "../shows-boards.ts";
import { trackForm } from "../track-form.ts";
import { findTracks, hiddenLine, tableOf } from "../tracks-table.ts";

const WELCOME = `No agent has run here yet. Start any agent and it appears here by itself.
A list of your own, without one:

  waymark todo add "Write the first test" --start
      begins a list for this directory
  waymark todos
      shows it
  echo '{"add":["Run it"]}' | waymark tool todos
      adds to it as an agent does

waymark --help shows everything else.`;

const NEXT = `
One track:  waymark show SESSION
Its past:   waymark history --session SESSION
Live:       waymark watch
All else:   waymark --help`;

/** What the program shows when it is called by its name alone: the board, or a table without a terminal. */
export const home = defineCommand({
  arguments: [],
  options: {
    all: { type: "boolean", summary: "Every track, not only the 20 newest" },
    json: { type: "boolean", summary: "Print JSON" },
    plain: { type: "boolean", summary: "A table, also on a terminal" },
  },
  examples: [],
  async run(call) {
    const { values, terminal } = call;
    const { all = false, json, plain } = values;
    if (!all && !json && !plain && showsBoards(call)) {
      const { runBoard } = await import("../board/run.ts");
      let wantsDemo = false;
      const exit = await runBoard(call, () => {
        wantsDemo = true;
      });
      if (!wantsDemo) return exit;
      const { runDemo } = await import("./demo.ts");
      return runDemo({ ...call, values: {} });
    }
    const now = Date.now();
    const found = await findTracks(call, { all }, now);
    if (json) terminal.printJson(found.tracks.map(trackForm));
    else if (found.tracks.length === 0) terminal.print(WELCOME);
    else {
      terminal.print(await tableOf(found, terminal, all, now));
      const hidden = hiddenLine(found, all);
      const lines = [...(hidden === undefined ? [] : ["", hidden]), ...NEXT.split("\n")];
      const { fitting } = await import("../fitting.ts");
      terminal.print(fitting(lines, terminal).join("\n"));
    }
    return EXIT.fine;
  },
});
