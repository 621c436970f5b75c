import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { COMMANDS, walkCommands } from "../../src/cli/commands/index.ts";
import { configurableCommands } from "../../src/cli/config/key.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { TABLES } from "../../src/config/tables.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
let file: string;
beforeEach(() => {
  machine = newMachine();
  file = join(machine.root, ".config", "waymark", "config.toml");
});
afterEach(() => machine.remove());

function write(text: string, path = file): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const failing = (args: readonly string[], env = {}) => {
  const { status, stdout, stderr } = machine.run(args, { env });
  expect(stdout).toBe("");
  return `${status} ${stderr}`;
};

describe("config", () => {
  test("set, get, list and unset change one file, which is for the user alone", () => {
    expect(machine.run(["config", "path"]).stdout).toBe(`${file}\n`);
    expect(existsSync(file)).toBe(false);
    expect(machine.run(["config", "get", "max-todos"]).stdout).toBe("20\n");
    expect(machine.run(["config", "set", "max-todos", "40"])).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "",
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(machine.run(["config", "get", "max-todos"]).stdout).toBe("40\n");
    expect(
      machine.run(["config", "get", "max-todos"], { env: { WAYMARK_MAX_TODOS: "3" } }).stdout,
    ).toBe("3\n");
    expect(machine.run(["config", "unset", "max-todos"]).status).toBe(0);
    expect(machine.run(["config", "get", "max-todos"]).stdout).toBe("20\n");
    expect(machine.run(["config", "get", "store"])).toMatchObject({
      status: 1,
      stdout: "",
      stderr: "store is not set (default: this machine).\n",
    });
  });

  test("set keeps comments, order and other values", () => {
    write("# mine\r\nascii = true # always\r\n\r\n[ls]\r\n# every one\r\nall = false\r\n");
    machine.run(["config", "set", "max-todos", "7"]);
    machine.run(["config", "set", "ls.all", "true"]);
    machine.run(["config", "set", "task.list.limit", "5"]);
    expect(readFileSync(file, "utf8")).toBe(
      "# mine\r\nascii = true # always\r\nmax-todos = 7\r\n\r\n[ls]\r\n# every one\r\nall = true\r\n\r\n[task.list]\r\nlimit = 5\r\n",
    );
    machine.run(["config", "unset", "task.list.limit"]);
    machine.run(["config", "unset", "max-todos"]);
    expect(readFileSync(file, "utf8")).toContain("# every one\r\nall = true\r\n");
  });

  test("list shows each source and redacts secrets", () => {
    write(
      'store = "postgres://me:secret@db/w"\nmax-todos = 7\nnotify = ["webhook=https://h.example/T0/hidden"]\n[ls]\nall = true\n',
    );
    write("plan-every = 3\n", join(machine.cwd, ".waymark", "config.toml"));
    const { stdout, stderr, status } = machine.run(["config", "list"], {
      env: { WAYMARK_ASCII: "1" },
    });
    expect([status, stderr]).toEqual([0, ""]);
    const rows = stdout.split("\n").map((line) => line.split(/\s{2,}/));
    const row = (key: string) => rows.find(([name]) => name === key)?.slice(1);
    expect(row("store")).toEqual(["postgres://me:...@db/w", "~/.config/waymark/config.toml"]);
    expect(row("notify")?.[0]).toBe("webhook=https://h.example/...");
    expect(row("plan-every")?.[1]).toMatch(/project\/\.waymark\/config\.toml$/);
    expect(row("ascii")).toEqual(["1", "WAYMARK_ASCII"]);
    expect(row("ls.all")).toEqual(["true", "~/.config/waymark/config.toml"]);
    expect(row("stall-after")).toEqual(["60s", "default"]);
    const json = machine.json(["config", "list"]) as { key: string; value: string }[];
    expect(json.map(({ key }) => key).slice(0, SETTINGS.length)).toEqual(
      SETTINGS.map(({ key }) => key),
    );
    expect(JSON.stringify(json)).not.toMatch(/secret|hidden/);
    // The value alone is for scripts.
    expect(machine.run(["config", "get", "store"]).stdout).toBe("postgres://me:secret@db/w\n");
  });

  test.each([
    [["set", "max-todo", "4"], 'Unknown setting "max-todo". Did you mean "max-todos"?'],
    [["get", "ls.al"], 'Unknown option "al". Did you mean "all"?'],
    [["get", "ls"], 'Unknown setting "ls". Name an option, e.g. ls.OPTION.'],
    [["set", "max-todos", "many"], 'Invalid max-todos "many". Use a whole number from 1 to 10000.'],
    [["set", "tools", "of"], 'Invalid tools "of". Did you mean "off"? Use one of "on", "off".'],
    [
      ["set", "home", "/x"],
      "home cannot be set in a file: hooks look for the directory before any file is read. Set WAYMARK_HOME instead.",
    ],
    [
      ["set", "task.done.force", "true"],
      "--force belongs to one call and cannot be set in a file. Pass it on the command line.",
    ],
    [
      ["set", "store", "x", "--project"],
      "A project file cannot set store, because a repository must not decide that for you. Move it to your own file: waymark config set store VALUE.",
    ],
  ])("%j is a usage error and writes nothing", (args, message) => {
    expect(failing(["config", ...args])).toBe(`2 waymark: ${message}\n`);
    expect(existsSync(file)).toBe(false);
  });

  test("set --project writes the file of the repository, and a nested directory uses it", () => {
    mkdirSync(join(machine.cwd, ".git"));
    const below = join(machine.cwd, "deep");
    mkdirSync(below);
    machine.run(["config", "set", "max-todos", "9", "--project"], { cwd: below });
    const path = join(machine.cwd, ".waymark", "config.toml");
    expect(machine.run(["config", "path", "--project"], { cwd: below }).stdout).toBe(`${path}\n`);
    expect(readFileSync(path, "utf8")).toContain("max-todos = 9\n");
    expect(machine.run(["config", "get", "max-todos"], { cwd: below }).stdout).toBe("9\n");
  });

  test("edit checks the text before it replaces the file", () => {
    const editor = join(machine.root, "editor.sh");
    const edit = (script: string) => {
      writeFileSync(editor, `#!/bin/sh\n${script}\n`);
      chmodSync(editor, 0o755);
      return machine.run(["config", "edit"], { env: { EDITOR: editor } });
    };
    expect(edit('echo "max-todos = 6" >> "$1"').stderr).toBe(
      "Saved ~/.config/waymark/config.toml.\n",
    );
    expect(machine.run(["config", "get", "max-todos"]).stdout).toBe("6\n");
    const broken = edit('echo "ascii = " >> "$1"');
    expect(broken.status).toBe(1);
    expect(broken.stderr).toMatch(
      /^Line 3: Not valid TOML .*\nYour text is in .*config\.toml\.\n.*was not changed\.\n$/,
    );
    expect(readFileSync(file, "utf8")).not.toContain("ascii");
    expect(edit("true").stderr).toBe("Nothing was changed.\n");
    expect(edit("exit 1").status).toBe(1);
  });
});

