import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const LIST = `- [x] Find where empty files fail
- [x] Fix the parser
- [/] Add a test`;

test.each([
  // Claude Code compacts only much longer conversations.
  ["claude-agent.mjs", ["stale"]],
  ["google.mjs", ["stale", "recovery", "stop"]],
  ["langchain.mjs", ["stale", "recovery"]],
  ["langgraph.mjs", ["stale", "recovery", "stop"]],
  ["mastra.mjs", ["stale", "recovery", "stop"]],
  ["openai-agents.mjs", ["stale", "recovery", "stop"]],
])("%s keeps the list, gets reminders, recovers the list and prints it", (file, kinds) => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "..", "examples", file)],
    { encoding: "utf8" },
  );
  expect(stdout.trimEnd().endsWith(LIST), `${stdout}\n${stderr}`).toBe(true);
  for (const kind of kinds) expect(stdout).toContain(`reminder (${kind}):\n`);
});
