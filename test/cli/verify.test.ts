import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TAMPER_TEXTS } from "../../src/core/checks/tamper.ts";
import { gitIn, newRepository, writeFiles } from "../git/repositories.ts";
import { type Machine, newMachine } from "./machine.ts";

const SESSION = "parser-fix";

/** A machine whose project is a repository with these files. */
function machineWith(files: Readonly<Record<string, string>> = { "a.txt": "1\n" }): Machine {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  newRepository(files, machine.cwd);
  return machine;
}

/** Adds and completes todos. */
function complete(machine: Machine, ...texts: string[]): void {
  const todos = texts.map((content) => ({ content, status: "completed", activeForm: content }));
  expect(machine.tool("TodoWrite", { todos }, "--session", SESSION).status).toBe(0);
}

function proofsOf(machine: Machine) {
  const file = join(machine.home, "proofs", `s-${SESSION}.jsonl`);
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return lines.map((line) => JSON.parse(line) as { ok: boolean; todo: { id: string } });
}

test("proves completed todos with one run and prints the exact JSON", () => {
  const machine = machineWith();
  machine.run(["check", "add", "cat a.txt", "--name", "test", "--timeout", "1m"]);
  complete(machine, "Fix the parser", "Write the docs");
  const { status, stdout } = machine.run(["verify", SESSION, "--json"]);
  expect(status).toBe(0);
  const result = JSON.parse(stdout);
  expect(result).toEqual({
    ok: true,
    check: "test",
    command: "cat a.txt",
    exitCode: 0,
    durationMs: expect.any(Number),
    tree: gitIn(machine.cwd, "rev-parse", "HEAD^{tree}").trim(),
    level: "reproduced",
    warnings: [],
    output: "1",
  });
  expect(proofsOf(machine)).toMatchObject([
    { ok: true, todo: { id: "1" } },
    { ok: true, todo: { id: "2" } },
  ]);
});

test("exits with 1 if the check fails, and prints its last lines", () => {
  const machine = machineWith();
  machine.run(["check", "add", "echo 1 failed; exit 4", "--name", "test"]);
  complete(machine, "Fix the parser");
  const { status, stdout } = machine.run(["verify", SESSION, "--todo", "1"]);
  expect(status).toBe(1);
  expect(stdout).toMatch(/clean checkout {3}tree [0-9a-f]{10}, no changes/);
  expect(stdout).toMatch(/✗ test {13}echo 1 failed; exit 4 .*exit 4 {2}0\.\ds/);
  expect(stdout).toContain("\n    1 failed\n");
  expect(stdout).toContain("✗ not proven  The check ended with exit code 4.");
});

test("exits with 1 if the check is not trusted, and runs nothing", () => {
  const machine = machineWith({ ".waymark/checks.toml": '[checks.e2e]\ncommand = "touch ran"\n' });
  const { status, stdout } = machine.run(["verify", "--json"]);
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    exitCode: null,
    tree: "",
    level: "none",
    output: "",
  });
  expect(machine.run(["check", "trust"]).stdout).toContain(
    "Trusted e2e of .waymark/checks.toml: touch ran (timeout 10m)",
  );
  expect(machine.run(["verify"]).status).toBe(0);
  expect(existsSync(join(machine.cwd, "ran"))).toBe(false);
});

test("a changed definition has to be trusted again", () => {
  const machine = machineWith({ "package.json": '{"waymark":{"checks":{"unit":"true"}}}' });
  machine.run(["check", "trust", "unit"]);
  writeFiles(machine.cwd, { "package.json": '{"waymark":{"checks":{"unit":"false"}}}' });
  const { stdout } = machine.run(["check", "list"]);
  expect(stdout).toMatch(/unit {2}false +10m +changed since trusted {2}not run/);
  expect(stdout).toContain("waymark check trust unit");
  expect(machine.run(["verify"]).status).toBe(1);
});

test("lists, runs and removes checks", () => {
  const machine = machineWith();
  expect(machine.run(["check", "list"]).stderr).toContain('waymark check add "COMMAND"');
  machine.run(["check", "add", "npm run lint", "--timeout", "2m"]);
  expect(machine.json(["check", "list"])).toMatchObject([
    { name: "lint", command: "npm run lint", timeoutMs: 120_000, trust: "yours", lastRun: null },
  ]);
  const again = machine.run(["check", "add", "eslint .", "--name", "lint"]);
  expect(again.status).toBe(1);
  expect(again.stderr).toContain("A check named lint exists: npm run lint.");
  machine.run(["check", "add", "true", "--name", "quick"]);
  expect(machine.run(["check", "run", "quick"]).status).toBe(0);
  expect(machine.json(["check", "list"])).toMatchObject([{}, { lastRun: { ok: true } }]);
  expect(machine.run(["check", "remove", "quick"]).status).toBe(0);
  expect(machine.run(["check", "remove", "quick"]).status).toBe(2);
});

test("usage errors say what to do and exit with 2", () => {
  const machine = machineWith({ "package.json": '{"scripts":{"test":"vitest"}}' });
  const none = machine.run(["verify"]);
  expect(none.status).toBe(2);
  expect(none.stderr).toContain('Add one with `waymark check add "npm test" --name test`.');
  for (const name of ["a", "b"]) machine.run(["check", "add", "true", "--name", name]);
  const several = machine.run(["verify"]);
  expect(several.status).toBe(2);
  expect(several.stderr).toContain("There are 2 checks: a, b. Choose one with --check.");
  const unknown = machine.run(["verify", "--check", "c"]);
  expect(unknown.status).toBe(2);
  expect(unknown.stderr).toContain('No check is named "c". Use one of: a, b.');
  complete(machine, "Fix the parser");
  for (const args of [
    ["verify", SESSION, "--todo", "9"],
    ["verify", "no-such-session"],
    ["verify", "--todo", "1", "--task", "t1"],
    ["verify", "--task", "t9"],
    ["check", "add", "true\nfalse"],
    ["check", "add", "true", "--name", "../x"],
    ["check", "add", "true", "--timeout", "soon"],
  ])
    expect(machine.run(args)).toMatchObject({ status: 2, stdout: "" });
});

