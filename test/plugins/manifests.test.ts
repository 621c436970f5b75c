import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { installLinks, pluginFiles } from "../../scripts/plugins.mjs";
import { setupOf } from "../servers/setup/agents.ts";
import * as rules from "./rules.ts";
import type { Rule } from "./shape.ts";

const read = (path: string): string => readFileSync(path, "utf8");
const { version, mcpName, files, homepage } = JSON.parse(read("package.json"));
const events = (agent: string) => setupOf(agent).events({ mode: "waymark", version: "99.0.0" });

const MANIFESTS: Readonly<Record<string, Rule>> = {
  "plugins/agent-plugin/plugin.json": rules.agentPlugin,
  "plugins/agent-plugin/mcp.json": rules.agentPluginServers,
  "plugins/claude-code/.claude-plugin/plugin.json": rules.claudePlugin,
  "plugins/claude-code/.mcp.json": rules.claudeServers,
  "plugins/claude-code/hooks/hooks.json": rules.hooksFile(events("claude")),
  ".claude-plugin/marketplace.json": rules.claudeMarketplace,
  "plugins/codex/.codex-plugin/plugin.json": rules.codexPlugin,
  "plugins/codex/.mcp.json": rules.codexServers,
  "plugins/codex/hooks/hooks.json": rules.hooksFile(events("codex")),
  ".agents/plugins/marketplace.json": rules.codexMarketplace,
  "plugins/gemini/gemini-extension.json": rules.geminiExtension,
  "plugins/gemini/hooks/hooks.json": rules.hooksFile(events("gemini"), { name: () => [] }),
  "plugins/opencode/package.json": rules.opencodePackage,
  "server.json": rules.registryServer,
};

const generated = await pluginFiles(".");

test("generates every manifest, and all of them are up to date", () => {
  const manifests = [...generated.keys()].filter((path) => path.endsWith(".json"));
  expect(manifests.sort()).toEqual(Object.keys(MANIFESTS).sort());
  for (const [path, text] of generated) expect(read(path), path).toBe(text);
});

describe.each(Object.entries(MANIFESTS))("%s", (path, rule) => {
  const value = JSON.parse(read(path));

  it("follows the rules of its format", () => {
    expect(rule(value, path)).toEqual([]);
  });

  it("fails them with a field that is missing or has another type", () => {
    const names = Object.keys(value);
    const wrong = names.filter((name) => rule({ ...value, [name]: { other: 1 } }, path).length > 0);
    expect(wrong).toEqual(names);
    const { [names[0] ?? ""]: _, ...rest } = value;
    expect(rule(rest, path)).not.toEqual([]);
  });

  it("has the version of the package, if any", () => {
    expect([version, undefined]).toContain(value.version);
  });

  it("names files that exist", () => {
    const folder = path.includes("/plugin.json") ? dirname(dirname(path)) : dirname(path);
    const root = /marketplace\.json$/.test(path) ? "." : folder;
    const paths = [...JSON.stringify(value).matchAll(/:"(\.\/[^"]*)"/g)].map(
      ([, each = ""]) => each,
    );
    expect(paths.filter((each) => !existsSync(join(root, each)))).toEqual([]);
  });
});

test("the registry finds the package by the name in package.json", () => {
  const server = JSON.parse(read("server.json"));
  const owner = /github\.com\/([^/]+)\//.exec(homepage)?.[1];
  expect(mcpName).toBe(`io.github.${owner}/waymark`);
  expect(server).toMatchObject({ name: mcpName, packages: [{ identifier: "waymark", version }] });
});

test("every skill follows agentskills.io and is the same in all plugins", () => {
  const skills = [...new Set(["agent-plugin", "claude-code", "codex", "gemini"])].flatMap(
    (plugin) => readdirSync(`plugins/${plugin}/skills`).map((name) => ({ plugin, name })),
  );
  const texts = new Set<string>();
  for (const { plugin, name } of skills) {
    const text = read(`plugins/${plugin}/skills/${name}/SKILL.md`);
    const [, head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
    const values = Object.fromEntries(
      head.split("\n").map((line) => {
        const [, key = "", value = ""] = /^([a-z-]+): (.*)$/.exec(line) ?? [];
        return [key, value];
      }),
    );
    expect(rules.skill(name)(values, name), plugin).toEqual([]);
    // A colon starts a mapping in YAML.
    expect(values.description).not.toContain(": ");
    if (name === "waymark") texts.add(text);
  }
  expect(skills.filter(({ name }) => name === "waymark")).toHaveLength(4);
  expect(texts.size).toBe(1);
  expect([...texts][0]?.split("\n").length).toBeLessThanOrEqual(120);
});

test("plugins install the same server and hooks as setup", () => {
  expect(files).toContain("plugins");
  for (const agent of ["claude-code", "codex", "gemini"]) {
    const { hooks } = JSON.parse(read(`plugins/${agent}/hooks/hooks.json`));
    const name = agent === "claude-code" ? "claude" : agent;
    // Only events that every version has.
    const known = setupOf(name).events({ mode: "waymark", version: undefined });
    expect(Object.keys(hooks)).toEqual(known);
    for (const [event, [group]] of Object.entries<[{ hooks: [{ command: string }] }]>(hooks))
      expect(group.hooks[0].command).toBe(`waymark hook ${name} ${event}`);
  }
});

test("install links contain the server, and the documentation has them", () => {
  const page = read("docs/guides/editors.md");
  const server = { command: "npx", args: ["-y", "waymark", "mcp"] };
  const [cursor, code] = installLinks();
  const inLink = (address = "") => new URL(address).searchParams;
  for (const address of [cursor?.link, cursor?.web]) {
    expect(inLink(address).get("name")).toBe("waymark");
    const config = Buffer.from(inLink(address).get("config") ?? "", "base64").toString("utf8");
    expect(JSON.parse(config)).toEqual(server);
    expect(page).toContain(address);
  }
  const query = decodeURIComponent(code?.link.replace("vscode:mcp/install?", "") ?? "");
  expect(JSON.parse(query)).toEqual({ name: "waymark", ...server });
  expect(JSON.parse(inLink(code?.web).get("config") ?? "")).toEqual(server);
  expect(page).toContain(code?.web);
  expect(page).toContain(code?.link);
});
