import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../skipped.ts";
import { type Machine, newMachine, PROGRAM } from "./machine.ts";

let machine: Machine;
beforeAll(() => {
  machine = newMachine();
});
afterAll(() => machine.remove());

describe("usage errors exit with 2 and say what to do", () => {
  const cases: readonly (readonly [string[], string])[] = [
    [["tods"], "Unknown command: tods. Did you mean `todos`?"],
    [["xyzzy"], "Unknown command: xyzzy. Run `waymark --help` for a list."],
    [["version"], "Unknown command: version. Run `waymark --version`."],
    [["board"], "Unknown command: board. Run `waymark` without a command to open the board."],
    [["status"], "Unknown command: status. Did you mean `ls`?"],
    [["todo", "ad", "Write tests"], "Unknown command: todo ad. Did you mean `todo add`?"],
    [["todo", "finish", "3"], "Unknown command: todo finish. Did you mean `todo done`?"],
    [["todo", "list"], "Unknown command: todo list. Did you mean `todos`?"],
    [["task", "take", "t1"], "Unknown command: task take. Did you mean `task claim`?"],
    [["plan", "accept"], "Unknown command: plan accept. Did you mean `plan approve`?"],
    [["task", "qqq"], "Unknown command: task qqq. Run `waymark task --help` for a list."],
    [["todo", "--json"], "Missing action before --json, e.g. todo add. See `waymark todo --help`."],
    [["todos", "--sesion", "x"], "Unknown option: --sesion. Did you mean --session?"],
    [["ls", "--format", "json"], "Unknown option: --format. Did you mean --json?"],
    [["task", "claim", "--ttl", "5m"], "Unknown option: --ttl. Did you mean --lease?"],
    [["ls", "-x"], "Unknown option: -x. See `waymark ls --help`."],
    [
      ["watch", "--since", "2h"],
      "Unknown option: --since. `waymark watch` always starts now; for the past, use `waymark history`.",
    ],
    [
      ["todo", "add", "-v is broken"],
      "Unknown option: -v. Put text that begins with - after --. See `waymark todo add --help`.",
    ],
    [
      ["history", "--since", "2h"],
      "Unknown option: --since. Use --limit N, or `waymark todos --at 2h` for the list at an earlier time.",
    ],
    [
      ["doctor", "--fix"],
      "Unknown option: --fix. `waymark doctor` only reports; run the commands that it prints.",
    ],
    [
      ["task", "add", "x", "--priority", "high"],
      'Invalid --priority "high". Use 0 (most urgent) to 4.',
    ],
    [["--jsn"], "Unknown option: --jsn. Did you mean --json?"],
    [["ls", "--json=yes"], "Option --json takes no value."],
    [
      ["todos", "--session"],
      "Option --session needs a value. Write a value that begins with - as --session=ID.",
    ],
    [["ls", "extra"], 'Unexpected argument "extra". See `waymark ls --help`.'],
    [["todo", "start", "a", "b"], 'Unexpected argument "b". Put text of several words in quotes.'],
    [["todo", "add"], "Missing TEXT. Usage: waymark todo add TEXT... [options]"],
    [["task", "show"], "Missing TASK. Usage: waymark task show TASK [options]"],
    [
      ["todo", "add", "A", "B", "--start"],
      "--start needs a single TEXT, but there are 2. Put text of several words in quotes.",
    ],
    [["todo", "move", "1", "first"], 'Invalid POSITION "first". Use a whole number, 1 or more.'],
    [["todo", "edit", "1"], "Nothing to change. Pass --text, --active or --phase."],
    [
      ["todos", "--style", "boxd"],
      'Invalid --style "boxd". Did you mean boxed? Use one of: waymark, boxed, tree, plan, checkbox.',
    ],
    [
      ["todos", "--session", "s", "--at", "banana"],
      'Invalid time "banana". Use ISO 8601, HH:MM or a duration such as 2h.',
    ],
    [
      ["history", "--session", "s", "--limit", "0"],
      'Invalid --limit "0". Use a whole number, 1 or more.',
    ],
    [
      ["serve", "--port", "banana"],
      'Invalid port "banana". Use a number from 1 to 65535, or 0 for any free port.',
    ],
    [["task", "claim"], "Missing --as OWNER. Name the owner of the task, e.g. --as ann."],
    [
      ["task", "claim", "--as", "ann", "--lease", "long"],
      'Invalid --lease "long". Use a duration such as 90s, 5m or 1h30m.',
    ],
    [["show", "a", "--session", "b"], "SESSION and --session differ. Use one of them."],
    [["help", "xyzzy"], 'No help for "xyzzy". Run `waymark --help` for a list.'],
    [
      ["help", "todo", "finish"],
      'No help for "todo finish". Did you mean `waymark help todo done`?',
    ],
    [
      ["tool", "TodoWritee", "--session", "s"],
      'Unknown tool "TodoWritee". Did you mean TodoWrite? Use one of: todos, TodoWrite, todo_write, todo_write.ops, update_plan, write_todos, todo, todowrite, todo_write.qwen, tasks, TaskCreate, TaskUpdate, TaskGet, TaskList.',
    ],
    [["completion", "tcsh"], 'Invalid SHELL "tcsh". Use one of: bash, zsh, fish.'],
    [
      ["setup", "clude"],
      'Unknown agent "clude". Did you mean claude? Supported: claude, codex, gemini, opencode, qwen, kimi, kilo, copilot, omp, openclaw, vscode, cursor, zed, windsurf.',
    ],
    [
      ["setup", "cursor", "--native"],
      "Waymark cannot turn on the list of Cursor. Omit --native to add the MCP server.",
    ],
    [
      ["setup", "windsurf", "--project"],
      "Windsurf has no configuration for a project. Omit --project.",
    ],
    [
      ["setup", "--yes"],
      "Missing AGENT for --yes. Use one of: claude, codex, gemini, opencode, qwen, kimi, kilo, copilot, omp, openclaw, vscode, cursor, zed, windsurf.",
    ],
  ];
  test.each(cases)("%j", (args, message) => {
    expect(machine.run(args)).toEqual({ status: 2, stdout: "", stderr: `waymark: ${message}\n` });
  });

  test("a group without an action lists the actions", () => {
    const { status, stderr } = machine.run(["todo"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^waymark: Missing action after todo\. Use one of: add, start, done, /);
  });
});

describe("negative answers exit with 1 and say what to do", () => {
  const none =
    "No todo list in this directory yet. Start one with `waymark todo add TEXT`, or name a session with --session (`waymark ls --all` lists them).";
  const cases: readonly (readonly [string[], string])[] = [
    [["todos"], none],
    [["todo", "done", "1"], none],
    [["todo", "export"], none],
    [
      ["todos", "--session", "nobody"],
      "Session nobody has no list of agent main. `waymark ls --all` lists all sessions.",
    ],
    [["show", "nobody"], 'No session matches "nobody". `waymark ls --all` lists them.'],
    [
      ["history", "--session", "nobody"],
      "Session nobody has no list of agent main. `waymark ls --all` lists all sessions.",
    ],
  ];
  test.each(cases)("%j", (args, message) => {
    expect(machine.run(args)).toEqual({ status: 1, stdout: "", stderr: `waymark: ${message}\n` });
  });

  test("print an empty list as JSON for an unknown session", () => {
    expect(machine.json(["todos", "--session", "nobody", "--agent", "a"])).toEqual({
      session: "nobody",
      agent: "a",
      todos: [],
      progress: { completed: 0, total: 0, percent: 0, verified: 0 },
      current: null,
      next: null,
      finished: false,
      version: 0,
    });
    expect(machine.json(["history", "--session", "nobody"])).toEqual([]);
  });

  test("create no home directory", () => {
    expect(machine.run(["ls"])).toEqual({
      status: 0,
      stdout: "No sessions yet.\n",
      stderr: "Start an agent and it appears here, or start a list with `waymark todo add TEXT`.\n",
    });
    expect(machine.bash("ls ..").stdout).toBe("bin\nproject\n");
  });
});

describe("environment errors exit with 3", () => {
  test("WAYMARK_HOME is a file", () => {
    const home = join(machine.root, "a-file");
    writeFileSync(home, "");
    const ran = machine.run(["ls"], { env: { WAYMARK_HOME: home } });
    expect(ran).toEqual({
      status: 3,
      stdout: "",
      stderr: `waymark: ${home} is a file, not a directory. Set WAYMARK_HOME to another directory.\n`,
    });
  });

  test("the store is damaged; WAYMARK_DEBUG=1 prints the stack", () => {
    const env = { WAYMARK_HOME: join(machine.root, "broken") };
    machine.bash(
      'mkdir "$WAYMARK_HOME" && head -c 8192 /dev/zero | tr "\\0" x > "$WAYMARK_HOME/waymark.db"',
      { env },
    );
    const ran = machine.run(["ls"], { env });
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 3, stdout: "" });
    expect(ran.stderr).toMatch(/^waymark: The file .* is damaged or not a Waymark store .*\n$/);
    const traced = machine.run(["ls"], { env: { ...env, WAYMARK_DEBUG: "1" } });
    expect(traced.stderr).toMatch(/\n {4}at |\nat /);
  });

  test("the file to import is missing", () => {
    expect(machine.run(["todo", "import", "none.md", "--session", "s"])).toEqual({
      status: 3,
      stdout: "",
      stderr: "waymark: Cannot read none.md: no such file. Check the path.\n",
    });
  });
});

