import { UsageError } from "../../core/error.ts";
import { GUIDANCE_PRESETS } from "../../core/list/policy.ts";
import { nearest } from "../../core/text/nearest.ts";
import { COMMANDS } from "../commands/index.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import type { Terminal } from "../io/terminal.ts";
import type { Argument, Command, Entries, Entry, Options } from "./command.ts";

const PRESET_NAMES = Object.keys(GUIDANCE_PRESETS)
  .join(", ")
  .replace(/, (?=[^,]*$)/, " or ");
const WIDTH = 80;
const INDENT = "  ";

/** Prints the help of the command, group or program that the words name. */
export async function printHelp(path: readonly string[], terminal: Terminal): Promise<Exit> {
  const heading = (text: string) => (terminal.color ? `\u001b[1m${text}\u001b[0m` : text);
  terminal.print(await helpText(path, heading));
  return EXIT.fine;
}

export async function helpText(
  path: readonly string[],
  heading: (text: string) => string = (text) => text,
): Promise<string> {
  if (path.length === 0) return programHelp(heading);
  const entry = entryOf(path);
  const name = ["waymark", ...path].join(" ");
  if ("actions" in entry) return groupHelp(name, entry, heading);
  return commandHelp(name, entry.summary, await entry.load(), heading);
}

function entryOf(path: readonly string[]): Entry {
  let entries: Entries = COMMANDS;
  let entry: Entry | undefined;
  for (const [place, word] of path.entries()) {
    entry = Object.hasOwn(entries, word) ? entries[word] : undefined;
    if (!entry) {
      const meant = nearest(word, Object.keys(entries));
      const hint = meant ? ` Did you mean ${[...path.slice(0, place), meant].join(" ")}?` : "";
      throw new UsageError(`There is no help on "${path.join(" ").slice(0, 60)}".${hint}`);
    }
    entries = "actions" in entry ? entry.actions : {};
  }
  if (!entry) throw new UsageError("Name a command.");
  return entry;
}

type Heading = (text: string) => string;

function section(heading: Heading, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", heading(title), ...lines];
}

async function programHelp(heading: Heading): Promise<string> {
  const { home } = await import("../commands/home.ts");
  return [
    ...wrapped("Waymark keeps the todo lists of AI agents where they last and can be seen.", ""),
    ...section(heading, "Usage", [
      `${INDENT}waymark [OPTIONS]             the lists on this machine`,
      `${INDENT}waymark COMMAND [OPTIONS]`,
      `${INDENT}waymark help COMMAND          what a command takes, with examples`,
    ]),
    ...section(heading, "Options of waymark alone", table(optionRows(home.options))),
    ...section(heading, "Commands", table(entryRows(COMMANDS))),
    ...section(heading, "Examples", [
      `${INDENT}waymark todo add "Write the tests" --start`,
      `${INDENT}waymark todos`,
      `${INDENT}waymark tool --list`,
    ]),
    ...section(
      heading,
      "Environment",
      table([
        ["WAYMARK_HOME", "Where lists are kept, instead of the data directory of the system"],
        ["WAYMARK_STORE", "postgres://... keeps the tasks on a server, shared by many machines"],
        ["WAYMARK_TOOLS", '"off" refuses every call of a tool'],
        ["WAYMARK_MAX_TODOS", "Most todos that an agent may write into a list (default: 20)"],
        ["WAYMARK_GUIDANCE", '"off" reminds no agent of anything; or the kinds to leave out'],
        ["WAYMARK_GUIDANCE_PRESET", `How often agents are reminded: ${PRESET_NAMES}`],
        ["WAYMARK_PLAN_EVERY", "Turns between reminders that plan mode is on (default: 0, never)"],
        ["WAYMARK_OFF_IN", "Refuse list writes during commit, pull-request, or both"],
        [
          "WAYMARK_STALL_AFTER",
          "Silence between calls that makes an agent stalled, e.g. 90s (default: 60s)",
        ],
        [
          "WAYMARK_STALL_AFTER_RUNNING",
          "The same while a command runs (default: 5m, or three times its longest earlier run)",
        ],
        [
          "WAYMARK_CLEAR_DELAY",
          "Hide a todo this long after it was closed: seconds, 90s, 5m or off (default: only a finished list, after 60s; board and page hide none)",
        ],
        [
          "WAYMARK_ASCII",
          '"1" draws with ASCII only; so do TERM=linux and a locale that is not UTF-8. Without any locale, Unicode is drawn',
        ],
        ["NO_COLOR", "No colours; FORCE_COLOR asks for them where there is no terminal"],
        ["COLUMNS", "The width of what is drawn, where there is no terminal"],
        ["WAYMARK_DEBUG", '"1" shows where an error came from'],
      ]),
    ),
    ...section(
      heading,
      "Exit codes",
      table([
        ["0", "Fine"],
        ["1", "The answer is no: refused, or not there"],
        ["2", "The command line is wrong"],
        ["3", "The machine is in the way: a file, the disk, a store in use"],
      ]),
    ),
  ].join("\n");
}

