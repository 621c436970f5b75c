import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Occasion } from "../../../src/agents/common/setup/agent.ts";
import { thisMachine } from "../../../src/sessions/transcripts/discover.ts";
import { isObject, type Value, valueAt } from "../../../src/setup/edit/document.ts";
import { setupOf } from "./agents.ts";

const read = (name: string): Value => JSON.parse(readFileSync(name, "utf8"));
const { version, files } = read("package.json") as { version: string; files: readonly string[] };

const occasion: Occasion = {
  mode: "waymark",
  machine: { ...thisMachine("/home/me", {}), platform: "linux" },
  program: { command: "waymark", before: [] },
  exists: () => false,
};

/** What setup puts at the first name of a path, all of it. */
function written(agent: "claude" | "gemini", name: string): Value {
  const wishes = setupOf(agent)
    .files(occasion)
    .flatMap((file) => (file.format === "own" ? [] : file.wishes))
    .filter(({ path }) => path[0] === name);
  return Object.fromEntries(
    wishes.map(({ kind, path, value }) => [path[1] ?? "", kind === "hook" ? [value] : value]),
  );
}

it("the plugin for Claude Code hooks the same events with the same commands as setup", () => {
  expect(read("plugins/claude-code/hooks/hooks.json")).toEqual({
    hooks: written("claude", "hooks"),
  });
  expect(read("plugins/claude-code/.mcp.json")).toEqual({
    mcpServers: written("claude", "mcpServers"),
  });
});

it("the extension for Gemini CLI does, too", () => {
  expect(read("plugins/gemini/hooks/hooks.json")).toEqual({ hooks: written("gemini", "hooks") });
  const server = valueAt(written("gemini", "mcpServers"), ["waymark"]);
  // An extension may not declare that it is trusted.
  const { trust, ...rest } = isObject(server) ? server : {};
  expect(trust).toBe(true);
  expect(read("plugins/gemini/gemini-extension.json")).toMatchObject({
    mcpServers: { waymark: rest },
    excludeTools: ["write_todos"],
    contextFileName: "GEMINI.md",
  });
});

it("both have the version of the package and come with it", () => {
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
