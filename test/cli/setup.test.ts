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

describe("a set-up, from start to end", () => {
  test("shows the difference, writes, is repeatable, and goes without a trace", () => {
    mine();
    const first = machine.run(["setup", "codex", "--yes"]);
    expect(first.status).toBe(0);
    expect(first.stdout.split("\n").slice(0, 9)).toEqual([
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
        "Codex is set up.",
        "Codex runs no hook that you have not trusted: start codex, open /hooks, and trust those of waymark.",
        "Sessions of Codex that are running keep their old settings; start them anew.",
        "",
      ].join("\n"),
    );
    expect(readFileSync(config(), "utf8")).toContain(
      'waymark-hook waymark hook codex PostToolUse"',
    );
    const second = machine.run(["setup", "codex", "--yes"]);
    expect(second).toEqual({ status: 0, stdout: "", stderr: "Codex is already set up.\n" });
    const removal = machine.run(["setup", "codex", "--remove", "--yes"]);
    expect([removal.status, removal.stderr]).toEqual([0, "Nothing of Waymark is left in Codex.\n"]);
    expect(readFileSync(config(), "utf8")).toBe(MINE);
    expect(machine.run(["setup", "codex", "--remove", "--yes"])).toEqual({
      status: 0,
      stdout: "",
      stderr: "Nothing of Waymark is in Codex.\n",
    });
  });

  test("a removal that finds nothing to change forgets as well", () => {
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

  test("without a terminal and without --yes it only shows", () => {
    mine();
    const { status, stdout, stderr } = machine.run(["setup", "codex"]);
    expect(status).toBe(1);
    expect(stdout).toContain("+[mcp_servers.waymark]");
    expect(stderr).toBe("Nothing is written: there is no terminal to ask on. --yes writes it.\n");
    expect(readFileSync(config(), "utf8")).toBe(MINE);
    expect(existsSync(join(machine.home, "setup"))).toBe(false);
  });

  test.each([
    ["y", 0, true],
    ["YES", 0, true],
    ["n", 1, false],
    ["", 1, false],
    ["yeah, why", 1, false],
  ])("asked on a terminal, %j is answered", (answer, status, written) => {
    mine();
    const ran = machine.bash(
      `printf '%s\\n' '${answer}' | script -qec "waymark setup codex" /dev/null; echo "status $?"`,
    );
    expect(ran.stdout).toContain("Change this file? [y/N] ");
    expect(ran.stdout).toContain("\u001b[32m+[mcp_servers.waymark]\u001b[0m");
    expect(ran.stdout).toContain(`status ${status}`);
    expect(readFileSync(config(), "utf8") !== MINE).toBe(written);
  });

  test("as JSON", () => {
    mine();
    const asked = machine.run(["setup", "codex", "--json"]);
    expect(asked.status).toBe(1);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      agent: "codex",
      written: false,
      files: [
        { path: config(), change: "change" },
        { path: join(machine.root, ".codex", "hooks.json"), change: "none", difference: [] },
      ],
    });
    expect(readFileSync(config(), "utf8")).toBe(MINE);
    const done = machine.run(["setup", "codex", "--json", "--yes"]);
    expect([done.status, JSON.parse(done.stdout).written]).toEqual([0, true]);
    const again = machine.run(["setup", "codex", "--json", "--yes"]);
    expect([again.status, JSON.parse(again.stdout).written]).toEqual([0, false]);
  });
});

