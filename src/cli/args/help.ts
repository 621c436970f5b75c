import { UsageError } from "../../core/error.ts";
import { COMMAND_SECTIONS, COMMANDS } from "../commands/index.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import type { Terminal } from "../io/terminal.ts";
import type { Argument, Command, Entries, Entry, Example, Options } from "./command.ts";
import { suggestCommand } from "./suggest.ts";
import { TOPICS } from "./topics.ts";
import { usageForms } from "./usage.ts";

const WIDTH = 80;
const INDENT = "  ";

/** Prints the help of the program (empty path), a group, a command or a topic. */
export async function printHelp(path: readonly string[], terminal: Terminal): Promise<Exit> {
  const heading = (text: string) => (terminal.color ? `\u001b[1m${text}\u001b[0m` : text);
  terminal.print(await helpText(path, heading));
  return EXIT.success;
}

export async function helpText(
  path: readonly string[],
  heading: (text: string) => string = (text) => text,
): Promise<string> {
  if (path.length === 0) return programHelp(heading);
  const [topic = ""] = path;
  if (path.length === 1 && Object.hasOwn(TOPICS, topic)) return topicHelp(topic);
  const entry = entryOf(path);
  const name = ["waymark", ...path].join(" ");
  if ("actions" in entry) return groupHelp(name, entry, heading);
  return commandHelp(name, entry.summary, await entry.load(), heading);
}

function entryOf(path: readonly string[]): Entry {
  let entries: Entries = COMMANDS;
  let entry: Entry | undefined;
  for (const [index, word] of path.entries()) {
    entry = Object.hasOwn(entries, word) ? entries[word] : undefined;
    if (!entry) {
      const meant = suggestCommand(word, path.slice(0, index), entries);
      const hint =
        meant === undefined
          ? "Run `waymark --help` for a list."
          : `Did you mean \`waymark help ${meant}\`?`;
      throw new UsageError(`No help for "${path.join(" ").slice(0, 60)}". ${hint}`);
    }
    entries = "actions" in entry ? entry.actions : {};
  }
  if (!entry) throw new UsageError("Missing COMMAND. Run `waymark --help` for a list.");
  return entry;
}

type Heading = (text: string) => string;

function section(heading: Heading, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", heading(title), ...lines];
}

async function programHelp(heading: Heading): Promise<string> {
  const { defaultCommand } = await import("../commands/default.ts");
  const names = [...Object.keys(COMMANDS), ...Object.keys(TOPICS)];
  const size = Math.max(...names.map((name) => name.length)) + 2;
  return [
    "Waymark shows what your coding agents are doing: todos, plans and progress.",
    ...section(heading, "USAGE", [
      `${INDENT}waymark [options]          Open the board; print a table without a terminal`,
      `${INDENT}waymark COMMAND [options]`,
    ]),
    ...COMMAND_SECTIONS.flatMap(({ title, commands }) =>
      section(
        heading,
        title.toUpperCase(),
        table(
          commands.map((name) => [name, COMMANDS[name]?.summary ?? ""]),
          size,
        ),
      ),
    ),
    ...section(
      heading,
      "HELP TOPICS",
      table(
        Object.entries(TOPICS).map(([name, { summary }]) => [name, summary]),
        size,
      ),
    ),
    ...section(
      heading,
      "OPTIONS",
      table([...optionRows(defaultCommand.options), ["-V, --version", "Show the version"]]),
    ),
    ...section(heading, "EXAMPLES", defaultCommand.examples.flatMap(exampleLines)),
    "",
    ...wrapped("Run `waymark COMMAND --help` for the options and examples of a command.", ""),
  ].join("\n");
}

function topicHelp(name: string): string {
  const { description, rows } = TOPICS[name] ?? { description: "", rows: [] };
  return [...wrapped(description, ""), "", ...table(rows)].join("\n");
}

type Group = Extract<Entry, { readonly actions: Entries }>;

function groupHelp(name: string, group: Group, heading: Heading): string {
  const { summary, actions, notes = [], examples } = group;
  return [
    ...wrapped(`${summary}.`, ""),
    ...section(heading, "USAGE", [`${INDENT}${name} ACTION [options]`]),
    ...section(
      heading,
      "ACTIONS",
      table(Object.entries(actions).map(([action, entry]) => [action, entry.summary])),
    ),
    ...noteLines(notes),
    ...section(heading, "EXAMPLES", examples.flatMap(exampleLines)),
    "",
    `Run \`${name} ACTION --help\` for the options and examples of an action.`,
  ].join("\n");
}

function commandHelp(name: string, summary: string, command: Command, heading: Heading): string {
  const { description = `${summary}.`, notes = [], exitCodes = {}, seeAlso = [] } = command;
  return [
    ...wrapped(description, ""),
    ...section(
      heading,
      "USAGE",
      usageForms(command).flatMap((form) =>
        wrapped(`${name} ${form}`.trimEnd(), INDENT, `${INDENT}${INDENT}`),
      ),
    ),
    ...section(
      heading,
      "ARGUMENTS",
      table(command.arguments.map((each) => [each.name, withDefault(each)])),
    ),
    ...section(heading, "OPTIONS", table(optionRows(command.options))),
    ...noteLines(notes),
    ...section(heading, "EXIT CODES", table(Object.entries(exitCodes))),
    ...section(heading, "EXAMPLES", command.examples.flatMap(exampleLines)),
    ...section(
      heading,
      "SEE ALSO",
      seeAlso.length === 0
        ? []
        : wrapped(seeAlso.map((each) => `waymark ${each}`).join(", "), INDENT),
    ),
  ].join("\n");
}

function noteLines(notes: readonly string[]): string[] {
  return notes.flatMap((note) => ["", ...wrapped(note, "")]);
}

function exampleLines({ command, comment }: Example): string[] {
  return [
    ...wrapped(`# ${comment}`, INDENT, `${INDENT}# `),
    ...command.split("\n").map((line) => `${INDENT}${line}`),
  ];
}

function withDefault(each: Pick<Argument, "summary" | "default">): string {
  return each.default === undefined ? each.summary : `${each.summary} (default: ${each.default})`;
}

function optionRows(options: Options): [string, string][] {
  const rows = Object.entries(options).map(([name, option]): [string, string] => {
    const { short, value } = option;
    const flag = `${short === undefined ? "    " : `-${short}, `}--${name}`;
    return [value === undefined ? flag : `${flag} ${value}`, withDefault(option)];
  });
  return [...rows, ["-h, --help", "Show help"]];
}

function table(rows: readonly (readonly [string, string])[], size?: number): string[] {
  const first = size ?? Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.flatMap(([name, text]) =>
    wrapped(text, INDENT + " ".repeat(first)).map((line, index) =>
      index === 0 ? `${INDENT}${name.padEnd(first)}${line.trimStart()}` : line,
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
