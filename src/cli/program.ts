/**
 * cli: the command line. `commands/` has one file per command, `options/` what several share, `print/`
 * their output, `io/` arguments, terminal and exit codes, `board/` the full-screen board. Everything
 * else belongs to another layer.
 */
import { NoAnswer, UsageError, WaymarkError } from "../core/error.ts";
import { nearest } from "../core/text/nearest.ts";
import { withoutSecrets } from "../engines/storage/own-secrets.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import { openHome } from "../home/open.ts";
import { readArguments } from "./args/arguments.ts";
import type { Command, Entries } from "./args/command.ts";
import { EXIT, type Exit } from "./io/exit.ts";
import { openTerminal, type Terminal } from "./io/terminal.ts";

/** What a program is made of; each has its own bundle. */
export interface Parts<H> {
  readonly commands: Entries;
  /** What is run where no command is named; else that is a question for help. */
  readonly unnamed?: () => Promise<Command>;
  /** Explains the command, group or program that the words name. */
  readonly help: (path: readonly string[], terminal: Terminal) => H;
}

/** Runs one command line and answers what the program ends with. */
export async function runProgram<H extends Promise<Exit> | undefined>(
  argv: readonly string[],
  parts: Parts<H>,
): Promise<Exit | Awaited<H>> {
  const { env } = process;
  const terminal = openTerminal(env);
  const path: string[] = [];
  try {
    return await run(argv, path, terminal, env, parts);
  } catch (error) {
    return explain(error, path, terminal, env);
  }
}

async function run<H>(
  argv: readonly string[],
  path: string[],
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
  parts: Parts<H>,
): Promise<Exit | Awaited<H>> {
  const [first = ""] = argv;
  if (["--version", "-V", "-v"].includes(first)) {
    const { version } = await import("../setup/version.ts");
    terminal.print(version());
    return EXIT.fine;
  }
  const command = await find(argv, path, parts);
  const rest = argv.slice(path.length);
  const { values, args, help } = command
    ? readArguments(command, rest)
    : { values: {}, args: [], help: true };
  if (!command || help) return await parts.help(path, terminal);
  const home = openHome(env, terminal.say);
  try {
    return await command.run({ values, args, terminal, home, env });
  } finally {
    await home.close();
  }
}

/** The command that the first words name; they are put into `path`. None when only help is asked for. */
async function find(
  argv: readonly string[],
  path: string[],
  { commands, unnamed }: Pick<Parts<unknown>, "commands" | "unnamed">,
): Promise<Command | undefined> {
  if (argv[0] === undefined || argv[0].startsWith("-")) {
    if (argv[0] === "--help" || argv[0] === "-h") return undefined;
    return unnamed?.();
  }
  let entries: Entries = commands;
  for (const word of argv) {
    if (word === "--help" || word === "-h") return undefined;
    const entry = Object.hasOwn(entries, word) ? entries[word] : undefined;
    if (!entry) throw new UsageError(unknown(word, path, entries));
    path.push(word);
    if ("load" in entry) return entry.load();
    entries = entry.actions;
  }
  throw new UsageError(
    `${path.join(" ")} needs to know what to do: ${Object.keys(entries).join(", ")}.`,
  );
}

function unknown(word: string, path: readonly string[], entries: Entries): string {
  const names = Object.keys(entries);
  const meant = nearest(word, names);
  const [what, all] =
    path.length === 0
      ? ["command", ""]
      : [`action of ${path.join(" ")}`, ` There are ${names.join(", ")}.`];
  const hint = meant ? ` Did you mean ${[...path, meant].join(" ")}?` : all;
  return `There is no ${what} "${word.slice(0, 40)}".${hint}`;
}

function explain(
  error: unknown,
  path: readonly string[],
  { say }: Terminal,
  env: NodeJS.ProcessEnv,
): Exit {
  if (isClosedPipe(error)) return EXIT.fine;
  const message = redactedMessage(error);
  if (error instanceof UsageError) {
    say(`waymark: ${message} Help: ${["waymark", "help", ...path].join(" ")}`);
    return EXIT.usage;
  }
  if (error instanceof NoAnswer) {
    say(`waymark: ${message}`);
    return EXIT.no;
  }
  const known = error instanceof WaymarkError;
  const way = "WAYMARK_DEBUG=1 shows where";
  say(known ? `waymark: ${message}` : `waymark: unexpected error: ${message} (${way})`);
  if (env.WAYMARK_DEBUG === "1" && error instanceof Error)
    for (const line of withoutSecrets(error.stack ?? "").split("\n")) say(line);
  return EXIT.environment;
}

/** Whoever read our output has seen enough. */
function isClosedPipe(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === "EPIPE" && syscall === "write";
}
