import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const config = () => join(machine.root, ".codex", "config.toml");
const MINE = '# mine\nmodel = "gpt-5.5"\n';

function mine(): void {
  mkdirSync(join(machine.root, ".codex"), { recursive: true });
  writeFileSync(config(), MINE);
}

describe("setup and removal", () => {
  test("prints a diff, writes, is idempotent, and is removed without a trace", () => {
    mine();
    const first = machine.run(["setup", "codex", "--yes"]);
    expect(first.status).toBe(0);
    expect(first.stdout.split("\n").slice(0, 14)).toEqual([
      "Set up Waymark in Codex:",
      "  edit ~/.codex/config.toml",
      "    add the MCP server waymark",
      "    add 11 hooks",
      "",
      `--- ${config()}`,
      `+++ ${config()}`,
      "@@ -1,2 +1,41 @@",
      " # mine",
      ' model = "gpt-5.5"',
      "+",
      "+[mcp_servers.waymark]",
      '+command = "waymark"',
      '+args = ["mcp"]',
    ]);
    expect(first.stderr).toBe(
      [
        "Codex is set up. To undo this, run: waymark setup codex --remove",
        "Note: Codex runs only trusted hooks: start codex, open /hooks and trust the waymark hooks.",
        "Note: Running Codex sessions keep their old settings. Restart them.",
        "",
      ].join("\n"),
    );
    expect(readFileSync(config(), "utf8")).toContain(
      'waymark-hook waymark hook codex PostToolUse"',
    );
    const second = machine.run(["setup", "codex", "--yes"]);
    expect(second).toEqual({ status: 0, stdout: "", stderr: "Codex is already set up.\n" });
    const removal = machine.run(["setup", "codex", "--remove", "--yes"]);
    expect([removal.status, removal.stderr]).toEqual([0, "Removed Waymark from Codex.\n"]);
    expect(removal.stdout.split("\n").slice(0, 4)).toEqual([
      "Remove Waymark from Codex:",
      "  edit ~/.codex/config.toml",
      "    remove the MCP server waymark",
      "    remove 11 hooks",
    ]);
    expect(readFileSync(config(), "utf8")).toBe(MINE);
    expect(machine.run(["setup", "codex", "--remove", "--yes"])).toEqual({
      status: 0,
      stdout: "",
      stderr: "Codex is not set up.\n",
    });
  });

  test("a removal without changes also removes the receipt", () => {
    const settings = join(machine.root, ".gemini", "settings.json");
    const receipts = () => readdirSync(join(machine.home, "setup"));
    for (const form of [[], ["--json"]]) {
      machine.run(["setup", "gemini", "--yes"]);
      expect(receipts()).toHaveLength(1);
      rmSync(settings);
      expect(machine.run(["setup", "gemini", "--remove", ...form]).status).toBe(0);
      expect(receipts()).toEqual([]);
      expect(existsSync(join(machine.root, ".gemini"))).toBe(false);
    }
  });

  test("only prints the diff without a terminal and --yes", () => {
    mine();
    const { status, stdout, stderr } = machine.run(["setup", "codex"]);
    expect(status).toBe(1);
    expect(stdout).toContain("+[mcp_servers.waymark]");
    expect(stderr).toBe(
      "Nothing was written: there is no terminal to confirm on. To apply the changes, add --yes.\n",
    );
    expect(readFileSync(config(), "utf8")).toBe(MINE);
    expect(existsSync(join(machine.home, "setup"))).toBe(false);
  });

  test.each([
    ["y", 0, true],
    ["YES", 0, true],
    ["n", 1, false],
    ["", 1, false],
    ["yeah, why", 1, false],
  ])("handles the answer %j on a terminal", (answer, status, written) => {
    mine();
    const ran = machine.bash(
      `printf '%s\\n' '${answer}' | script -qec "waymark setup codex" /dev/null; echo "status $?"`,
    );
    expect(ran.stdout).toContain("Apply these changes? [y/N] ");
    expect(ran.stdout).toContain("\u001b[32m+[mcp_servers.waymark]\u001b[0m");
    expect(ran.stdout).toContain(`status ${status}`);
    expect(readFileSync(config(), "utf8") !== MINE).toBe(written);
  });

  test("prints the changes as JSON", () => {
    mine();
    const asked = machine.run(["setup", "codex", "--json"]);
    expect(asked.status).toBe(1);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      agent: "codex",
      written: false,
      files: [
        { path: config(), change: "change" },
        {
          path: join(machine.root, ".codex", "hooks.json"),
          change: "none",
          difference: [],
        },
      ],
    });
    expect(readFileSync(config(), "utf8")).toBe(MINE);
    const done = machine.run(["setup", "codex", "--json", "--yes"]);
    expect([done.status, JSON.parse(done.stdout).written]).toEqual([0, true]);
    const again = machine.run(["setup", "codex", "--json", "--yes"]);
    expect([again.status, JSON.parse(again.stdout).written]).toEqual([0, false]);
  });
});

