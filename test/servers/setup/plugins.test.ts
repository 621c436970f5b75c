import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { SetupRequest } from "../../../src/agents/common/setup/agent.ts";
import { thisMachine } from "../../../src/sessions/transcripts/discover.ts";
import { isObject, type Value, valueAt } from "../../../src/setup/edit/document.ts";
import { setupOf } from "./agents.ts";

const read = (name: string): Value => JSON.parse(readFileSync(name, "utf8"));
const { version, files } = read("package.json") as { version: string; files: readonly string[] };

const request: SetupRequest = {
  mode: "waymark",
  machine: { ...thisMachine("/home/me", {}), platform: "linux" },
  program: { command: "waymark", prefixArgs: [] },
  exists: () => false,
};

/** Everything that setup writes below a top-level key. */
function written(agent: "claude" | "gemini", name: string): Value {
  const wishes = setupOf(agent)
    .files(request)
    .flatMap((file) => (file.format === "own" ? [] : file.items))
    .filter(({ path }) => path[0] === name);
  return Object.fromEntries(
    wishes.map(({ kind, path, value }) => [path[1] ?? "", kind === "hook" ? [value] : value]),
  );
}

it("hooks the same events in the Claude Code plugin as setup", () => {
  expect(read("plugins/claude-code/hooks/hooks.json")).toEqual({
    hooks: written("claude", "hooks"),
  });
  expect(read("plugins/claude-code/.mcp.json")).toEqual({
    mcpServers: written("claude", "mcpServers"),
  });
});

it("hooks the same events in the Gemini CLI extension as setup", () => {
  expect(read("plugins/gemini/hooks/hooks.json")).toEqual({ hooks: written("gemini", "hooks") });
  const server = valueAt(written("gemini", "mcpServers"), ["waymark"]);
  // An extension cannot declare itself as trusted.
  const { trust, ...rest } = isObject(server) ? server : {};
  expect(trust).toBe(true);
  expect(read("plugins/gemini/gemini-extension.json")).toMatchObject({
    mcpServers: { waymark: rest },
    excludeTools: ["write_todos"],
    contextFileName: "GEMINI.md",
  });
});

it("publishes both with the version of the package", () => {
  expect(files).toContain("plugins");
  expect(read("plugins/gemini/gemini-extension.json")).toMatchObject({ name: "waymark", version });
  expect(read("plugins/claude-code/.claude-plugin/plugin.json")).toMatchObject({
    name: "waymark",
    version,
  });
  expect(read(".claude-plugin/marketplace.json")).toMatchObject({
    plugins: [{ name: "waymark", source: "./plugins/claude-code" }],
  });
});
