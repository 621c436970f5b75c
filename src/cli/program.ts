/**
 * cli: the command line. `commands/` has one file per command, `args/` parsing and help, `options/` what several
 * commands share, `config/` configuration files, `print/` their output, `io/` input, terminal and exit codes, `verify/` runs of checks, `board/` the full-screen board.
 * Everything else belongs to another layer.
 */

import { chooseDriver, loadSettings, type Settings } from "../config/load.ts";
import { CommandError, UsageError, WaymarkError } from "../core/error.ts";
import { redactSecrets } from "../engines/storage/redact-secrets.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import { currentDirectory } from "../home/current-directory.ts";
import { openHome } from "../home/open.ts";
import { parseArguments } from "./args/arguments.ts";
import type { Command, Entries } from "./args/command.ts";
import { commandHint, suggestCommand } from "./args/suggest.ts";
import { COMMANDS } from "./commands/index.ts";
import { optionsFromFile } from "./config/problems.ts";
import { HELP_OPTIONS, VERSION_OPTIONS } from "./constant-output.ts";
import { EXIT, type Exit } from "./io/exit.ts";
import { openTerminal, type Terminal } from "./io/terminal.ts";

/** Runs one command line and returns the exit code. */
export async function runProgram(argv: readonly string[]): Promise<Exit> {
  const settings = loadSettings(process.env, currentDirectory());
  const { env } = settings;
  const terminal = openTerminal(env);
  try {
    return await run(argv, terminal, settings);
  } catch (error) {
    return printFailure(error, terminal, env);
  }
}

async function run(argv: readonly string[], terminal: Terminal, settings: Settings): Promise<Exit> {
  const { env } = settings;
  const [first = ""] = argv;
  if (VERSION_OPTIONS.includes(first)) {
    const { version } = await import("../setup/version.ts");
    terminal.print(version());
    return EXIT.success;
  }
  const path: string[] = [];
  const command = await find(argv, path);
  const rest = argv.slice(path.length);
  const name = ["waymark", ...path].join(" ");
  // Help must be readable although a file is broken.
  if (!command || parseArguments(command, rest, name).help) {
    const { printHelp } = await import("./args/help.ts");
    return printHelp(path, terminal);
  }
  const { configured, explained } = optionsFromFile(path, command, settings, terminal);
  const { values, args } = parseArguments(command, rest, name, configured);
  chooseDriver(env);
  const home = openHome(env, terminal.printError);
  try {
    return await command.run({ values, args, terminal, home, env });
  } catch (error) {
    throw explained(error, values);
  } finally {
    await home.close();
  }
}

/** Returns the command that the first words name and adds them to `path`; undefined if help is asked for. */
async function find(argv: readonly string[], path: string[]): Promise<Command | undefined> {
  if (argv[0] === undefined || argv[0].startsWith("-")) {
    if (HELP_OPTIONS.includes(argv[0] ?? "")) return undefined;
    return (await import("./commands/default.ts")).defaultCommand;
  }
  let entries: Entries = COMMANDS;
  for (const word of argv) {
    if (HELP_OPTIONS.includes(word)) return undefined;
    const entry = Object.hasOwn(entries, word) ? entries[word] : undefined;
    if (!entry) throw new UsageError(unknownCommand(word, path, entries));
    path.push(word);
    if ("load" in entry) return entry.load();
    entries = entry.actions;
  }
  throw new UsageError(
    `Missing action after ${path.join(" ")}. Use one of: ${Object.keys(entries).join(", ")}.`,
  );
}

function unknownCommand(word: string, path: readonly string[], entries: Entries): string {
  const typed = [...path, word.slice(0, 40)].join(" ");
  if (word.startsWith("-")) {
    const [name = ""] = Object.keys(entries);
    return `Missing action before ${word.slice(0, 40)}, e.g. ${[...path, name].join(" ")}. See \`${["waymark", ...path].join(" ")} --help\`.`;
  }
  const hint = commandHint(word, path);
  if (hint !== undefined) return `Unknown command: ${typed}. ${hint}`;
  const meant = suggestCommand(word, path, entries);
  if (meant !== undefined) return `Unknown command: ${typed}. Did you mean \`${meant}\`?`;
  return `Unknown command: ${typed}. Run \`${["waymark", ...path].join(" ")} --help\` for a list.`;
}

function printFailure(error: unknown, { printError }: Terminal, env: NodeJS.ProcessEnv): Exit {
  if (isClosedPipe(error)) return EXIT.success;
  const message = redactedMessage(error);
  if (error instanceof UsageError || error instanceof CommandError) {
    printError(`waymark: ${message}`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failure;
  }
  const isExpected = error instanceof WaymarkError;
  printError(
    isExpected
      ? `waymark: ${message}`
      : `waymark: Unexpected error: ${message}. Set WAYMARK_DEBUG=1 to see where it comes from.`,
  );
  if (env.WAYMARK_DEBUG === "1" && error instanceof Error)
    for (const line of redactSecrets(error.stack ?? "").split("\n")) printError(line);
  return EXIT.environment;
}

/** The reader of our output closed it, e.g. `head`: not a failure. */
function isClosedPipe(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === "EPIPE" && syscall === "write";
}
