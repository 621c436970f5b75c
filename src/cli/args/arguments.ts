import { parseArgs } from "node:util";
import { UsageError } from "../../core/error.ts";
import { nearest } from "../../core/text/nearest.ts";
import type { Argument, Command, Given, Options } from "./command.ts";

interface Arguments {
  readonly values: Readonly<Record<string, Given>>;
  readonly args: readonly string[];
  readonly help: boolean;
}

const HELP = { help: { type: "boolean", short: "h" } } as const;

/** Reads what stands behind the name of a command. */
export function readArguments(command: Command, argv: readonly string[]): Arguments {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, short, many }]) => [
      name,
      { type, ...(short !== undefined && { short }), ...(many && { multiple: true }) },
    ]),
  );
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: [...argv],
      options: { ...options, ...HELP },
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new UsageError(explain(error, command.options));
  }
  const { help = false, ...values } = parsed.values as Record<string, Given>;
  if (!help) checkCount(command.arguments, parsed.positionals);
  return { values, args: parsed.positionals, help: help === true };
}

function explain(error: unknown, options: Options): string {
  const { code, message } = error as { code?: string; message: string };
  const name = /'(?:-\w, )?(-[^'\s]*)/.exec(message)?.[1] ?? "";
  switch (code) {
    case "ERR_PARSE_ARGS_UNKNOWN_OPTION": {
      const known = [...Object.keys(options), "help"].map((option) => `--${option}`);
      const meant = nearest(name, known);
      const hint = meant ? ` Did you mean ${meant}?` : "";
      return `There is no option ${name}.${hint} A text that begins with "-" goes behind "--".`;
    }
    case "ERR_PARSE_ARGS_INVALID_OPTION_VALUE": {
      if (message.includes("does not take")) return `The option ${name} takes no value.`;
      return `The option ${name} needs a value; one that begins with "-" is written ${name}=VALUE.`;
    }
    default:
      return message;
  }
}

function checkCount(expected: readonly Argument[], given: readonly string[]): void {
  const missing = expected.find(({ optional }, place) => !optional && given[place] === undefined);
  if (missing) throw new UsageError(`${missing.name} is missing: ${missing.summary}.`);
  if (given.length <= expected.length || expected.at(-1)?.many) return;
  const extra = given[expected.length] ?? "";
  const hint = expected.length > 0 ? " A text of several words goes in quotes." : "";
  throw new UsageError(`"${extra.slice(0, 60)}" is one argument too many.${hint}`);
}

/** A whole number of at least `least`. */
export function wholeNumber(name: string, given: string, least: number): number {
  const number = Number(given);
  if (/^\d+$/.test(given) && Number.isSafeInteger(number) && number >= least) return number;
  throw new UsageError(`${name} is "${given.slice(0, 40)}"; give a whole number from ${least}.`);
}

/** One of the names that are known. */
export function oneOf<T extends string>(name: string, given: string, known: readonly T[]): T {
  const found = known.find((each) => each === given);
  if (found !== undefined) return found;
  const meant = nearest(given, known);
  const hint = meant ? ` Did you mean ${meant}?` : "";
  throw new UsageError(`${name} is "${given.slice(0, 40)}"; known are ${known.join(", ")}.${hint}`);
}
