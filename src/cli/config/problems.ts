import { locationOf, type Problem, positionOf } from "../../config/file.ts";
import type { Settings } from "../../config/load.ts";
import { UsageError, WaymarkError } from "../../core/error.ts";
import { counted } from "../../core/text/count.ts";
import { shortPath } from "../../setup/text/short-path.ts";
import type { Command, OptionValue } from "../args/command.ts";
import type { Terminal } from "../io/terminal.ts";
import { configuredOptions, type TableProblem, tableOf } from "./configured.ts";

/** `~/.config/waymark/config.toml:9:1: Unknown setting "nofity". Did you mean "notify"?` */
export function problemText(problem: Problem): string {
  return `${locationOf(problem, shortPath)}: ${problem.message}`;
}

const MOST_WARNINGS = 3;

export interface FromFile {
  /** Defaults of the command's options. */
  readonly configured: Readonly<Record<string, OptionValue>>;
  /** Adds to a usage error which file has the value that it is about. */
  explained(error: unknown, values: Readonly<Record<string, unknown>>): unknown;
}

/**
 * The options that the user's file has for a command. Prints what is wrong with the files; throws if the user's own file has
 * an error, so that no command runs with other settings than the user wrote.
 */
export function optionsFromFile(
  path: readonly string[],
  command: Command,
  { user, problems }: Pick<Settings, "user" | "problems">,
  { printError }: Pick<Terminal, "printError">,
): FromFile {
  const { values, problems: ofTable } = configuredOptions(path, command, user?.tables ?? {});
  const located = user ? ofTable.map((each) => locatedProblem(each, user)) : [];
  const all = [...problems, ...located];
  if (!command.toleratesBrokenFiles) {
    const fatal = all.find(({ isFatal }) => isFatal);
    if (fatal) throw brokenFile(fatal);
    for (const problem of all.slice(0, MOST_WARNINGS))
      printError(`waymark: ${problemText(problem)}`);
    const more = all.length - MOST_WARNINGS;
    if (more > 0)
      printError(
        `waymark: ${counted(more, "more problem")} in configuration files. Run \`waymark config list\`.`,
      );
  }
  const names = all.some(({ isFatal }) => isFatal) ? [] : Object.keys(values);
  return {
    configured: names.length === 0 ? {} : values,
    explained(error, used) {
      if (!(error instanceof UsageError)) return error;
      const named = names.find(
        (name) => used[name] === values[name] && new RegExp(`--${name}\\b`).test(error.message),
      );
      if (named === undefined || !user) return error;
      const key = [...tableOf(path), named];
      const { line } = positionOf(user.text ?? "", key);
      const where = [shortPath(user.path), ...(line === undefined ? [] : [line])].join(":");
      return new UsageError(`${error.message} ${key.join(".")} is set in ${where}.`);
    },
  };
}

export function locatedProblem(
  { key, ...problem }: TableProblem,
  { path, text = "" }: { readonly path: string; readonly text?: string },
): Problem {
  return { ...problem, key, file: path, ...positionOf(text, key) };
}

export function brokenFile(problem: Problem): WaymarkError {
  return new WaymarkError(
    "broken_config",
    `${problemText(problem)} Run \`waymark config edit\` to fix the file.`,
  );
}
