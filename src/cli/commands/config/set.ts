import { refusalOf } from "../../../config/file.ts";
import { SETTINGS } from "../../../config/settings.ts";
import { UsageError } from "../../../core/error.ts";
import { defineCommand } from "../../args/command.ts";
import { chosenFile, editFile, PROJECT_OPTION } from "../../config/files.ts";
import { configKey, KEY, valueFor } from "../../config/key.ts";
import { EXIT } from "../../io/exit.ts";

const PROJECT_KEYS = SETTINGS.filter(({ project }) => project).map(({ key }) => key);

export const set = defineCommand({
  arguments: [
    KEY,
    {
      name: "VALUE",
      summary: "New value; several for settings with several values",
      repeatable: true,
    },
  ],
  options: PROJECT_OPTION,
  toleratesBrokenFiles: true,
  notes: [
    "Comments and other settings in the file are kept. Only you can read a new file.",
    `The file of a project can only set ${PROJECT_KEYS.join(", ")}: a repository must not decide what runs or where data goes.`,
  ],
  examples: [
    { command: "waymark config set max-todos 40", comment: "Allow longer lists" },
    { command: "waymark config set notify desktop bell", comment: "Set several values" },
    { command: "waymark config set ls.all true", comment: "Set the default of an option" },
    {
      command: "waymark config set guidance-preset gencode --project",
      comment: "Set it for everyone who works in this repository",
    },
  ],
  seeAlso: ["config unset", "config list"],
  async run(call) {
    const [typed = "", ...words] = call.args;
    const key = await configKey(typed);
    const file = chosenFile(call);
    const refusal =
      "setting" in key
        ? refusalOf(key.setting, file.kind)
        : file.kind === "project"
          ? "A project file cannot set defaults of options. Omit --project."
          : undefined;
    if (refusal !== undefined) throw new UsageError(refusal);
    const value = valueFor(key, words);
    const isSecret = "setting" in key && key.setting.secret === true;
    editFile(file, call.env, (format, text) => format.set(text, key.path, value), isSecret);
    const variable = "setting" in key ? key.setting.variable : undefined;
    if (
      variable !== undefined &&
      call.env[variable] !== undefined &&
      Object.hasOwn(call.env, variable)
    )
      call.terminal.printError(
        `${variable} is set in your environment and wins over the file. Unset it to use the file.`,
      );
    return EXIT.success;
  },
});
