import { expect, test } from "vitest";
import { newBoards } from "./boards.ts";
import { claudeSession } from "./claude-session.ts";
import { describeOnTerminal } from "./tty.ts";

const boards = newBoards();
const SESSION = "dddddddd-1111-4111-8111-111111111111";
const START = Date.now() - 300_000;
const at = (seconds: number) => START + seconds * 1_000;

const FAILED = [
  "Exit code 1",
  ...Array.from({ length: 50 }, (_, index) => `step ${index + 1}`),
  "\u001b[31m× returns the first result\u001b[39m\u202e\u001b]52;c;aGk=\u0007",
  "AssertionError: expected 201 to be 200",
  ...Array.from({ length: 30 }, (_, index) => `more ${index + 1}`),
  "postgres://ann:hunter2@db.test/shop",
].join("\n");

function transcript(): void {
  const text = claudeSession(SESSION, "/srv/ledger")
    .prompt("Refund every payment once", at(0))
    .todos([["Return the first result", "in_progress"]], at(1))
    .call("Bash", { command: "git status" }, at(2), "clean")
    .failed("Bash", { command: "npm test" }, at(3), FAILED)
    .text();
  boards.home.write(`.claude/projects/-srv/${SESSION}.jsonl`, text);
}

const run = (...args: readonly string[]) =>
  boards.machine.run(["show", SESSION, "--home", boards.home.path, ...args]);

test("show --call prints a call with its output, and says why it cannot", () => {
  transcript();
  const last = run("--call", "last");
  expect(last.stderr).toBe("");
  expect(last.stdout).toMatch(
    /^Bash: failed · exit code 1 · 0s? · \d\d:\d\d\n {2}npm test\n\nExit code 1\nstep 1\n/,
  );
  expect(last.stdout).toContain("× returns the first result\\u{202e}\nAssertionError");
  expect(last.stdout).toContain("postgres://ann:...@db.test/shop");
  expect(JSON.parse(run("--call", "toolu_2", "--json").stdout)).toMatchObject({
    callId: "toolu_2",
    name: "Bash",
    input: "git status",
    ok: true,
    output: { head: "clean" },
    durationMs: 0,
  });
  const missing = run("--call", "toolu_9");
  expect(missing.status).toBe(1);
  expect(missing.stderr).toContain('has no call "toolu_9"');
  boards.machine.run(["todo", "add", "Paint", "--session", "own"]);
  const own = boards.machine.run(["show", "own", "--call", "last"]);
  expect(own.status).toBe(1);
  expect(own.stderr).toContain("Waymark has no file of the agent of session own");
});

describeOnTerminal("a call on the board", () => {
  test("o opens the last call at its first failure, n and [ move on", async () => {
    transcript();
    const tty = boards.board(80, 24);
    await tty.shows("Refund every payment once");
    tty.type("\r");
    await tty.shows("Return the first result");
    tty.type("o");
    await tty.shows("× returns the first result");
    await tty.shows("first failure at 52");
    await tty.shows("exit 1");
    await tty.shows("line 49 of 84");
    tty.type("n");
    await tty.shows("line 52 of 84");
    tty.type("n");
    await tty.shows("line 53 of 84");
    tty.type("[");
    await tty.shows("git status");
    await tty.shows("clean");
    tty.type("]");
    await tty.shows("× returns the first result");
    tty.type("\u001b");
    await tty.shows("o output");
    tty.type("q");
    expect(await tty.finished).toBe(0);
  });
});
