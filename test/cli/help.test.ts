import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { helpText } from "../../src/cli/args/help.ts";
import { SYNONYMS } from "../../src/cli/args/suggest.ts";
import { TOPICS } from "../../src/cli/args/topics.ts";
import { defaultCommand } from "../../src/cli/commands/default.ts";
import { COMMAND_SECTIONS, COMMANDS, walkCommands } from "../../src/cli/commands/index.ts";
import { ENVIRONMENT } from "../../src/cli/environment.ts";
import { claudeSession } from "./claude-session.ts";
import { type Machine, newMachine } from "./machine.ts";

const walked = await walkCommands();
const commands = walked.flatMap(({ path, command }) => (command ? [{ path, command }] : []));

/** Every text that `waymark help …` prints, by the words after `help`. */
const helpPaths = [
  [],
  ...Object.keys(TOPICS).map((topic) => [topic]),
  ...walked.map(({ path }) => path),
];
const goldenName = (path: readonly string[]) => `${["waymark", ...path].join("-")}.txt`;

describe("help texts", () => {
  test.each(helpPaths.map((path) => [path]))("match the golden file: %j", async (path) => {
    await expect(`${await helpText(path)}\n`).toMatchFileSnapshot(
      `goldens/help/${goldenName(path)}`,
    );
  });

  test("have no golden file without a command", () => {
    const files = readdirSync(join(import.meta.dirname, "goldens/help"));
    expect(files.toSorted()).toEqual(helpPaths.map(goldenName).toSorted());
  });

  test.each(helpPaths.map((path) => [path]))("fit 80 columns: %j", async (path) => {
    const text = await helpText(path);
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });
});

describe("command definitions", () => {
  test.each(commands)("$path has help for everything it declares", async ({ path, command }) => {
    const text = await helpText(path);
    expect(command.examples.length).toBeGreaterThanOrEqual(2);
    for (const example of command.examples)
      for (const line of example.command.split("\n")) expect(text).toContain(`  ${line}`);
    for (const [name, { type, value }] of Object.entries(command.options)) {
      expect(text).toContain(`--${name}`);
      expect(value === undefined).toBe(type === "boolean");
    }
    for (const { name } of command.arguments) expect(text).toContain(name);
  });

  test("summaries are phrases without a period", () => {
    const summaries = walked.flatMap(({ entry, command }) => [
      entry.summary,
      ...Object.values(command?.options ?? {}).map(({ summary }) => summary),
      ...(command?.arguments ?? []).map(({ summary }) => summary),
    ]);
    expect(summaries.filter((summary) => !/^[A-Zjo1].*[^.\s]$/.test(summary))).toEqual([]);
  });

  test("related commands exist", () => {
    const names = new Set(walked.map(({ path }) => path.join(" ")));
    const related = commands.flatMap(({ command }) => command.seeAlso ?? []);
    expect(related.filter((name) => !names.has(name))).toEqual([]);
  });

  test("every command is in one section of waymark --help", () => {
    const listed = COMMAND_SECTIONS.flatMap((section) => section.commands);
    expect(listed.toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
  });

  test("suggestions for words of other tools name commands that exist", () => {
    const names = new Set(walked.map(({ path }) => path.join(" ")));
    for (const [group, words] of Object.entries(SYNONYMS))
      for (const [word, command] of Object.entries(words)) {
        expect(names).toContain(command);
        expect(names).not.toContain([group, word].join(" ").trim());
      }
  });
});

/** The tables of variables themselves. */
const DEFINITIONS = /cli\/environment\.ts$|config\/settings\.ts$/;

test("names every WAYMARK_ variable of the source in the environment table", () => {
  // An error code, and variables that Waymark only sets for a child process.
  const internal = [
    "WAYMARK_ACP",
    "WAYMARK_ALERT_TITLE",
    "WAYMARK_ALERT_TEXT",
    "WAYMARK_CHECK_RUN",
  ];
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const source = ["src", "bin"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) =>
        join(root, folder, name),
      ),
    )
    .filter((file) => statSync(file).isFile() && !DEFINITIONS.test(file))
    .map((file) => readFileSync(file, "latin1"))
    .join("\n");
  const constants = [...source.matchAll(/\bconst (WAYMARK_[A-Z0-9_]+)/g)].map(([, name]) => name);
  const named = new Set(source.match(/\bWAYMARK_[A-Z][A-Z0-9_]*/g));
  const variables = [...named].filter((name) => ![...internal, ...constants].includes(name));
  const documented = ENVIRONMENT.map(({ name }) => name).filter((name) => /^WAYMARK_/.test(name));
  expect(variables.toSorted()).toEqual(documented.toSorted());
});

