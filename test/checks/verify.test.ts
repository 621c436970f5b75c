import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addCheck, listChecks, removeCheck, trustChecks } from "../../src/checks/checks.ts";
import { DEFAULT_LINKS } from "../../src/checks/definition.ts";
import { acceptProofs, readProofs, watchProofs } from "../../src/checks/proofs.ts";
import type { ChecksContext } from "../../src/checks/request.ts";
import { verify } from "../../src/checks/verify.ts";
import { gitIn, newRepository, temporaryDirectory, writeFiles } from "../git/repositories.ts";
import { until } from "../until.ts";

const ID = { session: "demo", agent: "main" };
const TODO = { id: "1", text: "Fix the parser" };

function newContext(env: NodeJS.ProcessEnv = {}): ChecksContext {
  return { home: { path: temporaryDirectory() }, env: { PATH: process.env.PATH, ...env } };
}

/** The directories of runs that are under way. */
function runDirectories({ home }: ChecksContext): readonly string[] {
  const records = join(home.path, "checks", "running");
  return readdirSync(records).map(
    (name) => (JSON.parse(readFileSync(join(records, name), "utf8")) as { path: string }).path,
  );
}

async function approve(context: ChecksContext, cwd: string, command: string, name = "test") {
  await addCheck(context, cwd, { name, command, timeoutMs: 60_000, links: DEFAULT_LINKS });
}

test("runs the check on committed, changed and new files, and records the proof", async () => {
  const cwd = newRepository({ "a.txt": "1\n", "b.txt": "1\n", ".gitignore": "*.log\n" });
  writeFiles(cwd, { "a.txt": "2\n", "new file.txt": "3\n", "out.log": "4\n" });
  const context = newContext();
  await approve(context, cwd, "cat a.txt b.txt 'new file.txt'; ! test -e out.log");
  const before = gitIn(cwd, "status", "--porcelain=v2");
  const result = await verify(context, { cwd, id: ID, todo: TODO });
  expect(result).toMatchObject({
    ok: true,
    check: "test",
    exitCode: 0,
    level: "reproduced",
    output: "2\n1\n3",
    warnings: [],
  });
  expect(result.tree).toMatch(/^[0-9a-f]{40}$/);
  expect(readProofs(context.home.path, "demo")).toEqual(result.proofs);
  expect(result.proofs).toMatchObject([{ id: ID, todo: TODO, ok: true, tree: result.tree }]);
  expect(gitIn(cwd, "status", "--porcelain=v2")).toBe(before);
  gitIn(cwd, "add", "-A");
  expect(gitIn(cwd, "write-tree").trim()).toBe(result.tree);
});

test("a failing check proves nothing", async () => {
  const cwd = newRepository();
  const context = newContext();
  await approve(context, cwd, "echo 1 failed >&2; exit 3");
  const result = await verify(context, { cwd, id: ID, todo: TODO });
  expect(result).toMatchObject({ ok: false, exitCode: 3, level: "unverified", output: "1 failed" });
  expect(result.reason).toBe("The check ended with exit code 3.");
  expect(readProofs(context.home.path)).toMatchObject([{ ok: false, exitCode: 3 }]);
});

test.each([
  ["no_tests", "echo '# tests 0'", "its output says that no test ran"],
  ["no_tests", "echo '===== 3 skipped in 0.01s ====='", "its output says that no test ran"],
  [
    "no_tests",
    "echo 'ok. 0 passed' | sed 's/^/test result: /'",
    "its output says that no test ran",
  ],
  ["reported_failure", "echo ' Tests  1 failed | 2 passed (3)'", "its output reports failures"],
])(
  "an exit code of 0 proves nothing if the output contradicts it: %s, %s",
  async (ended, command, why) => {
    const cwd = newRepository();
    const context = newContext();
    await approve(context, cwd, command);
    const result = await verify(context, { cwd, id: ID, todo: TODO });
    expect(result).toMatchObject({ ok: false, exitCode: 0, ended, level: "unverified" });
    expect(result.reason).toBe(`The check ended with exit code 0, but ${why}.`);
    expect(readProofs(context.home.path)).toMatchObject([{ ok: false, exitCode: 0, ended }]);
  },
);

test("a long run with tests at its start counts although its last lines name none", async () => {
  const cwd = newRepository();
  const context = newContext();
  const rest = 'for i in $(seq 80); do echo "?   calc/d$i [no test files]"; done';
  await approve(context, cwd, `echo 'ok   calc 0.002s'; ${rest}`);
  expect(await verify(context, { cwd, id: ID, todo: TODO })).toMatchObject({
    ok: true,
    level: "reproduced",
  });
});

