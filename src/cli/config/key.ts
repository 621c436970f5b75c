import { SETTINGS, type Setting, type SettingType } from "../../config/settings.ts";
import { TABLES } from "../../config/tables.ts";
import { decodeValue, flagOf, numberOf, typedValue } from "../../config/value.ts";
import { UsageError } from "../../core/error.ts";
import { nearest } from "../../core/text/nearest.ts";
import type { Command, Entries, Option, Options } from "../args/command.ts";
import {
  expectedOption,
  optionValue,
  perCallProblem,
  tableOf,
  unknownOption,
} from "./configured.ts";

/** A key of a configuration file: a setting, or an option of a command. */
export type ConfigKey =
  | { readonly name: string; readonly path: readonly [string]; readonly setting: Setting }
  | {
      readonly name: string;
      readonly path: readonly string[];
      /** The words of the command; none for `waymark` without a command. */
      readonly command: readonly string[];
      readonly option: Option;
    };

export const KEY = {
  name: "KEY",
  summary: "Setting such as max-todos, or option of a command such as ls.all",
  completions: "settings",
} as const;

/** The key that a user typed. Throws a `UsageError` with a suggestion if there is none. */
export async function configKey(typed: string): Promise<ConfigKey> {
  const setting = SETTINGS.find(({ key, variable }) => key === typed || variable === typed);
  if (setting) return { name: setting.key, path: [setting.key], setting };
  const words = typed.split(".");
  const [first = ""] = words;
  if (words.length > 1 && TABLES.includes(first)) return optionKey(words);
  throw new UsageError(unknownKey(typed));
}

/** `Unknown setting "max-todo". Did you mean "max-todos"?` */
function unknownKey(typed: string): string {
  const meant = nearest(typed, [
    ...SETTINGS.map(({ key }) => key),
    ...TABLES.map((each) => `${each}.`),
  ]);
  const hint = TABLES.includes(typed)
    ? `Name an option, e.g. ${typed}.OPTION.`
    : meant === undefined
      ? "Run `waymark config list` for a list."
      : `Did you mean "${meant.endsWith(".") ? `${meant}OPTION` : meant}"?`;
  return `Unknown setting ${JSON.stringify(typed.slice(0, 60))}. ${hint}`;
}

async function optionKey(words: readonly string[]): Promise<ConfigKey> {
  const name = words.at(-1) ?? "";
  const path = words.slice(0, -1);
  const command = await commandOf(path);
  if (!command) throw new UsageError(unknownKey(words.join(".")));
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (!option) throw new UsageError(unknownOption(name, command.options));
  const refusal = perCallProblem(name, option);
  if (refusal !== undefined) throw new UsageError(refusal);
  return { name: words.join("."), path: words, command: path, option };
}

/** The command of a table. */
export async function commandOf(table: readonly string[]): Promise<Command | undefined> {
  if (table.join(".") === "board") return (await import("../commands/default.ts")).defaultCommand;
  const { COMMANDS } = await import("../commands/index.ts");
  let entries: Entries = COMMANDS;
  for (const [index, word] of table.entries()) {
    const entry = Object.hasOwn(entries, word) ? entries[word] : undefined;
    if (!entry) return undefined;
    if ("load" in entry) return index === table.length - 1 ? entry.load() : undefined;
    entries = entry.actions;
  }
  return undefined;
}

/** Each command with options that a file can set, by its table. */
export async function configurableCommands(): Promise<
  readonly { readonly table: readonly string[]; readonly options: Options }[]
> {
  const { walkCommands } = await import("../commands/index.ts");
  const { defaultCommand } = await import("../commands/default.ts");
  const walked = [{ path: [], command: defaultCommand }, ...(await walkCommands())];
  return walked.flatMap(({ path, command }) => {
    const table = tableOf(path);
    if (!command || !TABLES.includes(table[0] ?? "")) return [];
    const options = Object.entries(command.options).filter(([, { perCall }]) => !perCall);
    return options.length === 0 ? [] : [{ table, options: Object.fromEntries(options) }];
  });
}

/** Every key with the values that can be completed. */
export async function settingWords(): Promise<
  readonly { readonly word: string; readonly words: readonly string[] }[]
> {
  const settings = SETTINGS.filter(({ environmentOnly }) => environmentOnly === undefined);
  const options = (await configurableCommands()).flatMap(({ table, options }) =>
    Object.entries(options).map(([name, { type, completions }]) => ({
      word: [...table, name].join("."),
      words: type === "boolean" ? FLAGS : Array.isArray(completions) ? completions : [],
    })),
  );
  return [...settings.map(({ key, type }) => ({ word: key, words: choicesOf(type) })), ...options];
}

const FLAGS = ["true", "false"] as const;

function choicesOf(type: SettingType): readonly string[] {
  if (type.is === "boolean") return FLAGS;
  return "of" in type ? type.of : [];
}

/** The value of a file for the words that a user typed. Throws a `UsageError` if it is invalid. */
export function valueFor(key: ConfigKey, words: readonly string[]) {
  const shown = JSON.stringify(words.join(" ").slice(0, 60));
  if ("setting" in key) {
    const value = typedValue(key.setting.type, words);
    const anywhere = { folder: "/", home: "/", join: () => "/", isAbsolute: () => true };
    const decoded = decodeValue(key.setting, value, anywhere);
    if ("text" in decoded) return value;
    throw new UsageError(
      `Invalid ${key.name} ${key.setting.secret ? "value" : shown}. ${decoded.problem}`,
    );
  }
  const { option } = key;
  const text = words.join(" ");
  const value =
    option.type === "boolean"
      ? flagOf(text)
      : option.repeatable
        ? words
        : option.implied !== undefined && text === "true"
          ? true
          : numberOf(text);
  if (optionValue(option, value) !== undefined) return value;
  throw new UsageError(`Invalid ${key.name} ${shown}. Use ${expectedOption(option)}.`);
}
