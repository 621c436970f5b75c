import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newMachine } from "./machine.ts";

test("lists files with the agents that edit them, as text and JSON", () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  expect(machine.run(["files"]).stdout).toBe("No agent edited a file in the last 15m 0s.\n");
  const edit = (agent: string, session: string, file: string) => {
    const call = {
      session_id: session,
      cwd: machine.cwd,
      tool_name: "Edit",
      tool_use_id: `${session}-${file}`,
      tool_input: { file_path: join(machine.cwd, file), old_string: "a", new_string: "b" },
      tool_response: {},
    };
    const input = JSON.stringify(call);
    expect(machine.run(["hook", agent, "PostToolUse"], { input }).status).toBe(0);
  };
  edit("claude", "first", "src/a.ts");
  edit("claude", "first", "src/b.ts");
  edit("codex", "second", "src/a.ts");
  const { stdout } = machine.run(["files"]);
  expect(stdout).toMatch(/^project {2}.+, 2 files\n/);
  expect(stdout).toMatch(/ {2}src\/a\.ts {2}Codex \d+s ago {2}Claude Code \d+s ago {2}! shared\n/);
  expect(stdout).toMatch(/ {2}src\/b\.ts {2}Claude Code \d+s ago\n/);
  expect(stdout).toContain("1 collision: src/a.ts\n");
  const json = machine.json(["files"]) as { path: string; collision: boolean; agents: object[] }[];
  expect(json.map(({ path, collision }) => [path, collision])).toEqual([
    [join(machine.cwd, "src/a.ts"), true],
    [join(machine.cwd, "src/b.ts"), false],
  ]);
  expect(json[0]?.agents).toMatchObject([
    { session: "second", agentType: "codex", how: "edited" },
    { session: "first", agentType: "claude-code", how: "edited" },
  ]);
  const history = machine.run(["history", "--session", "second"]).stdout;
  expect(history).toContain("collision");
  expect(machine.run(["files", "--within", "soon"]).status).toBe(2);
});
