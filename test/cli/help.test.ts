import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Command, Entries } from "../../src/cli/args/command.ts";
import { helpText } from "../../src/cli/args/help.ts";
import { COMMANDS } from "../../src/cli/commands/index.ts";
import { type Machine, newMachine } from "./machine.ts";

interface Named {
  readonly path: readonly string[];
  readonly command: Command;
}

async function everyCommand(entries: Entries, path: readonly string[] = []): Promise<Named[]> {
  const found = await Promise.all(
    Object.entries(entries).map(async ([name, entry]) =>
      "actions" in entry
        ? everyCommand(entry.actions, [...path, name])
        : [{ path: [...path, name], command: await entry.load() }],
    ),
  );
  return found.flat();
}

const commands = await everyCommand(COMMANDS);

describe("the help of every command", () => {
  test.each(commands)("$path", async ({ path, command }) => {
    const text = await helpText(path);
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(command.examples.length).toBeGreaterThanOrEqual(2);
    for (const example of command.examples)
      expect(text).toContain(`  ${example.command}\n`.trimEnd());
    for (const name of Object.keys(command.options)) expect(text).toContain(`--${name}`);
    for (const { name } of command.arguments) expect(text).toContain(name);
  });

  test.each([[[]], [["todo"]], [["plan"]], [["task"]]])(
    "of the table %j fits 80 columns and has examples",
    async (path) => {
      const text = await helpText(path);
      expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
      expect(text).toContain("\nExamples\n");
    },
  );
});

test("the help of the program has the options of its bare name", async () => {
  const text = await helpText([]);
  for (const name of ["all", "json", "plain", "page", "notify"])
    expect(text).toContain(`--${name}`);
});

test("names of agents stand in the help of hook as they are typed", async () => {
  expect(await helpText(["hook"])).toContain("The agent: claude, codex");
});

const RECORDINGS = {
  codex: "codex/exec/simple.jsonl",
  claude: "claude-code/todo-write/stream-2.1.jsonl",
};

describe("every example of the help runs", () => {
  let prepared: Machine;

  beforeAll(() => {
    prepared = newMachine();
    const plan = { input: "1. Add the column\n2. Fill it\n3. Read it\n" };
    // Where a todo is open, approving leaves the steps of the plan to `plan adopt`.
    expect(prepared.run(["todo", "add", "Ask", "--session", "checkout"]).status).toBe(0);
    for (const session of ["refunds", "checkout"])
      expect(prepared.run(["plan", "propose", "-", "--session", session], plan).status).toBe(0);
    expect(prepared.run(["plan", "approve", "checkout"]).status).toBe(0);
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
    // The agents of the examples say what they once said.
    for (const [agent, recording] of Object.entries(RECORDINGS)) {
      const program = join(prepared.root, "bin", agent);
      const file = fileURLToPath(new URL(`../fixtures/${recording}`, import.meta.url));
      writeFileSync(program, `#!/bin/sh\nexec cat '${file}'\n`, { mode: 0o755 });
    }
    mkdirSync(join(prepared.root, ".claude", "tasks"), { recursive: true });
    writeFileSync(join(prepared.cwd, "plan.md"), "# Now\n\n- [ ] Think\n  > twice\n");
  });

  afterAll(() => prepared.remove());

  const examples = commands
    .flatMap(({ command }) => command.examples.map((each) => each.command))
    // These need a server: the tests of the relay run them on one.
    .filter((line) => !line.startsWith("waymark relay"));
  const programExamples = [
    'waymark todo add "Write the docs" --start',
    "waymark todos",
    "waymark tool --list",
    "waymark",
  ];

  const all = [...new Set([...examples, ...programExamples])].map((line, n) => ({ line, n }));
  const isEndless = ({ line }: { line: string }) =>
    /^waymark (?:task watch|watch|serve|.* --follow)/.test(line);

  /** A home of its own for each, as it was prepared. */
  function homeOf(n: number): string {
    const home = join(prepared.root, `home-${n}`);
    cpSync(prepared.home, home, { recursive: true });
    return home;
  }

  /** What an agent's stream is about, and what is left to do after a set-up, is said beside it. */
  function expectQuiet(line: string, stderr: string): void {
    if (/waymark (?:pipe|setup|serve)/.test(line)) return;
    const expected = line.startsWith("EDITOR=true") ? "Nothing was changed.\n" : "";
    expect({ line, said: withoutTrackLine(stderr) }).toEqual({ line, said: expected });
  }

  test.each(all.filter((each) => !isEndless(each)))("$line", ({ line, n }) => {
    const env = { WAYMARK_HOME: homeOf(n), GITHUB_STEP_SUMMARY: join(prepared.root, `${n}.md`) };
    const { status, stderr } = prepared.bash(`set -o pipefail; ${line}`, { env });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expectQuiet(line, stderr);
  });

  test("what never ends by itself is ended as a person would", () => {
    const endless = all.filter(isEndless);
    expect(endless.length).toBeGreaterThan(5);
    const said = (n: number) => join(prepared.root, `${n}.stderr`);
    const script = endless.map(
      ({ line, n }) =>
        `(export WAYMARK_HOME='${homeOf(n)}'; timeout -s INT 2 ${line} >'${n}.out' 2>'${said(n)}'; echo "$? ${line}") &`,
    );
    const { stdout } = prepared.bash([...script, "wait"].join("\n"));
    expect(stdout.trim().split("\n").toSorted()).toEqual(
      endless.map(({ line }) => `124 ${line}`).toSorted(),
    );
    for (const { line, n } of endless) expectQuiet(line, readFileSync(said(n), "utf8"));
  });
});

/** Commands without --session name the list they use, and how many others there are. */
function withoutTrackLine(stderr: string): string {
  return stderr.replace(
    /^session demo, agent main(?: \(the newest of \d+ lists here; [^\n]*\))?\n/,
    "",
  );
}

describe("help by the program", () => {
  let machine: Machine;
  beforeAll(() => {
    machine = newMachine();
  });
  afterAll(() => machine.remove());

  test("three ways to the same text", async () => {
    const stdout = `${await helpText(["todo", "add"])}\n`;
    const same = { status: 0, stdout, stderr: "" };
    expect(machine.run(["todo", "add", "--help"])).toEqual(same);
    expect(machine.run(["help", "todo", "add"])).toEqual(same);
    expect(machine.run(["todo", "add", "-h", "x"])).toEqual(same);
  });

  test("of the program and of a group", async () => {
    const stdout = `${await helpText([])}\n`;
    expect(machine.run(["--help"])).toEqual({ status: 0, stdout, stderr: "" });
    expect(machine.run(["help"])).toEqual({ status: 0, stdout, stderr: "" });
    expect(machine.run(["todo", "--help"]).stdout).toBe(`${await helpText(["todo"])}\n`);
  });

  test("headings are bold where colours are wanted, and nowhere else", () => {
    const { stdout } = machine.run(["help", "ls"], { env: { FORCE_COLOR: "1" } });
    expect(stdout).toContain("\u001b[1mUsage\u001b[0m\n");
    const plain = machine.run(["help", "ls"], { env: { FORCE_COLOR: "0" } }).stdout;
    expect(plain).toContain("\nUsage\n");
  });

  test("nothing of it makes a home", () => {
    expect(machine.bash("ls ..").stdout).toBe("bin\nproject\n");
  });
});