test("the environment of a check has no secrets of agents and no path of the caller", () => {
  const machine = machineWith();
  machine.run(["check", "add", "env", "--name", "test"]);
  const env = {
    ANTHROPIC_API_KEY: "canary",
    OPENAI_API_KEY: "canary",
    AWS_SECRET_ACCESS_KEY: "canary",
    GIT_DIR: "/nowhere/canary",
    OLDPWD: machine.cwd,
    INIT_CWD: machine.cwd,
    KEPT: "kept",
  };
  const { stdout } = machine.run(["verify", "--json"], { env });
  const { ok, output } = JSON.parse(stdout) as { ok: boolean; output: string };
  expect(ok).toBe(true);
  expect(output).toContain("KEPT=kept");
  expect(output).not.toContain("canary");
  expect(output).not.toContain(machine.cwd);
});

test("warns of weakened tests until the user accepts", () => {
  const text = 'it("adds", () => {\n  expect(add(1, 2)).toBe(3);\n});\n';
  const machine = machineWith({ "add.test.js": text });
  machine.run(["check", "add", "true", "--name", "test"]);
  complete(machine, "Fix the parser");
  writeFiles(machine.cwd, { "add.test.js": text.replace("it(", "it.skip(") });
  const { status, stdout } = machine.run(["verify", SESSION]);
  expect(status).toBe(0);
  expect(stdout).toContain("✓✓! passed, with 1 warning");
  expect(stdout).toContain(`  ! add.test.js:1  ${TAMPER_TEXTS.test_skipped}\n`);
  const agent = { env: { CODEX_THREAD_ID: "7c1a0de0-0000-4000-8000-000000000001" } };
  expect(machine.run(["verify", SESSION, "--accept"], agent).status).toBe(1);
  expect(machine.run(["verify", SESSION, "--accept", "--todo", "1"]).stdout).toBe(
    "Accepted 1 warning of todo 1.\n",
  );
  expect(machine.run(["verify", SESSION, "--accept"]).status).toBe(1);
});

test("exits with 3 if the home cannot be used", () => {
  const machine = machineWith();
  const { status, stderr } = machine.run(["check", "list"], { env: { WAYMARK_HOME: "/dev/null" } });
  expect({ status, stderr }).toMatchObject({ status: 3 });
  expect(stderr).toContain("Reading checks failed at /dev/null/checks/");
});

test("an agent cannot approve a check", () => {
  const machine = machineWith({ "package.json": '{"waymark":{"checks":{"unit":"true"}}}' });
  const env = { CODEX_THREAD_ID: "7c1a0de0-0000-4000-8000-000000000001" };
  for (const args of [
    ["check", "add", "true"],
    ["check", "trust"],
  ]) {
    const { status, stderr } = machine.run(args, { env });
    expect(status).toBe(1);
    expect(stderr).toContain("Ask the user to run it in a terminal.");
  }
  expect(machine.json(["check", "list"])).toMatchObject([{ name: "unit", trust: "untrusted" }]);
});

test("proves a task with its own check", () => {
  const machine = machineWith();
  machine.run(["check", "add", "true", "--name", "quick"]);
  machine.run(["check", "add", "false", "--name", "slow"]);
  machine.run(["task", "add", "Fix the parser", "--check", "slow"]);
  expect(machine.run(["verify", "--task", "t1"]).status).toBe(1);
  expect(machine.run(["verify", "--task", "t1", "--check", "quick"]).status).toBe(0);
  const lines = readFileSync(join(machine.home, "proofs", "tasks.jsonl"), "utf8")
    .trim()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { task: "t1", check: "slow", ok: false },
    { task: "t1", check: "quick", ok: true },
  ]);
});

test("runs in the directory in which the check was added", () => {
  const machine = machineWith({ "packages/a/here.txt": "1\n" });
  const cwd = join(machine.cwd, "packages/a");
  machine.run(["check", "add", "cat here.txt", "--name", "test"], { cwd });
  expect(machine.run(["verify"]).status).toBe(0);
  expect(machine.run(["verify"], { cwd }).status).toBe(0);
});

test("two processes that ask for the same files share one run", async () => {
  const machine = machineWith();
  const count = join(machine.root, "count");
  machine.run(["check", "add", `echo run >> '${count}'; sleep 1`, "--name", "test"]);
  const ran = await Promise.all([machine.start(["verify"]), machine.start(["verify"])]);
  expect(ran.map(({ status }) => status)).toEqual([0, 0]);
  const runs = readFileSync(count, "utf8").trim().split("\n");
  // On a busy machine, the second may start after the end of the first.
  const hasWaited = ran.some(({ stdout }) => stdout.includes("Waiting"));
  expect(runs).toHaveLength(hasWaited ? 1 : 2);
});

test("outside of git, the check runs in place and is marked so", () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  machine.run(["check", "add", "echo here > made.txt", "--name", "test"]);
  const { status, stdout } = machine.run(["verify", "--json"]);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, tree: "", inPlace: true });
  expect(existsSync(join(machine.cwd, "made.txt"))).toBe(true);
  expect(spawnSync("git", ["-C", machine.cwd, "rev-parse"]).status).not.toBe(0);
});
