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

describe("exit code 2: what is wrong, what was meant, where help is", () => {
  const cases: readonly (readonly [string[], string])[] = [
    [["tods"], 'There is no command "tods". Did you mean todos? Help: waymark help'],
    [["xyzzy"], 'There is no command "xyzzy". Help: waymark help'],
    [
      ["todo", "finish"],
      'There is no action of todo "finish". There are add, start, done, drop, rm, reopen, block, unblock, note, edit, move, clear, promote, import, export. Help: waymark help todo',
    ],
    [
      ["todo", "strat", "1"],
      'There is no action of todo "strat". Did you mean todo start? Help: waymark help todo',
    ],
    [
      ["todos", "--sesion", "x"],
      'There is no option --sesion. Did you mean --session? A text that begins with "-" goes behind "--". Help: waymark help todos',
    ],
    [["ls", "--json=yes"], "The option --json takes no value. Help: waymark help ls"],
    [
      ["todos", "--session"],
      'The option --session needs a value; one that begins with "-" is written --session=VALUE. Help: waymark help todos',
    ],
    [["ls", "extra"], '"extra" is one argument too many. Help: waymark help ls'],
    [
      ["todo", "start", "a", "b"],
      '"b" is one argument too many. A text of several words goes in quotes. Help: waymark help todo start',
    ],
    [
      ["todo", "add"],
      "TEXT is missing: what is to be done; each one is a todo. Help: waymark help todo add",
    ],
    [
      ["todo", "add", "A", "B", "--start"],
      "--start goes with one TEXT; 2 were given. Help: waymark help todo add",
    ],
    [
      ["todo", "move", "1", "first"],
      'PLACE is "first"; give a whole number from 1. Help: waymark help todo move',
    ],
    [
      ["todo", "edit", "1"],
      "Say what changes: --text, --active or --phase. Help: waymark help todo edit",
    ],
    [
      ["todos", "--style", "boxd"],
      '--style is "boxd"; known are waymark, boxed, tree, plan, checkbox. Did you mean boxed? Help: waymark help todos',
    ],
    [
      ["todos", "--session", "s", "--at", "soon"],
      '"soon" is no time. Give one like 2026-03-01T14:05, 14:05 (the last one) or 10m (ago). Help: waymark help todos',
    ],
    [
      ["history", "--session", "s", "--limit", "0"],
      '--limit is "0"; give a whole number from 1. Help: waymark help history',
    ],
    [["show", "a", "--session", "b"], "Two sessions are named; name one. Help: waymark help show"],
    [["help", "nothing"], 'There is no help on "nothing". Help: waymark help help'],
    [
      ["tool", "TodoWritee", "--session", "s"],
      'There is no tool "TodoWritee". Did you mean TodoWrite? The tools are todos, TodoWrite, todo_write, todo_write.ops, update_plan, write_todos, todo, todowrite, todo_write.qwen, tasks, TaskCreate, TaskUpdate, TaskGet, TaskList. Help: waymark help tool',
    ],
    [
      ["completion", "tcsh"],
      'SHELL is "tcsh"; known are bash, zsh, fish. Help: waymark help completion',
    ],
    [
      ["--jsn"],
      'There is no option --jsn. Did you mean --json? A text that begins with "-" goes behind "--". Help: waymark help',
    ],
  ];
  test.each(cases)("%j", (args, says) => {
    expect(machine.run(args)).toEqual({ status: 2, stdout: "", stderr: `waymark: ${says}\n` });
  });

  test("a group without an action", () => {
    const { status, stderr } = machine.run(["todo"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^waymark: todo needs to know what to do: add, start, done, /);
  });
});

describe("exit code 1: the answer is no, and what to do", () => {
  const none =
    "No list belongs to this directory yet. Begin one with: waymark todo add TEXT; or name one with --session (waymark ls shows them all).";
  const cases: readonly (readonly [string[], string])[] = [
    [["todos"], none],
    [["todo", "done", "1"], none],
    [["todo", "export"], none],
    [
      ["todos", "--session", "nobody"],
      "Session nobody has no list of agent main. waymark ls shows which there are.",
    ],
    [
      ["show", "nobody"],
      "Nothing is known of session nobody, agent main. waymark ls shows what is.",
    ],
    [
      ["history", "--session", "nobody"],
      "Session nobody has no history of agent main. waymark ls shows which lists there are.",
    ],
  ];
  test.each(cases)("%j", (args, says) => {
    expect(machine.run(args)).toEqual({ status: 1, stdout: "", stderr: `waymark: ${says}\n` });
  });

  test("as JSON an unknown session is an empty list", () => {
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

  test("looking has made nothing", () => {
    expect(machine.run(["ls"])).toEqual({
      status: 0,
      stdout: "No tracks yet.\n",
      stderr:
        "Start any agent and it appears here by itself, or begin a list: waymark todo add TEXT\n",
    });
    expect(machine.bash("ls ..").stdout).toBe("bin\nproject\n");
  });
});

describe("exit code 3: the machine is in the way", () => {
  test("a home that is a file", () => {
    const home = join(machine.root, "a-file");
    writeFileSync(home, "");
    const ran = machine.run(["ls"], { env: { WAYMARK_HOME: home } });
    expect(ran).toEqual({
      status: 3,
      stdout: "",
      stderr: `waymark: ${home} is a file, not a directory. Name another place with WAYMARK_HOME.\n`,
    });
  });

  test("a store that is none, with the stack only when asked for", () => {
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

  test("a file to import that is not there", () => {
    expect(machine.run(["todo", "import", "none.md", "--session", "s"])).toEqual({
      status: 3,
      stdout: "",
      stderr: "waymark: Cannot read none.md: it does not exist. Name a file to read.\n",
    });
  });
});

test("the version is that of the package", () => {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8"));
  for (const flag of ["--version", "-V"])
    expect(machine.run([flag])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test("a program that was not built says so", () => {
  const copy = join(machine.root, "bin", "unbuilt.cjs");
  copyFileSync(PROGRAM, copy);
  const ran = machine.bash("node ../bin/unbuilt.cjs ls");
  expect(ran).toEqual({
    status: 3,
    stdout: "",
    stderr: "waymark: the program is not built (dist is missing). Run: npm run build\n",
  });
  rmSync(copy);
});

describe("a reader that has seen enough", () => {
  test("T5 ends the program quietly", () => {
    // The reader has closed the pipe before the program begins to write, and stays until it has ended.
    const script =
      '{ until [ -e closed ]; do sleep 0.05; done; waymark --help; echo "$?" > code; } | ' +
      "{ exec 0<&-; touch closed; until [ -s code ]; do sleep 0.05; done; }; cat code";
    expect(machine.bash(script)).toEqual({ status: 0, stdout: "0\n", stderr: "" });
  });

  test("T5 after the first line of much", () => {
    const script = 'waymark tool --list --full --json | head -1; echo "$PIPESTATUS"';
    expect(machine.bash(script)).toEqual({ status: 0, stdout: "[\n0\n", stderr: "" });
  });
});

const NO_FULL = existsSync("/dev/full") ? "" : "no /dev/full";
test("output that has no room is a fault of the world", needs(NO_FULL), () => {
  expect(machine.bash("waymark --help > /dev/full")).toEqual({
    status: 3,
    stdout: "",
    stderr:
      "waymark: The standard output cannot be written to: ENOSPC: no space left on device, write. Make room where it goes, or send it elsewhere.\n",
  });
});
