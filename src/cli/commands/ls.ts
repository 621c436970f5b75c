import { neededDirectory } from "../../home/directory.ts";
import { listSessions } from "../../sessions/listing/list.ts";
import { defineCommand, HOME_OPTION } from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { STORE_OPTION } from "../options/shared-store.ts";
import { trackForm } from "../print/track-form.ts";
import { hiddenLine, tableOf } from "../print/tracks-table.ts";

export const ls = defineCommand({
  arguments: [],
  options: {
    all: { type: "boolean", summary: "Every track, not only the 20 newest; subagents as well" },
    cwd: { type: "boolean", summary: "Only tracks of the current directory" },
    home: HOME_OPTION,
    ...STORE_OPTION,
    json: { type: "boolean", summary: "Print JSON" },
  },
  notes: [
    "A track is one agent in one session: those that keep their list with Waymark, and those that agents have written into files of their own. JSON has the subagents of every session that it has.",
    "With a shared store, the tracks that other machines relay (waymark relay) stand among them as SESSION@MACHINE.",
  ],
  examples: [
    { command: "waymark ls", says: "Every agent on this machine, the newest first" },
    { command: "waymark ls --cwd --all", says: "Everything of this directory" },
    { command: "waymark ls --json", says: "The same for a program" },
  ],
  async run(call) {
    const { values, terminal } = call;
    const { all = false, cwd, home, store, json } = values;
    const now = Date.now();
    const found = await listSessions(
      call,
      { all, home, store, ...(cwd && { cwd: neededDirectory() }) },
      now,
    );
    if (json) {
      terminal.printJson(found.tracks.map(trackForm));
      return EXIT.fine;
    }
    terminal.print(await tableOf(found, terminal, all, now));
    const hidden = hiddenLine(found, all);
    if (hidden !== undefined) terminal.say(hidden);
    if (found.tracks.length === 0)
      terminal.say(
        "Start any agent and it appears here by itself, or begin a list: waymark todo add TEXT",
      );
    return EXIT.fine;
  },
});