type Group = Extract<Entry, { readonly actions: Entries }>;

function groupHelp(name: string, group: Group, heading: Heading): string {
  const { summary, actions, examples } = group;
  return [
    `${summary}.`,
    ...section(heading, "Usage", [`${INDENT}${name} ACTION [OPTIONS]`]),
    ...section(heading, "Actions", table(entryRows(actions))),
    ...section(
      heading,
      "Examples",
      examples.map((example) => `${INDENT}${name} ${example}`),
    ),
    "",
    `More: ${name} ACTION --help`,
  ].join("\n");
}

function commandHelp(name: string, summary: string, command: Command, heading: Heading): string {
  const usage = command.usage ?? [usageOf(command)];
  return [
    `${summary}.`,
    ...section(
      heading,
      "Usage",
      usage.flatMap((form) => wrapped(`${name} ${form}`.trimEnd(), INDENT, `${INDENT}${INDENT}`)),
    ),
    ...section(
      heading,
      "Arguments",
      table(command.arguments.map((each) => [each.name, sentence(each)])),
    ),
    ...section(heading, "Options", table(optionRows(command.options))),
    ...section(
      heading,
      "Notes",
      (command.notes ?? []).flatMap((note) => wrapped(note, INDENT)),
    ),
    ...section(
      heading,
      "Examples",
      command.examples.flatMap(({ command: line, says }) => [
        ...wrapped(`# ${says}`, INDENT, `${INDENT}# `),
        `${INDENT}${line}`,
      ]),
    ),
  ].join("\n");
}

function sentence({ summary, optional }: Argument): string {
  const first = summary.slice(0, 1).toUpperCase() + summary.slice(1);
  return optional ? `${first} (may be left out)` : first;
}

function usageOf({ arguments: args, options }: Command): string {
  const words = args.map(({ name, optional, many }) => {
    const word = many ? `${name}...` : name;
    return optional ? `[${word}]` : word;
  });
  const flags = Object.entries(options).map(([name, { value, many }]) =>
    value === undefined ? `[--${name}]` : `[--${name} ${value}]${many ? "..." : ""}`,
  );
  return [...words, ...flags].join(" ");
}

function entryRows(entries: Entries): [string, string][] {
  return Object.entries(entries).map(([name, { summary }]) => [name, summary]);
}

function optionRows(options: Options): [string, string][] {
  const rows = Object.entries(options).map(
    ([name, { short, value, summary }]): [string, string] => {
      const flag = short === undefined ? `--${name}` : `-${short}, --${name}`;
      return [value === undefined ? flag : `${flag} ${value}`, summary];
    },
  );
  return [...rows, ["-h, --help", "Show this help"]];
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const size = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.flatMap(([name, text]) =>
    wrapped(text, INDENT + " ".repeat(size)).map((line, place) =>
      place === 0 ? `${INDENT}${name.padEnd(size)}${line.trimStart()}` : line,
    ),
  );
}

function wrapped(text: string, indent: string, later = indent): string[] {
  const lines: string[] = [];
  let line = indent;
  let empty = true;
  for (const word of text.split(" ")) {
    if (!empty && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = later;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