const RECORDINGS = {
  codex: "codex/exec/simple.jsonl",
  claude: "claude-code/todo-write/stream-2.1.jsonl",
};

describe("examples in help run", () => {
  let prepared: Machine;

  beforeAll(() => {
    prepared = newMachine();
    const plan = { input: "1. Add the column\n2. Fill it\n3. Read it\n" };
    // With an open todo, approving leaves the steps to `plan adopt`.
    expect(prepared.run(["todo", "add", "Ask", "--session", "checkout"]).status).toBe(0);
    for (const session of ["refunds", "checkout"])
      expect(prepared.run(["plan", "propose", "-", "--session", session], plan).status).toBe(0);
    expect(prepared.run(["plan", "approve", "checkout"]).status).toBe(0);
    const revised = { input: "1. Add the column\n2. Fill it twice\n3. Read it\n" };
    expect(prepared.run(["plan", "propose", "-", "--session", "refunds"], revised).status).toBe(0);
    const texts = ["Write the tests", "Build the site", "Publish"];
    for (const ran of [
      prepared.run(["todo", "add", ...texts, "--session", "demo"]),
      prepared.run(["todo", "start", "1", "--session", "demo"]),
      ...["Write the parser", "Test it", "Publish", "Plan"].map((subject) =>
        prepared.run(["task", "add", subject]),
      ),
      prepared.run(["task", "block", "t3", "t2"]),
      prepared.run(["task", "claim", "t2", "--as", "ann", "--lease", "1h"]),
      prepared.run(["task", "cancel", "t4"]),
    ])
      expect(ran.status).toBe(0);
    // The agents of the examples print a recorded stream.
    for (const [agent, recording] of Object.entries(RECORDINGS)) {
      const program = join(prepared.root, "bin", agent);
      const file = fileURLToPath(new URL(`../fixtures/${recording}`, import.meta.url));
      writeFileSync(program, `#!/bin/sh\nexec cat '${file}'\n`, { mode: 0o755 });
    }
    const scripts = { test: "true", lint: "true" };
    writeFileSync(join(prepared.cwd, "package.json"), JSON.stringify({ scripts }));
    mkdirSync(join(prepared.cwd, ".waymark"));
    writeFileSync(join(prepared.cwd, ".waymark", "checks.toml"), '[checks]\ntypes = "true"\n');
    for (const check of [
      ["npm test", "--name", "test"],
      ["npm run lint", "--name", "lint"],
      ["make e2e", "--name", "e2e", "--timeout", "20m"],
    ])
      expect(prepared.run(["check", "add", ...check]).status).toBe(0);
    mkdirSync(join(prepared.root, ".claude", "tasks"), { recursive: true });
    mkdirSync(join(prepared.cwd, "backlog", "tasks"), { recursive: true });
    writeFileSync(join(prepared.cwd, "plan.md"), "# Now\n\n- [ ] Think\n  > twice\n");
    mkdirSync(join(prepared.root, ".claude", "projects", "-p"), { recursive: true });
    writeFileSync(
      join(prepared.root, ".claude", "projects", "-p", "demo.jsonl"),
      claudeSession("demo", prepared.cwd)
        .prompt("Paint", Date.now())
        .call("Bash", { command: "npm test" }, Date.now(), "3 passed")
        .text(),
    );
  });

  afterAll(() => prepared.remove());

  const examples = walked
    .flatMap(
      ({ entry, command }) => command?.examples ?? ("examples" in entry ? entry.examples : []),
    )
    .map(({ command }) => command)
    // These need a server; test/postgres/relay.test.ts runs them.
    .filter((line) => !line.startsWith("waymark relay"));
  const programExamples = defaultCommand.examples
    .map(({ command }) => command)
    // A minute long; its own examples run faster.
    .filter((line) => line !== "waymark demo");

  const all = [...new Set([...examples, ...programExamples])].map((line, n) => ({ line, n }));
  const isEndless = ({ line }: { line: string }) =>
    /^waymark (?:task watch|watch|serve|.* --follow|.* --watch)/.test(line);

  /** A copy of the prepared home for each example. */
  function homeOf(n: number): string {
    const home = join(prepared.root, `home-${n}`);
    cpSync(prepared.home, home, { recursive: true });
    return home;
  }

  /** Only pipe, setup and serve print more than which list was chosen. */
  function expectQuiet(line: string, stderr: string): void {
    if (/waymark (?:pipe|setup|serve)/.test(line)) return;
    const expected = /^waymark (?:todo edit$|config edit)/.test(line)
      ? "Nothing was changed.\n"
      : "";
    expect({ line, printed: withoutTrackLine(stderr) }).toEqual({ line, printed: expected });
  }

  test.each(all.filter((each) => !isEndless(each)))("$line", ({ line, n }) => {
    const env = {
      USER: "ann",
      WAYMARK_HOME: homeOf(n),
      GITHUB_STEP_SUMMARY: join(prepared.root, `${n}.md`),
      XDG_CONFIG_HOME: join(prepared.root, `config-${n}`),
      EDITOR: "true",
    };
    const { status, stderr } = prepared.bash(`set -o pipefail; ${line}`, { env });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expectQuiet(line, stderr);
  });

  test("commands that run until Ctrl+C end by the signal", () => {
    const endless = all.filter(isEndless);
    expect(endless.length).toBeGreaterThan(5);
    const stderrOf = (n: number) => join(prepared.root, `${n}.stderr`);
    const script = endless.map(
      ({ line, n }) =>
        `(export WAYMARK_HOME='${homeOf(n)}'; timeout -s INT 2 ${line} >'${n}.out' 2>'${stderrOf(n)}'; echo "$? ${line}") &`,
    );
    const { stdout } = prepared.bash([...script, "wait"].join("\n"));
    expect(stdout.trim().split("\n").toSorted()).toEqual(
      endless.map(({ line }) => `124 ${line}`).toSorted(),
    );
    for (const { line, n } of endless) expectQuiet(line, readFileSync(stderrOf(n), "utf8"));
  });
});

