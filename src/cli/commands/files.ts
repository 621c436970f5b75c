import { type UsedFile, usedFiles } from "../../core/collisions/shared-files.ts";
import { collisionsFromEnv } from "../../core/collisions/uses.ts";
import { formatDuration } from "../../core/text/duration.ts";
import { listSessions } from "../../sessions/listing/list.ts";
import { defineCommand, HOME_OPTION, JSON_OPTION } from "../args/command.ts";
import { parseDurationOption } from "../args/time.ts";
import { EXIT } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { STORE_OPTION } from "../options/shared-store.ts";

export const files = defineCommand({
  arguments: [],
  options: {
    within: {
      type: "string",
      value: "TIME",
      summary: "Only edits of this duration, e.g. 5m or 1h",
      default: "WAYMARK_COLLISION_WINDOW, or 15m",
    },
    home: HOME_OPTION,
    ...STORE_OPTION,
    json: JSON_OPTION,
  },
  notes: [
    "Lists the files that agents edited, are editing, or name in their current todo while another agent edits them. Commands that edit files which they do not name are not included. Sessions that have ended do not count.",
    "A file that two sessions use at the same time is marked. Agents with hooks are notified: WAYMARK_COLLISIONS says which files count as the same.",
  ],
  examples: [
    { command: "waymark files", comment: "List the files of the last 15 minutes" },
    { command: "waymark files --within 1h", comment: "List the edits of the last hour" },
    { command: "waymark files --json", comment: "Print JSON" },
  ],
  seeAlso: ["show", "ls"],
  async run(call) {
    const { values, terminal, env } = call;
    const now = Date.now();
    const window =
      values.within === undefined
        ? collisionsFromEnv(env).window
        : parseDurationOption("--within", values.within);
    const { home, store } = values;
    const { tracks } = await listSessions(call, { all: true, home, store }, now);
    const used = usedFiles(tracks, now, window);
    if (values.json) {
      terminal.printJson(used.map(fileForm));
      return EXIT.success;
    }
    if (used.length === 0) {
      terminal.print(`No agent edited a file in the last ${formatDuration(window)}.`);
      return EXIT.success;
    }
    const { renderFiles } = await import("../../surfaces/text/files/table.ts");
    terminal.print(renderFiles(used, textOptions(terminal, now)));
    return EXIT.success;
  },
});

/** JSON form of a file. */
function fileForm({ path, directory, machine, users, isShared }: UsedFile) {
  return {
    path,
    directory,
    ...(machine !== undefined && { machine }),
    collision: isShared,
    agents: users.map(({ at, ...user }) => ({ ...user, at: new Date(at).toISOString() })),
  };
}
