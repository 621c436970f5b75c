import { nearest } from "../../core/text/nearest.ts";
import type { Command, Option, OptionValue } from "../args/command.ts";

/** Something wrong with the table of a command, e.g. `[task.list]`. */
export interface TableProblem {
  readonly key: readonly string[];
  readonly message: string;
  readonly isFatal: boolean;
}

export interface ConfiguredOptions {
  readonly values: Readonly<Record<string, OptionValue>>;
  readonly problems: readonly TableProblem[];
}

/** The table with the options of a command: `["task", "list"]`; `board` is `waymark` without a command. */
export function tableOf(path: readonly string[]): readonly string[] {
  return path.length === 0 ? ["board"] : path;
}

const NONE: ConfiguredOptions = { values: {}, problems: [] };

/**
 * The defaults that a configuration file has for the options of a command, checked by its definition. `actions` are the names of
 * tables below it, which belong to other commands.
 */
export function configuredOptions(
  path: readonly string[],
  { options }: Pick<Command, "options">,
  tables: Readonly<Record<string, unknown>>,
): ConfiguredOptions {
  const names = tableOf(path);
  let table: unknown = tables;
  for (const [index, name] of names.entries()) {
    if (!isTable(table)) return notTable(names.slice(0, index));
    if (!Object.hasOwn(table, name)) return NONE;
    table = table[name];
  }
  if (!isTable(table)) return notTable(names);
  const values: Record<string, OptionValue> = {};
  const problems: TableProblem[] = [];
  for (const [name, value] of Object.entries(table)) {
    const key = [...names, name];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    const decoded = option ? optionValue(option, value) : undefined;
    const refusal = option ? perCallProblem(name, option) : unknownOption(name, options);
    if (refusal !== undefined)
      problems.push({ key, message: refusal, isFatal: option !== undefined });
    else if (decoded !== undefined) values[name] = decoded;
    else if (option)
      problems.push({
        key,
        message: `Invalid ${key.join(".")}. Use ${expectedOption(option)}.`,
        isFatal: true,
      });
  }
  return { values, problems };
}

function notTable(names: readonly string[]): ConfiguredOptions {
  const name = names.join(".");
  return {
    values: {},
    problems: [{ key: names, message: `${name} must be a table: write [${name}].`, isFatal: true }],
  };
}

export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

/** Why a file cannot set the option, or undefined. */
export function perCallProblem(name: string, { perCall }: Option): string | undefined {
  return perCall
    ? `--${name} belongs to one call and cannot be set in a file. Pass it on the command line.`
    : undefined;
}

export function unknownOption(name: string, options: Command["options"]): string {
  const settable = Object.keys(options).filter((each) => !options[each]?.perCall);
  const meant = nearest(name, settable);
  const known =
    settable.length === 0
      ? "No option of this command can be set in a file."
      : `Use one of: ${settable.join(", ")}.`;
  const hint = meant === undefined ? known : `Did you mean "${meant}"?`;
  return `Unknown option ${JSON.stringify(name.slice(0, 60))}. ${hint}`;
}

const LONGEST = 4_000;

/** The value as the command line would give it; undefined if it is of the wrong type. */
export function optionValue(option: Option, value: unknown): OptionValue | undefined {
  if (option.type === "boolean") return typeof value === "boolean" ? value : undefined;
  if (option.repeatable) {
    const values = (Array.isArray(value) ? value : [value]).map(textOf);
    return values.every((each) => each !== undefined) ? values : undefined;
  }
  if (option.implied !== undefined && value === true) return option.implied;
  if (Array.isArray(value)) {
    const words = value.map(textOf);
    return words.every((word) => word !== undefined) ? words.join(",") : undefined;
  }
  return textOf(value);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value !== "string" || value.length > LONGEST) return undefined;
  return /[\0-\x1f\x7f]/.test(value) ? undefined : value;
}

/** The expected value, for a message. */
export function expectedOption({ type, repeatable, implied, value = "VALUE" }: Option): string {
  if (type === "boolean") return "true or false";
  if (repeatable) return `an array of texts (${value})`;
  return `a text or number (${value})${implied === undefined ? "" : ", or true"}`;
}
