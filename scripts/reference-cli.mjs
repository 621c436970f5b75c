// docs/reference/cli.md, made from the definitions of the commands.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { slugger } from "./markdown.mjs";

const SOURCE = `
  export { helpText } from "./src/cli/args/help.ts";
  export { usageForms } from "./src/cli/args/usage.ts";
  export { COMMAND_SECTIONS, walkCommands } from "./src/cli/commands/index.ts";
  export { defaultCommand } from "./src/cli/commands/default.ts";
  export { ENVIRONMENT } from "./src/cli/environment.ts";
  export { EXIT_CODES } from "./src/cli/io/exit.ts";
  export { SETTINGS } from "./src/config/settings.ts";
  export { configurableCommands } from "./src/cli/config/key.ts";`;

/** The modules that define the commands, from the sources below `root`. */
export async function loadCommands(root) {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  // Inside the project, so that packages are found.
  const dir = mkdtempSync(join(cache, "commands-"));
  try {
    await build({
      stdin: { contents: SOURCE, resolveDir: root },
      outdir: dir,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      splitting: true,
      packages: "external",
      platform: "node",
      format: "esm",
      loader: { ".sql": "text" },
      define: { BUILD: '""' },
      logLevel: "warning",
    });
    const modules = await import(pathToFileURL(join(dir, "stdin.mjs")).href);
    // Commands are loaded before the files are removed.
    const walked = await modules.walkCommands();
    const help = await modules.helpText([], (heading) => `\u001b[1m${heading}\u001b[0m`);
    return { ...modules, walked, help, commands: await modules.configurableCommands() };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The page. */
export function cliReference(definitions) {
  const { COMMAND_SECTIONS, ENVIRONMENT, EXIT_CODES, defaultCommand, usageForms, walked } =
    definitions;
  const slug = slugger();
  const anchors = new Map();
  const remember = (title) => anchors.set(title, slug(title));
  const sections = COMMAND_SECTIONS.map(({ title, commands }) => ({
    title,
    entries: commands.flatMap((name) => walked.filter(({ path }) => path[0] === name)),
  }));
  for (const title of ["Command reference", "Overview", "Environment", "Exit codes", "waymark"])
    remember(title);
  for (const { title, entries } of sections) {
    remember(title);
    for (const { path } of entries) remember(nameOf(path));
  }
  const link = (name) => `[\`${name}\`](#${anchors.get(name)})`;
  const overview = sections.flatMap(({ entries }) =>
    entries
      .filter(({ path }) => path.length === 1)
      .map(({ path, entry }) => [link(nameOf(path)), entry.summary]),
  );
  const parts = [
    "# Command reference",
    "Every command and option. `npm run docs` writes this page from the definitions of the commands; `waymark help COMMAND` prints the same.",
    "## Overview",
    table(
      ["command", ""],
      [[link("waymark"), "Open the board; print a table without a terminal"], ...overview],
    ),
    "Every command takes `-h` and `--help`. Data is printed to standard output, messages to standard error.",
    "## Environment",
    table(
      ["variable", "", "default"],
      ENVIRONMENT.map((each) => [codes(each.name), each.summary, each.default ?? ""]),
    ),
    "## Exit codes",
    table(
      ["code", "meaning"],
      EXIT_CODES.map(({ code, meaning }) => [`\`${code}\``, meaning]),
    ),
    "## `waymark`",
    "Open the board; print a table without a terminal.",
    ...details("waymark", defaultCommand, usageForms, link),
  ];
  for (const { title, entries } of sections) {
    parts.push(`## ${title}`);
    for (const { path, entry, command } of entries) {
      const name = nameOf(path);
      parts.push(`${path.length > 1 ? "####" : "###"} \`${name}\``);
      if (command)
        parts.push(
          prose(command.description ?? `${entry.summary}.`),
          ...details(name, command, usageForms, link),
        );
      else
        parts.push(
          `${entry.summary}.`,
          ...(entry.notes ?? []).map(prose),
          table(
            ["action", ""],
            Object.entries(entry.actions).map(([action, { summary }]) => [
              link(`${name} ${action}`),
              summary,
            ]),
          ),
          examples(entry.examples),
        );
    }
  }
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function nameOf(path) {
  return ["waymark", ...path].join(" ");
}

function details(name, command, usageForms, link) {
  const { arguments: args, options, notes = [], exitCodes = {}, seeAlso = [] } = command;
  const withDefault = (each) =>
    each.default === undefined ? each.summary : `${each.summary} (default: ${each.default})`;
  const optionRow = ([option, each]) => {
    const flag = each.short === undefined ? `--${option}` : `-${each.short}, --${option}`;
    const whole = each.value === undefined ? flag : `${flag} ${each.value}`;
    return [`\`${whole}\``, `${withDefault(each)}${each.repeatable ? " (repeatable)" : ""}`];
  };
  const rows = (head, list) => (list.length === 0 ? "" : table([head, ""], list));
  return [
    block(usageForms(command).map((form) => `${name} ${form}`.trim())),
    rows(
      "argument",
      args.map((each) => [
        `\`${each.name}\``,
        `${withDefault(each)}${each.optional ? " (optional)" : ""}`,
      ]),
    ),
    rows("option", Object.entries(options).map(optionRow)),
    ...notes.map(prose),
    rows(
      "exit code",
      Object.entries(exitCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
    examples(command.examples),
    seeAlso.length === 0
      ? ""
      : `See also: ${seeAlso.map((each) => link(`waymark ${each}`)).join(", ")}.`,
  ];
}

function examples(list) {
  return list.length === 0
    ? ""
    : block(list.flatMap(({ command, comment }) => [`# ${comment}`, command]));
}

function block(lines) {
  return ["```text", ...lines, "```"].join("\n");
}

function codes(names) {
  return names
    .split(", ")
    .map((name) => `\`${name}\``)
    .join(", ");
}

function table(head, rows) {
  const lines = rows.map((cells) => `| ${cells.map(cell).join(" | ")} |`);
  return [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...lines].join("\n");
}

/** Bars and angle brackets would be read as markup. */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

/** Options and environment variables, with a value. */
const NAME = /(?<![\w-])(?:--[a-z][\w-]*|[A-Z]{2,}_[A-Z_]+(?:=[\w,]+)?)/g;

/** A paragraph as Markdown: options and variables are code, other characters are not read as markup. */
function prose(text) {
  return text
    .replace(/`[^`]*`|[^`]+/g, (part) => (part.startsWith("`") ? part : part.replace(NAME, "`$&`")))
    .replace(/`[^`]*`|[^`]+/g, (part) =>
      part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replace(/[*_]/g, "\\$&"),
    );
}
