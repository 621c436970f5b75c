import { trackCosts } from "../../core/cost/track-costs.ts";
import { requireCurrentDirectory } from "../../home/current-directory.ts";
import { readPrices } from "../../home/prices.ts";
import { listSessions } from "../../sessions/listing/list.ts";
import { defineCommand, HOME_OPTION, JSON_OPTION } from "../args/command.ts";
import { EXIT } from "../io/exit.ts";
import { STORE_OPTION } from "../options/shared-store.ts";
import { trackForm } from "../print/track-form.ts";
import { hiddenLine, tableOf } from "../print/tracks-table.ts";

export const ls = defineCommand({
  arguments: [],
  options: {
    all: {
      type: "boolean",
      summary: "List all sessions, not only the 20 newest, archived ones and subagents",
    },
    archived: { type: "boolean", summary: "List only archived sessions" },
    cwd: { type: "boolean", summary: "Only sessions in the current directory" },
    home: HOME_OPTION,
    ...STORE_OPTION,
    json: JSON_OPTION,
  },
  notes: [
    "Lists every session that Waymark finds in the agents' own files or that uses Waymark's list, newest first. JSON always includes subagents.",
    "With a shared store, sessions of other machines that run `waymark relay` appear as SESSION@MACHINE.",
  ],
  examples: [
    { command: "waymark ls", comment: "List the newest sessions on this machine" },
    { command: "waymark ls --cwd --all", comment: "List everything in this directory" },
    { command: "waymark ls --json", comment: "Print JSON" },
  ],
  seeAlso: ["show", "watch", "todos", "archive"],
  async run(call) {
    const { values, terminal } = call;
    const { all = false, archived, cwd, home, store, json } = values;
    const now = Date.now();
    const found = await listSessions(
      call,
      { all, archived, home, store, ...(cwd && { cwd: requireCurrentDirectory() }) },
      now,
    );
    const costs = trackCosts(found.tracks, readPrices(call.env));
    if (json) {
      terminal.printJson(found.tracks.map((each) => trackForm(each, costs)));
      return EXIT.success;
    }
    const isEmpty = found.tracks.length === 0;
    if (isEmpty && archived) terminal.print("No archived sessions.");
    else if (isEmpty && found.archived > 0) terminal.print("Every session is archived.");
    else terminal.print(await tableOf(found, terminal, all, now, costs));
    const hidden = hiddenLine(found, all);
    if (hidden !== undefined) terminal.printError(hidden);
    if (isEmpty && found.archived === 0 && !archived)
      terminal.printError(
        "Start an agent and it appears here, or start a list with `waymark todo add TEXT`.",
      );
    return EXIT.success;
  },
});
