// The manual page, made from the definitions of the commands.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes the page. `definitions` are those of `loadCommands`. */
export function writeManPage(file, definitions, version) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, manPage(definitions, version));
}

/** The page in the macros of man(7), which man-db, groff and mandoc read. */
export function manPage(definitions, version) {
  const { COMMAND_SECTIONS, ENVIRONMENT, EXIT_CODES, defaultCommand, usageForms, walked } =
    definitions;
  const lines = [
    `.TH WAYMARK 1 "" "Waymark ${roff(version)}" "User Commands"`,
    ".SH NAME",
    "waymark \\- show and change what coding agents are doing: todos, plans and progress",
    ".SH SYNOPSIS",
    ".B waymark",
    "[options]",
    ".br",
    ".B waymark",
    "COMMAND [options]",
    ".SH DESCRIPTION",
    ...text("Without a command, waymark opens the board; without a terminal, it prints a table."),
    ...text(
      "Every command takes -h and --help. Data is printed to standard output, messages to standard error.",
    ),
    // They would double the size of the page, which is part of the package.
    ...text("`waymark help COMMAND` has notes and examples."),
    ".SH OPTIONS",
    ...optionLines(defaultCommand),
    ...items([["-V, --version", "Show the version"]]),
  ];
  for (const { title, commands } of COMMAND_SECTIONS) {
    lines.push(`.SH COMMANDS: ${roff(title.toUpperCase())}`);
    for (const { path, entry, command } of commands.flatMap((name) =>
      walked.filter((each) => each.path[0] === name),
    ))
      lines.push(
        ...(command ? commandLines(path, entry, command, usageForms) : groupLines(path, entry)),
      );
  }
  lines.push(
    ".SH EXIT STATUS",
    ...items(EXIT_CODES.map(({ code, meaning }) => [String(code), meaning])),
    ".SH ENVIRONMENT",
    ...items(
      ENVIRONMENT.map(({ name, summary, default: usual }) => [name, withDefault(summary, usual)]),
    ),
    ".SH FILES",
    ...items([
      ["~/.config/waymark/config.toml", "Settings and defaults of options; see waymark config"],
      [".waymark/config.toml", "Settings of a project"],
    ]),
  );
  return `${lines.join("\n")}\n`;
}

function groupLines(path, { summary, notes = [] }) {
  return [
    `.SS waymark ${roff(path.join(" "))} ACTION`,
    ...text(`${summary}.`),
    ...notes.flatMap(text),
  ];
}

function commandLines(path, { summary }, command, usageForms) {
  const { description = `${summary}.`, exitCodes = {} } = command;
  const name = ["waymark", ...path].join(" ");
  return [
    ...usageForms(command).map((form) => `.SS ${roff(`${name} ${form}`.trim())}`),
    ...text(description),
    ...items(command.arguments.map((each) => [each.name, withDefault(each.summary, each.default)])),
    ...optionLines(command),
    ...items(Object.entries(exitCodes).map(([code, meaning]) => [`Exit code ${code}`, meaning])),
  ];
}

function optionLines({ options }) {
  return items(
    Object.entries(options).map(([name, { short, value, summary, default: usual }]) => [
      `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
      withDefault(summary, usual),
    ]),
  );
}

function withDefault(summary, usual) {
  return usual === undefined ? summary : `${summary} (default: ${usual})`;
}

function items(rows) {
  return rows.flatMap(([term, about]) => [".TP", `.B ${roff(term)}`, roff(about)]);
}

function text(paragraph) {
  return [".PP", roff(paragraph)];
}

/** One line of text: nothing in it is a request or an escape. */
export function roff(given) {
  const escaped = given
    .replace(/\s+/g, (space) => (space.includes("\n") ? " " : space))
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("`", "\\(ga")
    .replaceAll("'", "\\(aq")
    .replaceAll("^", "\\(ha")
    .replaceAll("~", "\\(ti")
    .replace(/[^\x20-\x7e]/gu, (character) => {
      const code = character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      return `\\[u${code}]`;
    });
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
