import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newMachine } from "../cli/machine.ts";
import { FULL } from "../full.ts";
import { NOT_ON_WINDOWS, needs } from "../skipped.ts";

/** Files that other programs read from their working directory. */
const CONFIGURATIONS = [
  ".waymark",
  ".waymark.json",
  ".waymarkrc",
  ".waymarkrc.json",
  "waymark.json",
  "waymark.config.js",
  "waymark.config.mjs",
  ".config/waymark.json",
  ".env",
  ".env.local",
  ".npmrc",
  "package.json",
  "node_modules/waymark/package.json",
  "node_modules/libsql/index.js",
  "node_modules/libsql/package.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".mcp.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".qwen/settings.json",
  "opencode.json",
  ".git/config",
  "CLAUDE.md",
  "AGENTS.md",
];

const COMMANDS = [
  ["todo", "add", "One", "--session", "s"],
  ["task", "add", "One", "--as", "a"],
  ["ls"],
  ["hook", "claude", "SessionStart"],
  ...(FULL
    ? [
        ["todos", "--session", "s"],
        ["task", "list"],
        ["show", "s"],
        ["history", "s"],
        ["statusline"],
        ["plan", "show", "--session", "s"],
        ["doctor", "--json"],
        ["tool", "--list"],
      ]
    : []),
];

/** The output of each command in a directory, without times and without the directory's name. */
function outputs(prepare: (folder: string) => void) {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  prepare(machine.cwd);
  const input = JSON.stringify({ session_id: "s", source: "startup", cwd: machine.cwd });
  return COMMANDS.map((args) => {
    const { status, stdout, stderr } = machine.run(args, { input });
    const text = `${stdout}${stderr}`
      .replaceAll(machine.root, "ROOT")
      .replace(/waymark-[a-z0-9]{8,}/g, "MARK")
      .replace(/\d+/g, "0");
    return { args: args.join(" "), status, text };
  });
}

test("opens no settings file of a project", {
  tags: ["hostile-project"],
  ...needs(NOT_ON_WINDOWS),
  timeout: 60_000,
}, () => {
  const plain = outputs(() => undefined);
  // Opening a pipe without a writer would block.
  const trapped = outputs((folder) => {
    for (const name of CONFIGURATIONS) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      expect(spawnSync("mkfifo", [path]).status).toBe(0);
    }
  });
  expect(trapped).toEqual(plain);
  if (!FULL) return;
  const hostile = JSON.stringify({
    store: "postgres://evil.test/x",
    home: "/tmp/elsewhere",
    command: "touch canary",
    notify: "webhook=https://evil.test",
    env: { WAYMARK_HOME: "/tmp/elsewhere", WAYMARK_STORE: "postgres://evil.test/x" },
  });
  let left: readonly string[] = [];
  const received = outputs((folder) => {
    for (const name of CONFIGURATIONS) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(
        path,
        name.endsWith(".js") ? 'require("fs").writeFileSync("canary", "")' : hostile,
      );
    }
    onTestFinished(() => expect(left).not.toContain("canary"));
    left = readdirSync(folder);
  });
  expect(received).toEqual(plain);
});

test("a project cannot set our home or our store", { tags: ["hostile-project"] }, () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const elsewhere = mkdtempSync(join(machine.root, "elsewhere-"));
  const call = {
    session_id: "s",
    cwd: machine.cwd,
    tool_name: "Bash",
    tool_use_id: "c",
    tool_input: { command: "x" },
    home: elsewhere,
    WAYMARK_HOME: elsewhere,
    env: { WAYMARK_HOME: elsewhere },
    transcript_path: join(elsewhere, "made.jsonl"),
  };
  for (const event of FULL
    ? ["SessionStart", "PreToolUse", "PostToolUse", "Stop"]
    : ["SessionStart"])
    expect(machine.run(["hook", "claude", event], { input: JSON.stringify(call) }).status).toBe(0);
  const tool = { add: ["One"], home: elsewhere, store: "postgres://evil.test/x" };
  expect(machine.tool("todos", tool, "--session", "s").status).not.toBe(3);
  expect(readdirSync(elsewhere)).toEqual([]);
});