describe("which agents are here", () => {
  test("none", () => {
    const { status, stdout } = machine.run(["setup"]);
    expect(status).toBe(0);
    expect(stdout).toBe(
      [
        "claude    Claude Code was not found",
        "codex     Codex was not found",
        "gemini    Gemini CLI was not found",
        "opencode  opencode was not found",
        "qwen      Qwen Code was not found",
        "",
      ].join("\n"),
    );
  });

  test("and how they are set up", () => {
    mine();
    mkdirSync(join(machine.root, ".claude"));
    for (const args of [["gemini"], ["opencode", "--native"], ["qwen"]])
      machine.run(["setup", ...args, "--yes"]);
    const qwen = join(machine.root, ".qwen", "settings.json");
    writeFileSync(qwen, readFileSync(qwen, "utf8").replace("qwen Stop", "qwen Stopp"));
    writeFileSync(config(), "model =\n");
    const { stdout } = machine.run(["setup"]);
    expect(stdout.split("\n").slice(0, 5)).toEqual([
      "claude    Claude Code is not set up: waymark setup claude",
      `codex     Codex: ${config()}, line 1, is not valid TOML (invalid value). Nothing was written; mend that line and run the command again.`,
      "gemini    Gemini CLI has Waymark's list",
      "opencode  opencode has its own list, and Waymark watches it",
      "qwen      Qwen Code is set up in part: waymark setup qwen",
    ]);
    expect(machine.json(["setup"])).toMatchObject({
      agents: [
        { agent: "claude", found: true, setUp: null },
        { agent: "codex", problem: expect.stringContaining("line 1") },
        { agent: "gemini", setUp: "waymark" },
        { agent: "opencode", setUp: "native" },
        { agent: "qwen", setUp: "partly" },
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

  test("is asked of the program, and decides about events", () => {
    program('echo "2.1.325 (Claude Code)"');
    expect(machine.run(["setup", "claude", "--yes"]).status).toBe(0);
    expect(settings()).toContain("waymark hook claude PostCompact");
    program('echo "2.0.77 (Claude Code)"');
    machine.run(["setup", "claude", "--yes"]);
    expect(settings()).not.toContain("PostCompact");
  });

  test("a program that cannot say it is taken as the oldest", () => {
    program("exit 1");
    const { status, stderr } = machine.run(["setup", "claude", "--yes"]);
    expect(status).toBe(0);
    expect(stderr).toContain("Its version could not be found out");
    expect(settings()).not.toContain("PostCompact");
    expect(settings()).toContain("waymark hook claude PostToolUseFailure");
  });
});

describe("what is refused", () => {
  test("an agent that nobody knows", () => {
    const { status, stderr } = machine.run(["setup", "cluade"]);
    expect(status).toBe(2);
    expect(stderr).toContain("Did you mean claude?");
  });

  test.each(["--remove", "--yes", "--native", "--tools=tasks"])("%s of no agent", (option) => {
    const { status, stdout, stderr } = machine.run(["setup", option]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("AGENT is missing");
  });

  test("a broken file, with its line, and nothing is written", () => {
    mkdirSync(join(machine.root, ".gemini"));
    const file = join(machine.root, ".gemini", "settings.json");
    writeFileSync(file, '{\n  "a": 1\n  "b": 2\n}\n');
    const { status, stdout, stderr } = machine.run(["setup", "gemini", "--yes"]);
    expect([status, stdout]).toEqual([3, ""]);
    expect(stderr).toBe(
      `waymark: ${file}, line 3, is not valid JSON (comma expected). Nothing was written; mend that line and run the command again.\n`,
    );
    expect(readFileSync(file, "utf8")).toBe('{\n  "a": 1\n  "b": 2\n}\n');
  });

  test("a home that is none", () => {
    expect(machine.run(["setup", "--home", "/no/such/dir"]).status).toBe(2);
  });
});

test("--project writes to the working directory, --home to somebody's home", () => {
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

test("what stands in the file does nothing to the terminal", () => {
  mkdirSync(join(machine.root, ".gemini"));
  writeFileSync(join(machine.root, ".gemini", "settings.json"), '{\n\t"a": "\u009b2J\u202e"\n}\n');
  const { stdout } = machine.run(["setup", "gemini"]);
  expect(stdout).toContain('-    "a": "\\u{9b}2J\\u{202e}"');
});

test("doctor says what is set up, and what could be", () => {
  mkdirSync(join(machine.root, ".codex", "sessions"), { recursive: true });
  machine.run(["setup", "codex", "--yes"]);
  expect(machine.run(["doctor"]).stdout).toContain("  It is given Waymark's list.\n");
  machine.run(["setup", "codex", "--native", "--yes"]);
  expect(machine.run(["doctor"]).stdout).toContain(
    "  Its own list is switched on, and Waymark watches it.\n",
  );
});
