import { posix, win32 } from "node:path";
import { expect, test } from "vitest";
import type { Machine } from "../../src/agents/agent.ts";
import { DECODERS } from "../../src/agents/index.ts";

const MACHINES = {
  linux: { home: "/home/ann", platform: "linux", env: {}, join: posix.join },
  darwin: { home: "/Users/ann", platform: "darwin", env: {}, join: posix.join },
  win32: { home: "C:\\Users\\ann", platform: "win32", env: {}, join: win32.join },
} as const satisfies Record<string, Machine>;

function rootsOn(machine: Machine): Record<string, readonly string[]> {
  return Object.fromEntries(
    DECODERS.flatMap(({ id, locations: places }) => {
      const found = places?.(machine) ?? [];
      return found.length === 0 ? [] : [[id, [...new Set(found.map(({ root }) => root))]]];
    }),
  );
}

const UNIX = (home: string, editor: string) => ({
  "claude-code": [
    `${home}/.claude/projects`,
    `${home}/.claude/todos`,
    `${home}/.claude/tasks`,
    `${home}/.claude/sessions`,
    `${home}/.config/claude/projects`,
    `${home}/.config/claude/todos`,
    `${home}/.config/claude/tasks`,
    `${home}/.config/claude/sessions`,
  ],
  codex: [`${home}/.codex/sessions`, `${home}/.codex/archived_sessions`],
  gemini: [`${home}/.gemini/tmp`],
  opencode: [
    `${home}/.local/share/opencode`,
    `${home}/.local/share/opencode/storage/session`,
    `${home}/.local/share/opencode/storage/todo`,
  ],
  qwen: [`${home}/.qwen/projects`, `${home}/.qwen/todos`],
  hermes: [`${home}/.hermes/sessions`],
  "copilot-vscode": [`${editor}/workspaceStorage`],
  copilot: [`${home}/.copilot`],
  roo: [`${editor}/globalStorage/rooveterinaryinc.roo-cline/tasks`],
  cline: [
    `${home}/.cline/data/sessions`,
    `${home}/.cline/data/tasks`,
    `${editor}/globalStorage/saoudrizwan.claude-dev/tasks`,
  ],
  continue: [`${home}/.continue/sessions`],
  pi: [`${home}/.pi/agent/sessions`],
  droid: [`${home}/.factory/sessions`],
  goose: [`${home}/.local/share/goose/sessions`],
  kimi: [`${home}/.kimi-code/sessions`, `${home}/.kimi/sessions`],
  kilo: [`${home}/.local/share/kilo`],
});

test("finds the folders of agents on Linux", () => {
  expect(rootsOn(MACHINES.linux)).toMatchObject(UNIX("/home/ann", "/home/ann/.config/Code/User"));
});

test("finds the folders of agents on macOS", () => {
  expect(rootsOn(MACHINES.darwin)).toMatchObject(
    UNIX("/Users/ann", "/Users/ann/Library/Application Support/Code/User"),
  );
});

test("finds the folders of agents on Windows", () => {
  const home = "C:\\Users\\ann";
  const unix = UNIX(home, `${home}\\AppData\\Roaming\\Code\\User`);
  const windows = Object.fromEntries(
    Object.entries(unix).map(([id, roots]) => [
      id,
      roots.map((root) => root.replaceAll("/", "\\")),
    ]),
  );
  expect(rootsOn(MACHINES.win32)).toMatchObject(windows);
});

test("has absolute roots in the path style of each platform", () => {
  for (const machine of Object.values(MACHINES)) {
    const path = machine.platform === "win32" ? win32 : posix;
    for (const root of Object.values(rootsOn(machine)).flat()) {
      expect(path.isAbsolute(root)).toBe(true);
      expect(root).toBe(path.normalize(root));
    }
  }
});

test("follows the agents' own environment variables", () => {
  const env = {
    CLAUDE_CONFIG_DIR: "/c",
    CODEX_HOME: "/x",
    GEMINI_CLI_HOME: "/g",
    QWEN_HOME: "/q",
    XDG_DATA_HOME: "/d",
    XDG_CONFIG_HOME: "/e",
    COPILOT_HOME: "/p",
  };
  expect(rootsOn({ ...MACHINES.linux, env })).toMatchObject({
    "claude-code": ["/c/projects", "/c/todos", "/c/tasks", "/c/sessions"],
    codex: ["/x/sessions", "/x/archived_sessions"],
    gemini: ["/g/.gemini/tmp"],
    qwen: ["/q/projects", "/q/todos"],
    opencode: ["/d/opencode", "/d/opencode/storage/session", "/d/opencode/storage/todo"],
    goose: ["/d/goose/sessions"],
    copilot: ["/p"],
    "copilot-vscode": ["/e/Code/User/workspaceStorage"],
  });
});