describe("settings of files", () => {
  test("apply to commands, after the environment", () => {
    write("max-todos = 2\n");
    const list = { todos: ["a", "b", "c"].map((text) => ({ text })) };
    const refused = machine.tool("todos", list, "--session", "one");
    expect(refused.stdout + refused.stderr).toMatch(/\b2\b/);
    expect(refused.status).toBe(1);
    const run = machine.run(["tool", "todos", "--session", "one"], {
      input: JSON.stringify(list),
      env: { WAYMARK_MAX_TODOS: "5" },
    });
    expect(run.status).toBe(0);
  });

  test("are refused with file, line and column if the user's file is wrong", () => {
    write('ascii = true\n  tools = "of"\n');
    const message = `~/.config/waymark/config.toml:2:3: Invalid tools. Did you mean "off"? Use one of "on", "off". Run \`waymark config edit\` to fix the file.`;
    expect(failing(["ls"])).toBe(`3 waymark: ${message}\n`);
    write("tools = \n");
    expect(failing(["todos"])).toMatch(
      /^3 waymark: ~\/\.config\/waymark\/config\.toml:1:\d+: Not valid TOML/,
    );
    // Commands that help to fix it still run.
    expect(machine.run(["ls", "--help"]).status).toBe(0);
    expect(machine.run(["help", "environment"]).status).toBe(0);
    expect(machine.run(["completion", "bash"]).status).toBe(0);
    expect(machine.run(["config", "path"]).status).toBe(0);
    expect(machine.run(["config", "list"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("! ~/.config/waymark/config.toml:1:"),
    });
  });

  test("that are unknown are reported and change nothing", () => {
    write("nofity = 1\n[ls]\nal = true\n");
    const { status, stderr } = machine.run(["ls", "--json"]);
    expect(status).toBe(0);
    expect(stderr).toContain('config.toml:1:1: Unknown setting "nofity". Did you mean "notify"?');
    expect(stderr).toContain('config.toml:3:1: Unknown option "al". Did you mean "all"?');
  });

  test.each([
    ["a forbidden key", 'store = "postgres://evil/x"\n'],
    ["a table", '[watch]\nnotify = "webhook=https://evil"\n'],
    ["a syntax error", "store = \n"],
    ["control characters", '"\\u001b[2J" = 1\n'],
  ])("of a project with %s are reported and never obeyed", (_, text) => {
    write(text, join(machine.cwd, ".waymark", "config.toml"));
    const { status, stdout, stderr } = machine.run(["ls", "--json"]);
    expect([status, stdout]).toEqual([0, "[]\n"]);
    expect(stderr).toMatch(/^waymark: .*\.waymark\/config\.toml:1:/);
    expect(stderr).not.toContain("\u001b");
    expect(machine.run(["config", "get", "store"]).status).toBe(1);
  });
});

describe("options of commands", () => {
  test("use the file unless the command line has them or their negation", () => {
    write("[todos]\nall = true\nclear-delay = 0\n[task.list]\nlimit = 1\n");
    for (const text of ["one", "two"]) machine.run(["task", "add", text]);
    const count = (...args: string[]) =>
      (machine.json(["task", "list", ...args]) as unknown[]).length;
    expect(count()).toBe(1);
    expect(count("--limit", "2")).toBe(2);
    expect(count("--no-limit")).toBe(2);
    expect(count("--no-limit", "--limit=1")).toBe(1);
    expect(failing(["task", "list", "--no-limits"])).toContain(
      "2 waymark: Unknown option: --no-limits.",
    );
  });

  test("name the file if the value is invalid", () => {
    write('\n[task.list]\nlimit = "many"\n');
    expect(failing(["task", "list"])).toMatch(
      /^2 waymark: Invalid --limit "many".* task\.list\.limit is set in ~\/\.config\/waymark\/config\.toml:3\.\n$/,
    );
    expect(failing(["task", "list", "--limit", "few"])).not.toContain("is set in");
    write("[task.list]\nall = 1\n");
    expect(failing(["task", "list"])).toBe(
      "3 waymark: ~/.config/waymark/config.toml:2:1: Invalid task.list.all. Use true or false. Run `waymark config edit` to fix the file.\n",
    );
  });

  test("that a file can set match the golden file", async () => {
    const commands = await configurableCommands();
    const lines = commands.map(
      ({ table, options }) => `[${table.join(".")}] ${Object.keys(options).join(" ")}`,
    );
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("goldens/configurable-options.txt");
  });

  test("have a table for every command, beside those that agents or setup run", async () => {
    const commands = await configurableCommands();
    const tables = new Set(commands.map(({ table: [first = ""] }) => first));
    expect([...tables].toSorted()).toEqual(TABLES);
    const walked = await walkCommands();
    const others = walked.filter(
      ({ path: [first = ""], command }) =>
        !tables.has(first) && Object.values(command?.options ?? {}).some(({ perCall }) => !perCall),
    );
    // Their options are part of the commands that setup writes.
    expect(others.map(({ path }) => path.join(" ")).toSorted()).toEqual(["hook", "setup"]);
    for (const { key } of SETTINGS) expect(Object.keys(COMMANDS)).not.toContain(key);
  });
});
