import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addCheck } from "../../src/checks/checks.ts";
import { DEFAULT_LINKS } from "../../src/checks/definition.ts";
import { gitIn, newRepository, writeFiles } from "../git/repositories.ts";
import { type Machine, newMachine } from "./machine.ts";

/** A repository whose check passes while `works` is in a file. */
async function newProject(): Promise<Machine & { readonly repository: string }> {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const repository = newRepository({ "state.txt": "broken\n" });
  await addCheck({ home: { path: machine.home }, env: {} }, repository, {
    name: "test",
    command: "cat state.txt; grep -q works state.txt",
    timeoutMs: 60_000,
    links: DEFAULT_LINKS,
  });
  const run: Machine["run"] = (args, options) => machine.run(args, { cwd: repository, ...options });
  return { ...machine, run, repository };
}

test("completes a task with a check only after the check has passed on the present files", async () => {
  const { run, repository } = await newProject();
  run(["task", "add", "Fix it", "--check", "test"]);
  expect(run(["task", "claim", "t1", "--as", "ann"]).status).toBe(0);
  const done = ["task", "done", "t1", "--as", "ann", "--epoch", "1"];
  const refused = run([...done, "--evidence", "npm test passed", "--json"]);
  expect([refused.status, JSON.parse(refused.stdout)]).toMatchObject([
    1,
    { code: "unproven", id: "t1", check: "test" },
  ]);
  expect(refused.stderr).toBe(
    "waymark: t1 can only be completed after its check test has passed on the present files. Run `waymark verify --task t1`, or `waymark task done t1 --verify`.\n",
  );
  const failing = run([...done, "--verify"]);
  expect(failing.status).toBe(1);
  expect(failing.stdout).toContain("cat state.txt; grep -q works state.txt");
  expect(failing.stderr).toContain("broken\n");
  expect(failing.stderr).toContain("t1 is not completed. The check ended with exit code 1.");
  expect(run(["task", "show", "t1"]).stdout).toMatch(/check test/);

  writeFiles(repository, { "state.txt": "works\n" });
  expect(run([...done, "--verify"])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/\nCompleted t1\n$/),
  });
  const task = JSON.parse(run(["task", "show", "t1", "--json"]).stdout);
  const tree = gitIn(repository, "stash", "create").trim();
  const hash = gitIn(repository, "rev-parse", `${tree}^{tree}`).trim();
  expect(task).toMatchObject({
    status: "done",
    check: "test",
    proof: { check: "test", tree: hash, exitCode: 0 },
    evidence: [expect.stringContaining(`Check test passed on tree ${hash.slice(0, 12)} (`)],
  });

  // The proof holds for these files, and for no others.
  run(["task", "add", "Next", "--check", "test"]);
  run(["task", "claim", "t2", "--as", "ann"]);
  expect(run(["task", "done", "t2", "--as", "ann"]).status).toBe(0);
  run(["task", "add", "Last", "--check", "test"]);
  run(["task", "claim", "t3", "--as", "ann"]);
  writeFiles(repository, { "new.txt": "1\n" });
  expect(run(["task", "done", "t3", "--as", "ann"]).status).toBe(1);
  expect(run(["task", "done", "t3"], { env: { USER: "pat" } }).status).toBe(1);
});

test("a user may complete it without the check, an agent may not", async () => {
  const { run } = await newProject();
  run(["task", "add", "Fix it", "--check", "test"]);
  run(["task", "claim", "t1", "--as", "ann"]);
  const agent = { env: { CLAUDE_CODE_SESSION_ID: "abcd-1" } };
  const forced = run(["task", "done", "t1", "--force"], agent);
  expect([forced.status, forced.stderr]).toEqual([
    1,
    expect.stringContaining("--force is a decision of the user"),
  ]);
  for (const check of ["", "true"])
    expect(run(["task", "edit", "t1", "--check", check], agent)).toMatchObject({
      status: 1,
      stderr: 'waymark: t1 has to pass the check "test"; only the user can change that.\n',
    });
  expect(run(["task", "done", "t1", "--verify", "--force"]).status).toBe(2);
  expect(run(["task", "done", "t1", "--force"])).toMatchObject({
    status: 0,
    stdout: "Completed t1 without its check test\n",
  });
  const history = run(["task", "history", "t1"]).stdout;
  expect(history).toMatch(/done: Finished by the user without its check test +you via cli/);
});

test("an unknown or untrusted check leaves the task open and says what to do", async () => {
  const { run, repository } = await newProject();
  run(["task", "add", "Fix it", "--check", "lint"]);
  run(["task", "claim", "t1", "--as", "ann"]);
  expect(run(["task", "done", "t1", "--as", "ann", "--verify"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('No check is named "lint". Use one of: test.'),
  });
  mkdirSync(join(repository, ".waymark"));
  writeFileSync(join(repository, ".waymark/checks.toml"), '[checks]\nlint = "touch canary"\n');
  const { status, stderr } = run(["task", "done", "t1", "--as", "ann", "--verify"]);
  expect(status).toBe(1);
  expect(stderr).toMatch(/not trusted/);
  expect(run(["task", "show", "t1", "--json"]).stdout).toContain('"status": "claimed"');
});
