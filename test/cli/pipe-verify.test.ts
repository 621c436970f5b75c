import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addCheck } from "../../src/checks/checks.ts";
import { readProofs } from "../../src/checks/proofs.ts";
import { newRepository, writeFiles } from "../git/repositories.ts";
import { type Machine, newMachine } from "./machine.ts";

/** The output of `codex exec --json` for a run with one completed and one open step. */
const item = (completed: boolean) =>
  JSON.stringify({
    type: "item.updated",
    item: {
      id: "item_0",
      type: "todo_list",
      items: [
        { text: "Find the slow query", completed },
        { text: "Add an index", completed: false },
      ],
    },
  });
const runOf = (completed: boolean) =>
  [
    '{"type":"thread.started","thread_id":"t-1"}',
    item(completed),
    '{"type":"turn.completed"}',
    "",
  ].join("\n");
const RUN = runOf(true);
const AGENT = { CODEX_THREAD_ID: "t-1" };

function newProject(files: Readonly<Record<string, string>> = { "state.txt": "broken\n" }) {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const cwd = newRepository(files);
  const run: Machine["run"] = (args, options) => machine.run(args, { cwd, input: RUN, ...options });
  return { ...machine, cwd, run };
}

test("runs an approved check for completed todos, and fails if it does not pass", async () => {
  const { home, cwd, run, root } = newProject();
  const command = "cat state.txt; grep -q works state.txt";
  await addCheck({ home: { path: home }, env: {} }, cwd, {
    name: "test",
    command,
    timeoutMs: 60_000,
    links: [],
  });
  const summary = join(root, "summary.md");
  const failed = run(["pipe", "--tee", "--verify", "--summary", summary]);
  expect([failed.status, failed.stdout]).toEqual([1, RUN]);
  expect(failed.stderr).toMatch(
    /\nbroken\nwaymark: The check ended with exit code 1\. 1 completed todo is not proven by test\.\n$/,
  );
  expect(readFileSync(summary, "utf8")).toContain(
    "### Check test: cat state.txt; grep \\-q works state.txt\n\nNot proven on tree ",
  );
  expect(readFileSync(summary, "utf8")).toContain("\n\n```text\nbroken\n```\n");

  writeFiles(cwd, { "state.txt": "works\n" });
  const passed = run(["pipe", "--verify", "test", "--summary", "-"]);
  expect(passed.status).toBe(0);
  expect(passed.stderr).toMatch(
    /^waymark: Check test passed on tree [0-9a-f]{12} in \d+s: 1 completed todo is reproduced\.\n$/,
  );
  expect(passed.stdout).toContain(
    "- [x] Find the slow query (reproduced: cat state.txt; grep \\-q works state.txt, exit 0)",
  );
  expect(passed.stdout).toMatch(/\nPassed on tree [0-9a-f]{12} in \d+s\.\n/);
  expect(readProofs(home, "t-1").map(({ ok, todo }) => [ok, todo?.text])).toEqual([
    [false, "Find the slow query"],
    [true, "Find the slow query"],
  ]);
  // One todo is proven, the other one is open.
  expect(run(["pipe", "--verify", "--fail-open"]).status).toBe(1);
  const none = run(["pipe", "--verify"], { input: runOf(false) });
  expect([none.status, none.stderr]).toEqual([
    0,
    "waymark: No todo is completed, so there is nothing to verify.\n",
  ]);
});

test("refuses unapproved checks before it reads the stream", async () => {
  const { run, cwd } = newProject({ ".waymark/checks.toml": '[checks]\ntest = "true"\n' });
  const untrusted = run(["pipe", "--verify"]);
  expect([untrusted.status, untrusted.stdout]).toEqual([1, ""]);
  expect(untrusted.stderr).toMatch(/test .*not trusted/);
  expect(run(["pipe", "--verify", "lint"])).toMatchObject({ status: 2, stdout: "" });
  expect(run(["check", "trust"]).status).toBe(0);
  expect(run(["pipe", "--verify"]).status).toBe(0);
  // The agent changed the definition.
  writeFiles(cwd, { ".waymark/checks.toml": '[checks]\ntest = "exit 0"\n' });
  expect(run(["pipe", "--verify"]).status).toBe(1);
});

test("runs a command of the user, which is approved by that, but none of an agent", () => {
  const { run } = newProject();
  const args = ["pipe", "--check", "grep -q works state.txt"];
  expect(run(args, { env: AGENT })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("--check is a decision of the user"),
  });
  const { status, stderr } = run(args);
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining("1 completed todo is not proven by grep."),
  ]);
  expect(run(["pipe", "--check", "true", "--verify", "ok"]).stderr).toContain("Check ok passed");
});