test("a check of the repository runs only as it was trusted", async () => {
  const cwd = newRepository({ ".waymark/checks.toml": '[checks]\ntest = "true"\n' });
  const context = newContext();
  expect(await verify(context, { cwd })).toMatchObject({ ok: false, refused: "untrusted" });
  expect((await trustChecks(context, cwd)).map(({ name }) => name)).toEqual(["test"]);
  expect(await verify(context, { cwd })).toMatchObject({ ok: true });
  writeFileSync(join(cwd, ".waymark/checks.toml"), '[checks]\ntest = "touch /canary"\n');
  expect((await listChecks(context, cwd)).checks).toMatchObject([{ trust: "changed" }]);
  expect(await verify(context, { cwd })).toMatchObject({ ok: false, refused: "untrusted" });
});

test("shares one run between callers that ask for the same files", async () => {
  const cwd = newRepository();
  const context = newContext();
  const count = join(temporaryDirectory(), "count");
  await approve(context, cwd, `echo run >> '${count}'; sleep 0.5`);
  const todos = [TODO, { id: "2", text: "Write the docs" }];
  const results = await Promise.all(todos.map((todo) => verify(context, { cwd, id: ID, todo })));
  expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  expect(readFileSync(count, "utf8")).toBe("run\n");
  expect(
    readProofs(context.home.path, "demo")
      .map(({ todo }) => todo?.id)
      .sort(),
  ).toEqual(["1", "2"]);
});

test("cancelling ends the check, records nothing and leaves no directory", async () => {
  const cwd = newRepository();
  const context = newContext();
  await approve(context, cwd, "echo started; sleep 60");
  let directories: readonly string[] = [];
  const controller = new AbortController();
  const result = await verify(context, {
    cwd,
    id: ID,
    todo: TODO,
    signal: controller.signal,
    onProgress({ step }) {
      if (step !== "output") return;
      directories = runDirectories(context);
      controller.abort();
    },
  });
  expect(result).toMatchObject({ ok: false, refused: "cancelled" });
  expect(readProofs(context.home.path)).toEqual([]);
  expect(directories).toHaveLength(1);
  expect(directories.filter((path) => existsSync(path))).toEqual([]);
  expect(runDirectories(context)).toEqual([]);
});

test("outside of git, the check runs in place", async () => {
  const cwd = temporaryDirectory();
  writeFiles(cwd, { "a.txt": "1\n" });
  const context = newContext();
  await approve(context, cwd, "cat a.txt");
  const result = await verify(context, { cwd, id: ID, todo: TODO });
  expect(result).toMatchObject({ ok: true, inPlace: true, tree: "", output: "1" });
  expect(readProofs(context.home.path)).toMatchObject([{ inPlace: true, tree: "" }]);
});

test("records and accepts the warnings of weakened tests", async () => {
  const test = 'it("adds", () => {\n  expect(add(1, 2)).toBe(3);\n});\n';
  const cwd = newRepository({ "add.test.js": test });
  writeFiles(cwd, { "add.test.js": test.replace("it(", "it.skip(") });
  const context = newContext();
  await approve(context, cwd, "true");
  const startedAt = Date.now();
  const { warnings, proofs } = await verify(context, { cwd, id: ID, todo: { ...TODO, startedAt } });
  expect(warnings).toMatchObject([{ kind: "test_skipped", file: "add.test.js", line: 1 }]);
  await acceptProofs(context.home, proofs);
  expect(readProofs(context.home.path, "demo").at(-1)).toMatchObject({ accepted: true, warnings });
});

test("removes checks, and the trust in those of the repository", async () => {
  const cwd = newRepository({ "package.json": '{"waymark":{"checks":{"lint":"true"}}}' });
  const context = newContext();
  await approve(context, cwd, "true");
  await trustChecks(context, cwd, ["lint"]);
  await removeCheck(context, cwd, "test");
  await removeCheck(context, cwd, "lint");
  expect((await listChecks(context, cwd)).checks).toMatchObject([
    { name: "lint", trust: "untrusted", file: "package.json" },
  ]);
});

test("notifies of proofs that were recorded", async () => {
  const cwd = newRepository();
  const context = newContext();
  await approve(context, cwd, "true");
  let changes = 0;
  const stop = watchProofs(context.home.path, () => changes++);
  await verify(context, { cwd, task: "t1" });
  await until(() => changes > 0, "a notification");
  stop();
  expect(readProofs(context.home.path)).toMatchObject([{ task: "t1", ok: true }]);
});
