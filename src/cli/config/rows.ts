import type { Problem } from "../../config/file.ts";
import {
  givenEnvironment,
  loadSettings,
  resolveSettings,
  type Settings,
} from "../../config/load.ts";
import { SETTINGS } from "../../config/settings.ts";
import { redactUrl } from "../../core/text/redact.ts";
import { currentDirectory } from "../../home/current-directory.ts";
import { shortPath } from "../../setup/text/short-path.ts";
import type { OptionValue } from "../args/command.ts";
import { configuredOptions, isTable } from "./configured.ts";
import { configurableCommands } from "./key.ts";
import { locatedProblem } from "./problems.ts";

/** A key with its value, for `config list` and `config get`. */
export interface ConfigRow {
  readonly key: string;
  /** Secrets are redacted. Undefined for the default. */
  readonly value?: string;
  readonly source: "environment" | "project" | "user" | "default";
  /** The variable or file that it comes from. */
  readonly from?: string;
  /** The default, in words or as it is written. */
  readonly default?: string;
  readonly variable?: string;
  readonly project: boolean;
}

export interface ConfigTable {
  /** The files that exist. */
  readonly files: readonly string[];
  readonly rows: readonly ConfigRow[];
  readonly problems: readonly Problem[];
}

/** Every setting, and every option of a command that a file sets. */
export async function configTable(callEnv: NodeJS.ProcessEnv): Promise<ConfigTable> {
  const env = givenEnvironment(callEnv);
  const settings = loadSettings(env, currentDirectory());
  const rows = resolveSettings(env, settings).map(({ setting, source, value, file }): ConfigRow => {
    const from = source === "environment" ? setting.variable : file;
    return {
      key: setting.key,
      ...(value !== undefined && { value: setting.secret ? shownSecret(value) : value }),
      source,
      ...(from !== undefined && { from }),
      ...(setting.default !== undefined && { default: setting.default }),
      variable: setting.variable,
      project: setting.project === true,
    };
  });
  const options = await optionRows(settings);
  const { user, project } = settings;
  return {
    files: [user, project].flatMap((file) =>
      file && (file.text !== undefined || file.problems.length > 0) ? [file.path] : [],
    ),
    rows: [...rows, ...options.rows],
    problems: [...settings.problems, ...options.problems],
  };
}

async function optionRows({
  user,
}: Pick<Settings, "user">): Promise<Pick<ConfigTable, "rows" | "problems">> {
  if (!user) return { rows: [], problems: [] };
  const rows: ConfigRow[] = [];
  const commands = await configurableCommands();
  const problems = unknownTables(
    user.tables,
    commands.map(({ table }) => table),
  ).map((each) => locatedProblem(each, user));
  for (const { table, options } of commands) {
    const words = table[0] === "board" ? [] : table;
    const found = configuredOptions(words, { options }, user.tables);
    problems.push(...found.problems.map((each) => locatedProblem(each, user)));
    for (const [name, value] of Object.entries(found.values))
      rows.push({
        key: [...table, name].join("."),
        value: shownOption(name, value),
        source: "user",
        from: user.path,
        project: false,
      });
  }
  return { rows, problems };
}

/** Tables below `[task]`, `[plan]` and other groups that name no action. */
function unknownTables(
  tables: Readonly<Record<string, unknown>>,
  known: readonly (readonly string[])[],
) {
  const groups = new Set(known.filter(({ length }) => length > 1).map(([group = ""]) => group));
  return [...groups].flatMap((group) => {
    const table = tables[group];
    if (!isTable(table)) return [];
    const actions = known.filter(([first]) => first === group).map(([, action = ""]) => action);
    return Object.keys(table)
      .filter((name) => !actions.includes(name))
      .map((name) => ({
        key: [group, name],
        message: `Unknown table ${JSON.stringify(`${group}.${name}`.slice(0, 60))}. Use one of: ${actions.join(", ")}.`,
        isFatal: false,
      }));
  });
}

/** The parts of a value, separated by commas. The path of a webhook is often its password. */
function shownSecret(value: string): string {
  return value
    .split(",")
    .map((part) => {
      const [, name = "", origin] = /^([a-z]+=)(https?:\/\/[^/?#]*)/i.exec(part) ?? [];
      return origin === undefined ? redactUrl(part) : `${name}${redactUrl(origin)}/...`;
    })
    .join(",");
}

/** An option with the name of a secret setting is one, too. */
function shownOption(name: string, value: OptionValue): string {
  const text = String(value);
  const isSecret = SETTINGS.some(({ key, secret }) => key === name && secret);
  return isSecret || name === "report-to" ? shownSecret(text) : text;
}

/** Where a value comes from, for people. */
export function sourceText({ source, from }: ConfigRow): string {
  return from === undefined ? source : shortPath(from);
}