test("prints the version of the package", () => {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8"));
  for (const flag of ["--version", "-V"])
    expect(machine.run([flag])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test("asks for a build if dist is missing", () => {
  const copy = join(machine.root, "bin", "unbuilt.cjs");
  copyFileSync(PROGRAM, copy);
  const ran = machine.bash("node ../bin/unbuilt.cjs ls");
  expect(ran).toEqual({
    status: 3,
    stdout: "",
    stderr: "waymark: Not built: dist is missing. Run: npm run build\n",
  });
  rmSync(copy);
});

describe("a reader that closes the pipe", () => {
  test("ends the program quietly", { tags: ["slow-terminal"] }, () => {
    // The reader closes the pipe before the program writes, and stays until it has ended.
    const script =
      '{ until [ -e closed ]; do sleep 0.05; done; waymark --help; echo "$?" > code; } | ' +
      "{ exec 0<&-; touch closed; until [ -s code ]; do sleep 0.05; done; }; cat code";
    expect(machine.bash(script)).toEqual({ status: 0, stdout: "0\n", stderr: "" });
  });

  test("ends the program after the first line of a long output", {
    tags: ["slow-terminal"],
  }, () => {
    const script = 'waymark tool --list --full --json | head -1; echo "$PIPESTATUS"';
    expect(machine.bash(script)).toEqual({ status: 0, stdout: "[\n0\n", stderr: "" });
  });
});

const NO_FULL = existsSync("/dev/full") ? "" : "no /dev/full";
test("reports a full disk as an environment error", needs(NO_FULL), () => {
  expect(machine.bash("waymark --help > /dev/full")).toEqual({
    status: 3,
    stdout: "",
    stderr:
      "waymark: Cannot write to standard output: ENOSPC: no space left on device, write. Free disk space, or redirect the output elsewhere.\n",
  });
});
