import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const LIST = `- [x] Find where empty files fail
- [x] Fix the parser
- [/] Add a test`;

test.each([
  // Claude Code shortens conversations itself, when they are far longer.
  ["claude-agent.mjs", ["stale"]],
  ["langchain.mjs", ["stale", "recovery"]],
  ["openai-agents.mjs", ["stale", "recovery"]],
])("%s: the list is kept, brought up, given back and printed", (file, kinds) => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "..", "examples", file)],
    { encoding: "utf8" },
  );
  expect(stdout.trimEnd().endsWith(LIST), `${stdout}\n${stderr}`).toBe(true);
  for (const kind of kinds) expect(stdout).toContain(`told (${kind}):\n`);
});