describe("without an agent", () => {
  test("lists agents that are not installed", () => {
    const { status, stdout } = machine.run(["setup"]);
    expect(status).toBe(0);
    expect(stdout).toBe(
      [
        "claude    Claude Code  not installed",
        "codex     Codex        not installed",
        "gemini    Gemini CLI   not installed",
        "opencode  opencode     not installed",
        "qwen      Qwen Code    not installed",
        "kimi      Kimi Code    not installed",
        "kilo      Kilo Code    not installed",
        "copilot   Copilot CLI  not installed",
        "omp       oh-my-pi     not installed",
        "openclaw  OpenClaw     not installed",
        "vscode    VS Code      not installed",
        "cursor    Cursor       not installed",
        "zed       Zed          not installed",
        "windsurf  Windsurf     not installed",
        "",
      ].join("\n"),
    );
  });

  test("lists how agents are set up", () => {
    mine();
    mkdirSync(join(machine.root, ".claude"));
    for (const args of [["gemini"], ["opencode", "--native"], ["qwen"]])
      machine.run(["setup", ...args, "--yes"]);
    const qwen = join(machine.root, ".qwen", "settings.json");
    writeFileSync(qwen, readFileSync(qwen, "utf8").replace("qwen Stop", "qwen Stopp"));
    writeFileSync(config(), "model =\n");
    const { stdout } = machine.run(["setup"]);
    expect(stdout.split("\n").slice(0, 5)).toEqual([
      "claude    Claude Code  not set up, run: waymark setup claude",
      `codex     Codex        unknown: ${config()}:1 is not valid TOML (invalid value). Fix that line and run the command again.`,
      "gemini    Gemini CLI   set up",
      "opencode  opencode     set up with its own list (--native)",
      "qwen      Qwen Code    partly set up, run: waymark setup qwen",
    ]);
    expect(machine.json(["setup"])).toMatchObject({
      agents: [
        { agent: "claude", found: true, setUp: null },
        { agent: "codex", problem: expect.stringContaining("config.toml:1 is not valid TOML") },
        { agent: "gemini", setUp: "waymark" },
        { agent: "opencode", setUp: "native" },
        { agent: "qwen", setUp: "partly" },
        ...[
          "kimi",
          "kilo",
          "copilot",
          "omp",
          "openclaw",
          "vscode",
          "cursor",
          "zed",
          "windsurf",
        ].map((agent) => ({ agent, setUp: null })),
      ],
    });
  });
});

