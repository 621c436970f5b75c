import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addCheck } from "../../src/checks/checks.ts";
import { readProofs } from "../../src/checks/proofs.ts";
import { newRepository, temporaryDirectory, writeFiles } from "../git/repositories.ts";
import { newMachine, PROGRAM } from "./machine.ts";
import { start } from "./running.ts";

const COMPLETED = { text: "Fix the parser", status: "completed" };

async function newProject(command: string) {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const cwd = newRepository({ "state.txt": "broken\n" });
  const count = join(temporaryDirectory(), "count");
  writeFiles(join(count, ".."), { count: "" });
  const write = (todos: readonly object[], session = "demo") => {
    const input = JSON.stringify({ todos });
    expect(machine.run(["tool", "todos", "--session", session], { input, cwd }).status).toBe(0);
  };
  return {
    ...machine,
    cwd,
    write,
    approve: () =>
      addCheck({ home: { path: machine.home }, env: {} }, cwd, {
        name: "test",
        command: `echo run >> '${count}'; ${command}`,
        timeoutMs: 60_000,
        links: [],
      }),
    runs: () => readFileSync(count, "utf8").split("\n").length - 1,
    start: (...args: string[]) =>
      start(process.execPath, [PROGRAM, ...args], {
        HOME: machine.root,
        WAYMARK_HOME: machine.home,
      }),
  };
}

test("runs the check after a todo is completed, not for old ones, and logs it", async () => {
  const project = await newProject("cat state.txt; grep -q works state.txt");
  const { home, cwd, write } = project;
  await project.approve();
  write([{ text: "Old", status: "completed" }, { text: "Fix the parser" }]);
  const watching = project.start("watch", "--verify", "done");
  let isWatching = false;
  watching.finds(/(list|Probe)/).then(() => {
    isWatching = true;
  });
  let probes = 0;
  const probe = () => {
    if (!isWatching) write([{ text: `Probe ${probes++}` }], "probe");
    return isWatching;
  };
  await expect.poll(probe, { timeout: 30_000, interval: 100 }).toBe(true);
  expect(project.runs()).toBe(0);
  write([{ text: "Old", status: "completed" }, COMPLETED]);
  await watching.untilPrinted("test did not pass for Fix the parser. The check ended with exit");
  writeFiles(cwd, { "state.txt": "works\n" });
  write([COMPLETED, { text: "Write docs", status: "completed" }], "other");
  await watching.untilPrinted(": reproduced 2 todos");
  watching.child.kill("SIGINT");
  await watching.finished;
  expect(readProofs(home).map(({ id, todo, ok }) => [id.session, todo?.text, ok])).toEqual([
    ["demo", "Fix the parser", false],
    ["other", "Fix the parser", true],
    ["other", "Write docs", true],
  ]);
});

test("reports a missing or untrusted check once, and runs nothing", async () => {
  const project = await newProject("true");
  const { cwd, write, home } = project;
  write([{ text: "First" }]);
  const serving = project.start("serve", "--port", "0", "--no-open", "--verify", "done");
  await serving.untilPrinted("Press Ctrl+C to stop.");
  write([{ text: "First", status: "completed" }, { text: "Second" }]);
  await serving.untilPrinted("No check is defined for");
  writeFiles(cwd, { ".waymark/checks.toml": '[checks]\ntest = "touch canary"\n' });
  write([{ text: "Second", status: "completed" }], "other");
  await serving.untilPrinted("is not trusted");
  await project.approve();
  write([{ text: "Third", status: "completed" }], "last");
  await serving.untilPrinted("test passed in 0s: reproduced Third");
  serving.child.kill("SIGINT");
  const { stderr } = await serving.finished;
  expect(stderr.match(/No check is defined/g)).toHaveLength(1);
  expect(readProofs(home).map(({ todo }) => todo?.text)).toEqual(["Third"]);
});

test("refuses another value", async () => {
  const { run } = await newProject("true");
  for (const command of ["watch", "serve"])
    expect(run([command, "--verify", "always"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Invalid --verify "always". Use one of: done.'),
    });
});
