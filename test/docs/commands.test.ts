import { afterEach, describe, expect, test } from "vitest";
import { NO_POSTGRES, serverIfPossible } from "../postgres/server.ts";
import { type DocsMachine, newDocsMachine } from "./machine.ts";
import { GUIDES, textOf } from "./pages.ts";
import {
  type Command,
  consoleBlock,
  isShown,
  type Part,
  partsOf,
  shortened,
} from "./shell-blocks.ts";

/** Written by `npm run docs`; the examples in it are run by the tests of the help. */
const GENERATED = ["docs/reference/cli.md", "docs/reference/mcp.md"];
/** The address of the server in the documentation. */
const EXAMPLE_SERVER = "postgres://ann@db.example/team";

/** Why a block is not run. The reader can run all of them. */
const REASONS = [
  "needs a model",
  "needs the npm registry",
  "needs a clone",
  "needs a terminal",
  "needs a browser",
  "needs tmux",
  "needs PostgreSQL's programs",
  "needs a collector",
  "changes the settings of the reader",
];

const server = serverIfPossible();

let machine: DocsMachine | undefined;
afterEach(() => {
  machine?.remove();
  machine = undefined;
});

const pages = GUIDES.filter((file) => !GENERATED.includes(file))
  .map((file) => ({ file, text: textOf(file), parts: partsOf(textOf(file)) }))
  .filter(({ parts }) => parts.some(({ kind }) => kind === "commands"));

/** Where the output of a command is what the page shows, the page stays; otherwise it gets the output. */
function rendered(parts: readonly Part[], outputs: ReadonlyMap<Command, string>): string {
  return parts
    .map((part) => {
      if (part.kind !== "commands" || !part.isConsole) return part.text;
      const commands = part.commands.filter(({ isHidden }) => !isHidden);
      const shown = commands.map((command) => {
        const output = outputs.get(command) ?? "";
        const { script, shown = "" } = command;
        return { script, output: isShown(shown, output) ? shown : shortened(shown, output) };
      });
      return part.text.replace(/```console\n[\s\S]*```$/, () => consoleBlock(shown));
    })
    .join("");
}

describe("commands of the documentation", () => {
  test.each(pages)("$file", async ({ file, text, parts }) => {
    const needsServer = text.includes(EXAMPLE_SERVER);
    if (needsServer && NO_POSTGRES !== "") return;
    const replaced = needsServer
      ? { [EXAMPLE_SERVER]: await server.database(`docs_${file.replace(/\W/g, "_")}`) }
      : {};
    const hasUsage = text.includes("<!-- machine: team with usage -->");
    const hasTeam = hasUsage || text.includes("<!-- machine: team -->");
    machine = await newDocsMachine({ hasTeam, hasUsage, replaced });
    const commands = parts.flatMap((part) => (part.kind === "commands" ? part.commands : []));
    const results = machine.run(commands.map(({ script }) => script));
    const wrong = commands.flatMap(({ script, status }, n) =>
      results[n]?.status === status
        ? []
        : [`${results[n]?.status} instead of ${status}: ${script}\n${results[n]?.output}`],
    );
    const outputs = new Map(commands.map((command, n) => [command, results[n]?.output ?? ""]));
    await expect(rendered(parts, outputs)).toMatchFileSnapshot(`../../${file}`);
    expect(wrong).toEqual([]);
  });

  test("are left out for a known reason only", () => {
    const reasons = pages
      .concat(GUIDES.map((file) => ({ file, text: "", parts: partsOf(textOf(file)) })))
      .flatMap(({ file, parts }) =>
        parts.flatMap((part) => (part.kind === "skipped" ? [{ file, reason: part.reason }] : [])),
      );
    expect(reasons.filter(({ reason }) => !REASONS.includes(reason))).toEqual([]);
  });
});

describe("the comparison of outputs", () => {
  test("ignores times, ports, tokens and the width of columns", () => {
    expect(isShown("t1  ann  2m 14s  12:01", "t1    ann  3s  04:59")).toBe(true);
    expect(isShown("Tue 17 Nov 23:36 to Wed 18 Nov 11:36", "Wed 2 Dec 05:29 to 07:00")).toBe(true);
    expect(isShown("http://127.0.0.1:4000/", "http://127.0.0.1:51234/")).toBe(true);
    expect(isShown("t1  ann  2m", "t1  bob  2m")).toBe(false);
  });

  test("leaves out again what the page left out", () => {
    const shown = "Waymark …\n…\nCodex is set up.\n…";
    const output = "Waymark 2 on Node\na\nb\nCodex is connected and set up.\nRestart it.";
    expect(shortened(shown, output)).toBe("Waymark …\n…\nCodex is connected and set up.\n…");
    expect(shortened("one line", output)).toBe(output);
  });

  test("takes … for any text, and for any lines where it stands alone", () => {
    expect(isShown("a … c", "a b c")).toBe(true);
    expect(isShown("a\n…\nd", "a\nb\nc\nd")).toBe(true);
    expect(isShown("a\n…\nd", "a\nb\nc\ne")).toBe(false);
  });
});