/** Commands without --session name the list they use, and how many others there are. */
function withoutTrackLine(stderr: string): string {
  return stderr.replace(
    /^session demo, agent main(?: \(the newest of \d+ lists here; [^\n]*\))?\n/,
    "",
  );
}

describe("help of the built program", () => {
  let machine: Machine;
  beforeAll(() => {
    machine = newMachine();
  });
  afterAll(() => machine.remove());

  test("prints the same text for --help, -h and help", async () => {
    const stdout = `${await helpText(["todo", "add"])}\n`;
    const same = { status: 0, stdout, stderr: "" };
    expect(machine.run(["todo", "add", "--help"])).toEqual(same);
    expect(machine.run(["help", "todo", "add"])).toEqual(same);
    expect(machine.run(["todo", "add", "-h", "x"])).toEqual(same);
  });

  test("prints help of the program and of a group", async () => {
    const stdout = `${await helpText([])}\n`;
    expect(machine.run(["--help"])).toEqual({ status: 0, stdout, stderr: "" });
    expect(machine.run(["help"])).toEqual({ status: 0, stdout, stderr: "" });
    expect(machine.run(["todo", "--help"]).stdout).toBe(`${await helpText(["todo"])}\n`);
  });

  test("prints bold headings only with colors", () => {
    const { stdout } = machine.run(["help", "ls"], { env: { FORCE_COLOR: "1" } });
    expect(stdout).toContain("\u001b[1mUSAGE\u001b[0m\n");
    const plain = machine.run(["help", "ls"], { env: { FORCE_COLOR: "0" } }).stdout;
    expect(plain).toContain("\nUSAGE\n");
  });

  test("does not create the home directory", () => {
    expect(machine.bash("ls ..").stdout).toBe("bin\nproject\n");
  });
});