describe("the version of Claude Code", () => {
  const settings = () => readFileSync(join(machine.root, ".claude", "settings.json"), "utf8");
  const program = (script: string) => {
    const file = join(machine.root, "bin", "claude");
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  };

  test("decides which events are hooked", () => {
    program('echo "2.1.325 (Claude Code)"');
    expect(machine.run(["setup", "claude", "--yes"]).status).toBe(0);
    expect(settings()).toContain("waymark hook claude PostCompact");
    program('echo "2.0.77 (Claude Code)"');
    machine.run(["setup", "claude", "--yes"]);
    expect(settings()).not.toContain("PostCompact");
  });

  test("is taken as the oldest if the program does not report it", () => {
    program("exit 1");
    const { status, stderr } = machine.run(["setup", "claude", "--yes"]);
    expect(status).toBe(0);
    expect(stderr).toContain("The version of Claude Code is unknown");
    expect(settings()).not.toContain("PostCompact");
    expect(settings()).toContain("waymark hook claude PostToolUseFailure");
  });
});

describe("errors", () => {
  test("an unknown agent", () => {
    const { status, stderr } = machine.run(["setup", "cluade"]);
    expect(status).toBe(2);
    expect(stderr).toContain("Did you mean claude?");
  });

  test.each(["--remove", "--yes", "--native", "--tools=tasks"])("%s without an agent", (option) => {
    const { status, stdout, stderr } = machine.run(["setup", option]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Missing AGENT");
  });

  test("a broken file, named with its line", () => {
    mkdirSync(join(machine.root, ".gemini"));
    const file = join(machine.root, ".gemini", "settings.json");
    writeFileSync(file, '{\n  "a": 1\n  "b": 2\n}\n');
    const { status, stdout, stderr } = machine.run(["setup", "gemini", "--yes"]);
    expect([status, stdout]).toEqual([3, ""]);
    expect(stderr).toBe(
      `waymark: ${file}:3 is not valid JSON (comma expected). Nothing was written. Fix that line and run the command again.\n`,
    );
    expect(readFileSync(file, "utf8")).toBe('{\n  "a": 1\n  "b": 2\n}\n');
  });

  test("a missing home directory", () => {
    expect(machine.run(["setup", "--home", "/no/such/dir"]).status).toBe(2);
  });
});

test("--project writes to the working directory, --home to another home directory", () => {
  machine.run(["setup", "claude", "--project", "--yes"]);
  expect(existsSync(join(machine.cwd, ".mcp.json"))).toBe(true);
  expect(existsSync(join(machine.cwd, ".claude", "settings.json"))).toBe(true);
  expect(existsSync(join(machine.root, ".claude.json"))).toBe(false);
  machine.run(["setup", "claude", "--project", "--remove", "--yes"]);
  expect(existsSync(join(machine.cwd, ".mcp.json"))).toBe(false);
  expect(existsSync(join(machine.cwd, ".claude"))).toBe(false);
  const other = join(machine.root, "other");
  mkdirSync(other);
  machine.run(["setup", "qwen", "--home", other, "--yes"], { env: { QWEN_HOME: "/nowhere" } });
  expect(existsSync(join(other, ".qwen", "settings.json"))).toBe(true);
});

test("escapes the content of configuration files", () => {
  mkdirSync(join(machine.root, ".gemini"));
  writeFileSync(join(machine.root, ".gemini", "settings.json"), '{\n\t"a": "\u009b2J\u202e"\n}\n');
  const { stdout } = machine.run(["setup", "gemini"]);
  expect(stdout).toContain('-    "a": "\\u{9b}2J\\u{202e}"');
});

test("doctor reports which agents are set up", () => {
  mkdirSync(join(machine.root, ".codex", "sessions"), { recursive: true });
  machine.run(["setup", "codex", "--yes"]);
  expect(machine.run(["doctor"]).stdout).toMatch(/^ {2}ok {4}Codex {2}set up {2}0 sessions$/m);
  machine.run(["setup", "codex", "--native", "--yes"]);
  expect(machine.run(["doctor"]).stdout).toMatch(/^ {2}ok {4}Codex {2}set up \(own list\) {2}/m);
  writeFileSync(join(machine.root, ".codex", "config.toml"), "model =\n");
  expect(machine.run(["doctor"]).stdout).toMatch(
    /^ {2}warn {2}Codex {2}watched .*\n {8}\S+config\.toml:1 is not valid TOML/m,
  );
});
