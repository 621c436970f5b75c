import { givenEnvironment, loadSettings, resolveSettings } from "../../../config/load.ts";
import type { Setting } from "../../../config/settings.ts";
import { decodeValue, typedValue } from "../../../config/value.ts";
import { currentDirectory } from "../../../home/current-directory.ts";
import { defineCommand, JSON_OPTION } from "../../args/command.ts";
import { rowForm } from "../../config/form.ts";
import { configKey, KEY } from "../../config/key.ts";
import { configTable } from "../../config/rows.ts";
import { EXIT } from "../../io/exit.ts";

export const get = defineCommand({
  arguments: [KEY],
  options: { json: { ...JSON_OPTION, summary: "Print JSON with the source, secrets redacted" } },
  toleratesBrokenFiles: true,
  notes: [
    "Prints the value alone, also of a secret. A setting that is not set prints its default.",
  ],
  exitCodes: { 1: "The setting is not set and has no fixed default" },
  examples: [
    { command: "waymark config get max-todos", comment: "Print one value" },
    { command: "waymark config get ls.all --json", comment: "Print it with its source" },
  ],
  seeAlso: ["config list", "config set"],
  async run({ args, values, env, terminal }) {
    const key = await configKey(args[0] ?? "");
    const { rows, problems } = await configTable(env);
    const row = rows.find((each) => each.key === key.name);
    if (values.json) {
      const none = { key: key.name, source: "default", project: false } as const;
      terminal.printJson(rowForm(row ?? none));
      return EXIT.success;
    }
    const known = givenEnvironment(env);
    const value =
      "setting" in key
        ? (resolveSettings(known, loadSettings(known, currentDirectory())).find(
            ({ setting }) => setting === key.setting,
          )?.value ?? fixedDefault(key.setting))
        : row?.value;
    if (value === undefined) {
      const usual = "setting" in key ? key.setting.default : key.option.default;
      const hint = usual === undefined ? "" : ` (default: ${usual})`;
      terminal.printError(`${key.name} is not set${hint}.`);
      for (const { message } of problems.filter(({ isFatal }) => isFatal))
        terminal.printError(message);
      return EXIT.failure;
    }
    terminal.printText(value);
    return EXIT.success;
  },
});

/** The default, unless it is described in words. */
function fixedDefault(setting: Setting): string | undefined {
  if (setting.default === undefined || setting.type.is === "text") return undefined;
  const anywhere = { folder: "/", home: "/", join: () => "/", isAbsolute: () => false };
  if (setting.type.is === "path" || setting.type.is === "texts") return undefined;
  const decoded = decodeValue(setting, typedValue(setting.type, [setting.default]), anywhere);
  return "text" in decoded ? setting.default : undefined;
}
