import { describe, expect, test } from "vitest";
import { HOOK_AGENTS } from "../../src/agents/hooks.ts";
import { agentOfClient, IDENTITIES, identityOf } from "../../src/agents/identities.ts";
import type { Identity } from "../../src/agents/identity.ts";
import { AGENTS, DECODERS } from "../../src/agents/index.ts";
import { SETUP_AGENTS } from "../../src/agents/setup.ts";

const identities = AGENTS.map(({ identity }) => identity);

describe("the registry of agents", () => {
  test("gives every agent a unique id, name and two-letter code", () => {
    for (const field of ["id", "name", "code"] as const) {
      const values = identities.map((identity) => identity[field]);
      expect(new Set(values).size, field).toBe(values.length);
    }
    for (const { id, code } of identities) expect(code, id).toMatch(/^[a-z]{2}$/);
  });

  test("states the basis of every agent", () => {
    for (const { id, basis } of identities) expect(basis, id).toMatch(/\w{3}/);
  });

  test("uses the identity in every part", () => {
    for (const { identity, decoder } of AGENTS)
      if (decoder)
        expect([decoder.id, decoder.name, decoder.basis]).toEqual([
          identity.id,
          identity.name,
          identity.basis,
        ]);
    for (const { name, agentType } of HOOK_AGENTS)
      expect(identityOf(agentType)?.shortName ?? agentType).toBe(name);
    // The agent of an editor has another name than the editor, and no command.
    for (const { agent, id, name, command, serverOnly } of SETUP_AGENTS)
      expect(identityOf(id)).toMatchObject({
        shortName: agent,
        ...(serverOnly ? {} : { name, command }),
      });
  });

  test("has a decoder for every agent but one, whose sessions are not documented", () => {
    const decoded = DECODERS.map(({ id }) => id);
    const ids = identities.map(({ id }) => id);
    expect(ids.filter((id) => !decoded.includes(id))).toEqual(["windsurf"]);
    expect(decoded).toEqual(ids.filter((id) => id !== "windsurf"));
  });

  test("is copied to the generated identities, without the basis and the support", () => {
    expect(IDENTITIES).toEqual(
      identities.map(({ basis: _, support: __, ...data }: Identity) => data),
    );
  });

  test("gives agents different colors", () => {
    const colors = identities.flatMap(({ color }) => color ?? []);
    for (const shade of ["dark", "light"] as const) {
      expect(new Set(colors.map(({ terminal }) => terminal[shade])).size).toBe(colors.length);
      expect(new Set(colors.map(({ page }) => page[shade])).size).toBe(colors.length);
    }
  });
});

test.each([
  ["claude-code", "claude-code"],
  ["codex-mcp-client", "codex"],
  ["gemini-cli-mcp-client", "gemini"],
  ["opencode", "opencode"],
  ["qwen-cli-mcp-client", "qwen"],
  ["cursor-vscode", "cursor"],
  ["Visual Studio Code", "copilot-vscode"],
  ["claude-codex", undefined],
  ["qwen2", undefined],
  ["my-codex", undefined],
  ["", undefined],
])("the MCP client %j belongs to %s", (client, agent) => {
  expect(agentOfClient(client)?.id).toBe(agent);
});
