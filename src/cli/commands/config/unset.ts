import { defineCommand } from "../../args/command.ts";
import { chosenFile, editFile, PROJECT_OPTION } from "../../config/files.ts";
import { configKey, KEY } from "../../config/key.ts";
import { EXIT } from "../../io/exit.ts";

export const unset = defineCommand({
  arguments: [KEY],
  options: PROJECT_OPTION,
  toleratesBrokenFiles: true,
  notes: [
    "Comments and other settings in the file are kept. Removing a setting that is not set succeeds.",
  ],
  examples: [
    { command: "waymark config unset max-todos", comment: "Use the default again" },
    { command: "waymark config unset ls.all", comment: "The same for an option of a command" },
  ],
  seeAlso: ["config set", "config list"],
  async run(call) {
    const key = await configKey(call.args[0] ?? "");
    const file = chosenFile(call);
    editFile(file, call.env, (format, text) => format.unset(text, key.path));
    return EXIT.success;
  },
});
