import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newBoards } from "./boards.ts";
import { describeOnTerminal } from "./tty.ts";

const boards = newBoards();

/** A repository with a script as its check, in the directory of the list. */
function repository(script: string): string {
  const { cwd } = boards.machine;
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd });
  git("init", "-q");
  writeFileSync(join(cwd, "check.sh"), script);
  git("add", "-A");
  git("commit", "-qm", "start");
  return cwd;
}

const add = () => {
  const added = boards.machine.run(["check", "add", "sh check.sh", "--name", "test"]);
  expect(added.status, added.stderr).toBe(0);
};

function list(): void {
  boards.write("yard", [
    ["Rake the leaves", "completed"],
    ["Water the roses", "pending"],
  ]);
}

const open = async () => {
  const tty = boards.board(80, 24);
  await tty.shows("Rake the leaves");
  tty.type("\r");
  await tty.shows("Water the roses");
  tty.type("k");
  await tty.shows("› ✓   Rake the leaves");
  return tty;
};

describeOnTerminal("checks on the board", () => {
  test("v names the command that adds a check, then reproduces the todo", async () => {
    repository("echo all well\n");
    list();
    const tty = await open();
    tty.type("v");
    await tty.shows("waymark check add");
    add();
    tty.type("v");
    await tty.shows("Reproduced: sh check.sh passed");
    await tty.shows("› ✓✓✓ Rake the leaves");
    tty.type("o");
    await tty.shows("all well");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    expect(boards.machine.json(["todos", "--session", "yard"])).toMatchObject({
      todos: [{ evidence: { level: "reproduced", proof: { command: "sh check.sh" } } }, {}],
    });
  });

  test("v shows a failed check and its output, V cancels a running one", async () => {
    const cwd = repository("echo three roses died; exit 3\n");
    list();
    add();
    const tty = await open();
    tty.type("v");
    await tty.shows("Not proven:");
    await tty.shows("› ✗   Rake the leaves");
    tty.type("o");
    await tty.shows("three roses died");
    tty.type("\u001b");
    await tty.shows("Water the roses");
    writeFileSync(join(cwd, "check.sh"), "sleep 60\n");
    tty.type("v");
    await tty.shows("Verifying");
    await tty.shows("sh check.sh");
    tty.type("V");
    await tty.shows("Cancelled.");
    await tty.until((rows) => !rows.join("\n").includes("Verifying"), "no run");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });

  test("C lists the checks that a repository brings along, y trusts one", async () => {
    const cwd = repository("true\n");
    mkdirSync(join(cwd, ".waymark"));
    writeFileSync(join(cwd, ".waymark", "checks.toml"), '[checks.test]\ncommand = "sh check.sh"\n');
    list();
    const tty = await open();
    tty.type("v");
    await tty.shows("Press C to read and trust it.");
    tty.type("C");
    await tty.shows("not trusted");
    await tty.shows(".waymark/checks.toml");
    tty.type("y");
    await tty.shows("Trusted test.");
    tty.type("\u001b");
    await tty.shows("Water the roses");
    tty.type("v");
    await tty.shows("Reproduced: sh check.sh passed");
    tty.type("q");
    expect(await tty.finished).toBe(0);
    rmSync(join(cwd, ".waymark"), { recursive: true });
  });
});
