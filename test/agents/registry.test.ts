import { describe, expect, test } from "vitest";
import { agentOfClient, IDENTITIES, identityOf } from "../../src/agents/identities.ts";
import { AGENTS, DIALECTS, HOOK_AGENTS, SETUPS } from "../../src/agents/index.ts";

const identities = AGENTS.map(({ identity }) => identity);

describe("the registry of agents", () => {
  test("gives every agent an id, a name and a two-letter code of its own", () => {
    for (const field of ["id", "name", "code"] as const) {
      const values = identities.map((identity) => identity[field]);
      expect(new Set(values).size, field).toBe(values.length);
    }
    for (const { id, code } of identities) expect(code, id).toMatch(/^[a-z]{2}$/);
  });

  test("states for every agent what it is based on", () => {
    for (const { id, proof } of identities) expect(proof, id).toMatch(/\w{3}/);
  });

  test("uses the identity in every part", () => {
    for (const { identity, decoder } of AGENTS)
      if (decoder)
        expect([decoder.id, decoder.name, decoder.proof]).toEqual([
          identity.id,
          identity.name,
          identity.proof,
        ]);
    for (const { name, agentType } of HOOK_AGENTS)
      expect(identityOf(agentType)?.shortName ?? agentType).toBe(name);
    for (const { agent, dialect, name, command } of SETUPS)
      expect(identityOf(dialect)).toMatchObject({ shortName: agent, name, command });
    expect(DIALECTS.map(({ id }) => id)).toEqual(identities.map(({ id }) => id));
  });

  test("is copied to the generated identities, without the proofs", () => {
    expect(IDENTITIES).toEqual(identities.map(({ proof: _, ...data }) => data));
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
  ["claude-codex", undefined],
  ["qwen2", undefined],
  ["my-codex", undefined],
  ["", undefined],
])("the MCP client %j belongs to %s", (client, agent) => {
  expect(agentOfClient(client)?.id).toBe(agent);
});
