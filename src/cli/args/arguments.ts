import { parseArgs } from "node:util";
import { UsageError } from "../../core/error.ts";
import { nearest } from "../../core/text/nearest.ts";
import type { Argument, Command, Options, OptionValue } from "./command.ts";
import { suggestOption } from "./suggest.ts";
import { usageForms } from "./usage.ts";

interface Arguments {
  readonly values: Readonly<Record<string, OptionValue>>;
  readonly args: readonly string[];
  readonly help: boolean;
}

const HELP = { help: { type: "boolean", short: "h" } } as const;

/**
 * Parses the words after the name of a command. `name` is that name, e.g. `waymark todo add`. Values of a configuration file
 * apply where the words have none; `--no-NAME` leaves such a value out.
 */
export function parseArguments(
  command: Command,
  argv: readonly string[],
  name: string,
  configured: Readonly<Record<string, OptionValue>> = {},
): Arguments {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([option, { type, short, repeatable }]) => [
      option,
      { type, ...(short !== undefined && { short }), ...(repeatable && { multiple: true }) },
    ]),
  );
  const { positive, negated } = withoutNegations(command.options, argv);
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: withImplied(command.options, positive),
      options: { ...options, ...HELP },
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new UsageError(describeError(error, command, name));
  }
  const { help = false, ...given } = parsed.values as Record<string, OptionValue>;
  if (!help) checkCount(command, parsed.positionals, name);
  const values = { ...configured, ...given };
  for (const each of negated) delete values[each];
  return { values, args: parsed.positionals, help: help === true };
}

/**
 * Takes out `--no-NAME` for each option NAME, and `--NAME` for an option `no-NAME`. The last of an option and its negation counts.
 */
function withoutNegations(
  options: Options,
  argv: readonly string[],
): { readonly positive: readonly string[]; readonly negated: readonly string[] } {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const negatedBy = (word: string, index: number): string | undefined => {
    const given = index < end && word.startsWith("--") ? word.slice(2) : "";
    if (given === "" || Object.hasOwn(options, given)) return undefined;
    const other = given.startsWith("no-") ? given.slice(3) : `no-${given}`;
    const isOption = Object.hasOwn(options, other) && !options[other]?.perCall;
    return isOption ? other : undefined;
  };
  const isGiven = (option: string, word: string) =>
    word === `--${option}` ||
    word.startsWith(`--${option}=`) ||
    word === `-${options[option]?.short}`;
  const negated = argv.flatMap((word, index) => {
    const option = negatedBy(word, index);
    return option === undefined || argv.slice(index, end).some((later) => isGiven(option, later))
      ? []
      : [option];
  });
  return { positive: argv.filter((word, index) => negatedBy(word, index) === undefined), negated };
}

/** Inserts the implied value of options that have none. */
function withImplied(options: Options, argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((word, index) => {
    const name = word.startsWith("--") ? word.slice(2) : "";
    const implied = Object.hasOwn(options, name) ? options[name]?.implied : undefined;
    const next = argv[index + 1];
    const isGiven = next !== undefined && !next.startsWith("-");
    const isOption = end < 0 || index < end;
    return implied === undefined || isGiven || !isOption ? word : `${word}=${implied}`;
  });
}

function describeError(error: unknown, { options, hints, arguments: args }: Command, name: string) {
  const { code, message } = error as { code?: string; message: string };
  const option = /'(?:-\w, )?(-[^'\s]*)/.exec(message)?.[1] ?? "";
  switch (code) {
    case "ERR_PARSE_ARGS_UNKNOWN_OPTION": {
      const unknown = `Unknown option: ${option}.`;
      const hint = hints && Object.hasOwn(hints, option) ? hints[option] : undefined;
      if (hint !== undefined) return `${unknown} ${hint}`;
      const meant = suggestOption(option, [...Object.keys(options), "help"]);
      if (meant !== undefined) return `${unknown} Did you mean ${meant}?`;
      const dash = args.length > 0 ? " Put text that begins with - after --." : "";
      return `${unknown}${dash} See \`${name} --help\`.`;
    }
    case "ERR_PARSE_ARGS_INVALID_OPTION_VALUE": {
      if (message.includes("does not take")) return `Option ${option} takes no value.`;
      const value = valueName(options, option);
      return `Option ${option} needs a value. Write a value that begins with - as ${option}=${value}.`;
    }
    default:
      return message;
  }
}

function valueName(options: Options, option: string): string {
  return options[option.replace(/^--/, "")]?.value ?? "VALUE";
}

function checkCount(command: Command, given: readonly string[], name: string): void {
  const { arguments: expected } = command;
  const missing = expected.find(({ optional }, index) => !optional && given[index] === undefined);
  if (missing) throw new UsageError(missingArgument(missing, command, name));
  if (given.length <= expected.length || expected.at(-1)?.repeatable) return;
  const extra = given[expected.length] ?? "";
  const hint = expected.length > 0 ? "Put text of several words in quotes." : "";
  throw new UsageError(
    `Unexpected argument "${extra.slice(0, 60)}". ${hint || `See \`${name} --help\`.`}`,
  );
}

/** `Missing TASK. Usage: waymark task show TASK [options]` */
export function missingArgument(missing: Argument, command: Command, name: string): string {
  const [form = ""] = usageForms(command);
  return `Missing ${missing.name}. Usage: ${name} ${form}`;
}

/** A whole number of at least `least`. `name` is the option or argument. */
export function parseInteger(name: string, given: string, least: number): number {
  const number = Number(given);
  if (/^\d+$/.test(given) && Number.isSafeInteger(number) && number >= least) return number;
  throw new UsageError(
    `Invalid ${name} "${given.slice(0, 40)}". Use a whole number, ${least} or more.`,
  );
}

/** One of the known names. `name` is the option or argument. */
export function parseChoice<T extends string>(name: string, given: string, known: readonly T[]): T {
  const found = known.find((each) => each === given);
  if (found !== undefined) return found;
  throw new UsageError(
    `Invalid ${name} "${given.slice(0, 40)}". ${didYouMean(given, known)}Use one of: ${known.join(", ")}.`,
  );
}

/** `Did you mean todos? `, or nothing if no known name is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const meant = nearest(given, known);
  return meant === undefined ? "" : `Did you mean ${meant}? `;
}
