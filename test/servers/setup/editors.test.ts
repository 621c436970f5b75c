import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import type { SetupRequest } from "../../../src/agents/common/setup/agent.ts";
import { SETUP_AGENTS } from "../../../src/agents/setup.ts";
import { thisMachine } from "../../../src/sessions/transcripts/discover.ts";
import { json } from "../../../src/setup/edit/json-edit.ts";
import { changesOf } from "../../../src/setup/plan.ts";
import { statusOf } from "../../../src/setup/status.ts";
import { setupOf } from "./agents.ts";
import { newSandbox } from "./sandbox.ts";

interface Editor {
  readonly file: string;
  readonly project?: string;
  readonly servers: string;
  readonly entry: Readonly<Record<string, unknown>>;
}
const STARTS = { command: "waymark", args: ["mcp"] };

const EDITORS: Readonly<Record<string, Editor>> = {
  cursor: {
    file: ".cursor/mcp.json",
    project: ".cursor/mcp.json",
    servers: "mcpServers",
    entry: STARTS,
  },
  vscode: {
    file: ".config/Code/User/mcp.json",
    project: ".vscode/mcp.json",
    servers: "servers",
    entry: { type: "stdio", ...STARTS },
  },
  windsurf: { file: ".codeium/windsurf/mcp_config.json", servers: "mcpServers", entry: STARTS },
  zed: {
    file: ".config/zed/settings.json",
    project: ".zed/settings.json",
    servers: "context_servers",
    entry: STARTS,
  },
};

const CASES = Object.entries(EDITORS);

/** Settings of users; SERVERS stands for the key of the editor. */
const FILES: Readonly<Record<string, string>> = {
  "an empty file": "",
  comments:
    '// mine\n{\n  // at night\n  "theme": "dark", /* really */\n  "SERVERS": {} // none\n}\n',
  "another server": '{\n\t"SERVERS": {\n\t\t"other": { "command": "other" },\n\t},\n}\n',
  "one line, CRLF": '{"vim_mode":true}\r\n',
};

let sandbox: ReturnType<typeof newSandbox>;
beforeEach(() => {
  sandbox = newSandbox({ platform: "linux" });
});
afterEach(() => sandbox.end());

describe.each(CASES)("%s", (agent, { file, project, servers, entry }) => {
  const setup = setupOf(agent);
  const entries = (path: string) => {
    const data = json.read(readFileSync(path, "utf8"), path) as Record<string, never>;
    return data[servers];
  };

  it.each(Object.entries(FILES))("%s: adds the server only, and removal restores it", (_, text) => {
    sandbox.write(file, text.replaceAll("SERVERS", servers));
    const before = sandbox.everything();
    expect(sandbox.setUp(agent)).toBe(1);
    expect(entries(sandbox.path(file))).toMatchObject({ waymark: entry });
    const now = sandbox.read(file);
    for (const comment of text.match(/\/\/.*$|\/\*.*\*\//gm) ?? []) expect(now).toContain(comment);
    expect(sandbox.setUp(agent)).toBe(0);
    expect(sandbox.remove(agent)).toBe(1);
    expect(sandbox.everything()).toEqual(before);
  });

  it("creates its file in an empty home, and removes it with its directories", () => {
    sandbox.setUp(agent);
    expect(entries(sandbox.path(file))).toEqual({ waymark: entry });
    sandbox.remove(agent);
    expect(readdirSync(sandbox.user)).toEqual([]);
  });

  it("keeps a server of the user that has the same name", () => {
    const own = { [servers]: { waymark: { command: "docker", args: ["run", "waymark"] } } };
    sandbox.write(file, JSON.stringify(own));
    const before = sandbox.everything();
    expect(sandbox.setUp(agent)).toBe(0);
    expect(sandbox.remove(agent)).toBe(0);
    expect(sandbox.everything()).toEqual(before);
  });

  it("reports its status, and tools that were added", () => {
    const context = {
      machine: sandbox.request("waymark").machine,
      path: "",
      program: { command: "waymark", prefixArgs: [] },
      home: sandbox.home,
    };
    expect(statusOf(setup, context)).toMatchObject({ setUp: null, found: false });
    sandbox.setUp(agent, "waymark", { extras: ["tasks", "plan"] });
    expect(statusOf(setup, context)).toMatchObject({ setUp: "waymark", found: true });
    expect(entries(sandbox.path(file))).toMatchObject({
      waymark: { args: ["mcp", "--tools", "todos,tasks,plan"] },
    });
  });

  it("configures a project where the editor can", () => {
    expect(setup.userOnly === true).toBe(project === undefined);
    if (project === undefined) return;
    const folder = mkdtempSync(join(tmpdir(), "waymark-project-"));
    try {
      sandbox.setUp(agent, "waymark", { project: folder });
      expect(entries(join(folder, project))).toEqual({ waymark: entry });
      expect(existsSync(sandbox.path(file))).toBe(false);
      sandbox.remove(agent, { project: folder });
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("has no events and no other items, in any mode", () => {
    expect(setup.events({ mode: "native", version: undefined })).toEqual([]);
    const request = { ...sandbox.request("native"), exists: () => false };
    expect(setup.files(request)).toEqual(setup.files({ ...request, mode: "waymark" }));
    expect(changesOf(sandbox.planned(agent, "waymark"))).toHaveLength(1);
  });
});

test("every setup without hooks is an editor of this file", () => {
  const named = SETUP_AGENTS.filter(({ serverOnly }) => serverOnly).map(({ agent }) => agent);
  expect([...named].sort()).toEqual(Object.keys(EDITORS).sort());
});

test.each([
  ["darwin", "vscode", "/home/ann/Library/Application Support/Code/User/mcp.json"],
  ["darwin", "zed", "/home/ann/.config/zed/settings.json"],
  ["linux", "zed", "/xdg/zed/settings.json"],
] as const)("on %s, %s reads %s", (platform, agent, path) => {
  const env = platform === "linux" ? { XDG_CONFIG_HOME: "/xdg" } : {};
  const request: SetupRequest = {
    mode: "waymark",
    machine: { ...thisMachine("/home/ann", env), platform },
    program: { command: "waymark", prefixArgs: [] },
    exists: () => false,
  };
  expect(setupOf(agent).files(request)[0]?.path).toBe(path);
});
