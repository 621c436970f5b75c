import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const path = (name: string) => join(machine.root, name);
const read = (name: string) => readFileSync(path(name), "utf8");

function write(name: string, value: unknown): string {
  mkdirSync(dirname(path(name)), { recursive: true });
  const text = `${JSON.stringify(value, null, 2)}\n`;
  writeFileSync(path(name), text);
  return text;
}

const OWN = {
  type: "stdio",
  command: "npx",
  args: ["-y", "waymark@latest", "mcp", "--session", "team"],
  env: { WAYMARK_HOME: "/srv/waymark" },
};

test("keeps the user's own entry through setup, setup again and removal", {
  tags: ["user-entry"],
}, () => {
  const servers = write(".claude.json", { mcpServers: { waymark: OWN, other: { command: "x" } } });
  const entry = () => JSON.parse(read(".claude.json")).mcpServers.waymark;
  expect(machine.run(["setup", "claude", "--yes"]).status).toBe(0);
  expect(entry()).toMatchObject(OWN);
  // As Claude Code does at runtime.
  writeFileSync(
    path(".claude.json"),
    JSON.stringify({ ...JSON.parse(read(".claude.json")), n: 1 }),
  );
  expect(machine.run(["setup", "claude", "--yes"]).status).toBe(0);
  expect(entry()).toMatchObject(OWN);
  writeFileSync(
    path(".claude.json"),
    JSON.stringify({ ...JSON.parse(read(".claude.json")), n: 2 }),
  );
  expect(machine.run(["setup", "claude", "--remove", "--yes"]).status).toBe(0);
  expect(JSON.parse(read(".claude.json"))).toEqual({ ...JSON.parse(servers), n: 2 });
});

test("restores the bytes around the user's own entry and hooks", { tags: ["user-entry"] }, () => {
  const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
  const settings = write(".claude/settings.json", {
    hooks: {
      Stop: hook("notify-send done; waymark hook claude Stop"),
      PostToolUse: hook("echo waymark hook claude PostToolUse"),
    },
    statusLine: { type: "command", command: "waymark statusline | cut -c1-60", padding: 0 },
  });
  const servers = write(".claude.json", { mcpServers: { waymark: OWN } });
  for (let time = 0; time < 2; time++) {
    expect(machine.run(["setup", "claude", "--yes"]).status).toBe(0);
    expect(read(".claude/settings.json")).toContain("notify-send done; waymark hook claude Stop");
    expect(read(".claude/settings.json")).toContain("echo waymark hook claude PostToolUse");
    expect(read(".claude/settings.json")).toContain("waymark statusline | cut -c1-60");
    // Neither runs Waymark, so setup adds its hooks next to them.
    for (const event of ["Stop", "PostToolUse"])
      expect(JSON.parse(read(".claude/settings.json")).hooks[event]).toHaveLength(2);
  }
  expect(machine.run(["setup", "claude", "--remove", "--yes"]).status).toBe(0);
  expect([read(".claude/settings.json"), read(".claude.json")]).toEqual([settings, servers]);
});
