import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claudeSession } from "./claude-session.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const PLAN = "# Move checkout\n\n1. Add the kit\n2. Move the form\n3. Test\n";
const S = ["--session", "s"];

function propose(text = PLAN) {
  return machine.run(["plan", "propose", "-", ...S], { input: text });
}

const todos = () =>
  (machine.json(["todos", ...S]) as { todos: readonly { text: string; planStep?: string }[] })
    .todos;

describe("a hosted plan", () => {
  test("without steps offers no todos", () => {
    propose("# Look around first\n");
    const [, commands] = machine
      .run(["plan", "show", "s"])
      .stdout.split("Waiting for your decision: ");
    expect(commands).toBe("`waymark plan approve s`, or `waymark plan reject s --comment TEXT`.\n");
  });

  test("is proposed, commented, approved and adopted, which opens the agent's list", () => {
    expect(propose()).toEqual({
      status: 0,
      stdout:
        "Proposed the plan. Decide with `waymark plan approve s` or `waymark plan reject s`\n",
      stderr: "",
    });
    const write = () => machine.tool("todos", { todos: [{ text: "Begin" }] }, ...S);
    expect(write()).toMatchObject({ status: 1 });
    expect(write().stdout).toContain("Your plan is waiting for the user's decision");

    const shown = machine.run(["plan", "show", "s"]).stdout;
    expect(shown).toContain("Plan, proposed\n  # Move checkout\n");
    expect(shown).toContain("Waiting for your decision: `waymark plan approve s`");

    expect(machine.run(["plan", "comment", "Behind a flag", "s", "--step", "2"])).toMatchObject({
      status: 0,
      stdout: "Added the comment; the agent sees it with its next step\n",
    });
    expect(machine.run(["plan", "approve", "s", "--adopt", "--comment", "Go"])).toEqual({
      status: 0,
      stdout: "Approved the plan; the agent can start; 0 of 3 completed; next 1 Add the kit\n",
      stderr: "",
    });
    expect(todos().map(({ text, planStep }) => [text, planStep])).toEqual([
      ["Add the kit", "p1#1"],
      ["Move the form", "p1#2"],
      ["Test", "p1#3"],
    ]);
    expect(machine.tool("todos", {}, ...S).stdout).toContain(
      'The user approved your plan. Its 3 steps are now your todos; start with the first one.\nComment: "Go"\nComment on step 2: "Behind a flag"',
    );
    expect(write()).toMatchObject({ status: 0 });
    expect(machine.json(["plan", "show", ...S])).toMatchObject({
      session: "s",
      hosted: true,
      mode: "work",
      plan: {
        id: "p1",
        state: "approved",
        comment: "Go",
        steps: [{ number: 1, text: "Add the kit" }, { number: 2 }, { number: 3 }],
        comments: [{ text: "Behind a flag", step: 2, by: "user" }],
      },
      history: [
        { what: "plan proposed", by: "agent" },
        { what: "plan comment", by: "user" },
        { what: "plan approved", by: "user" },
        { what: "plan adopted", by: "user" },
      ],
    });
    const history = machine.run(["history", ...S]).stdout;
    expect(history).toContain("plan proposed: # Move checkout");
    expect(history).toContain("plan approved: Go");
  });

  test("is rejected with a reason and replaced by the next one", () => {
    propose();
    expect(machine.run(["plan", "reject", "s", "--comment", "Smaller"]).status).toBe(0);
    expect(machine.run(["plan", "show", "s"]).stdout).toContain("Plan, rejected: Smaller");
    propose("- [ ] One\n");
    expect(machine.json(["plan", "show", ...S])).toMatchObject({
      plan: { id: "p2", state: "proposed" },
    });
  });

  test("refuses invalid decisions with a reason", () => {
    propose();
    const no = (...args: string[]) => {
      const { status, stderr } = machine.run(["plan", ...args]);
      return `${status} ${stderr}`;
    };
    expect(no("adopt", "s")).toBe(
      "1 waymark: The plan is not approved yet. Its steps can become todos after the user approves it.\nNothing was changed.\n",
    );
    expect(no("comment", "x", "s", "--step", "9")).toContain(
      "The plan has no step 9. Number of steps: 3.",
    );
    expect(no("approve", "s", "--session", "t")).toMatch(/^2 .*SESSION and --session differ/s);
    expect(no("show", "nobody")).toBe(
      '1 waymark: No session matches "nobody". `waymark ls --all` lists them.\n',
    );
    machine.run(["todo", "add", "Sweep", "--session", "planless"]);
    expect(no("show", "planless")).toMatch(/^1 .*has no plan\. .*waymark plan propose/s);
    expect(propose("  ")).toMatchObject({ status: 1 });
    expect(machine.run(["plan", "propose", "missing.md", ...S]).status).toBe(3);
    expect(machine.json(["plan", "show", ...S])).toMatchObject({ plan: { state: "proposed" } });
    expect(JSON.parse(machine.run(["plan", "adopt", "s", "--json"]).stdout)).toMatchObject({
      ok: false,
      rejected: [{ code: "conflict" }],
      plan: { state: "proposed" },
    });
  });
});

const A = "3f0c5a52-7b1e-4c0e-9f57-2a64d1f0c9be";

function writeSession(text: string): void {
  const folder = join(machine.root, ".claude", "projects", "-p");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${A}.jsonl`), text);
}

test("shows the plan of an external agent and refuses to decide on it", () => {
  const now = Date.now();
  const session = claudeSession(A, machine.cwd)
    .prompt("Plan it", now - 5_000)
    .call("ExitPlanMode", { plan: "1. Read\n2. Write" }, now - 1_000);
  writeSession(session.text());
  const { stdout } = machine.run(["plan", "show", A]);
  expect(stdout).toContain("1. Read");
  expect(stdout).toContain("Waiting for your decision in the agent.");
  const { status, stderr } = machine.run(["plan", "approve", A]);
  expect(status).toBe(1);
  expect(stderr).toContain("Claude Code asks for the decision on its plan itself. Answer there");
});

test("marks completions that the session file proves as verified", () => {
  const now = Date.now();
  const list = (first: string, second: string) =>
    [
      ["Fix the parser", first],
      ["Write it up", second],
    ] as const;
  const session = claudeSession(A, machine.cwd)
    .prompt("Fix it", now - 60_000)
    .todos(list("in_progress", "pending"), now - 50_000)
    .call("Edit", { file_path: "web/a.ts" }, now - 40_000, "ok")
    .todos(list("completed", "in_progress"), now - 30_000);
  writeSession(session.text());
  expect(machine.run(["todos", "--session", A]).stdout).toContain("✓   Fix the parser");
  session.call("Bash", { command: "cd web && npm test" }, now - 20_000, "ok");
  session.todos(list("completed", "completed"), now - 10_000);
  writeSession(session.text());
  const { stdout } = machine.run(["todos", "--session", A]);
  expect(stdout).toMatch(/✓✓ {2}Fix the parser .*npm test \d\d:\d\d/);
  expect(stdout).toContain("2 verified");
  expect(machine.json(["todos", "--session", A])).toMatchObject({
    progress: { completed: 2, total: 2, percent: 100, verified: 2 },
    todos: [{ check: { command: "npm test" } }, { check: { command: "npm test" } }],
  });
  expect(machine.run(["show", A]).stdout).toContain("verified by: npm test, ");
  expect(machine.run(["history", "--session", A]).stdout).toContain("verified: npm test");
});

test("lists reminders in the history", () => {
  machine.tool("todos", { todos: ["a", "b", "c"].map((text) => ({ text })) }, ...S);
  machine.tool("todos", { finish: ["1", "2", "3"] }, ...S);
  expect(machine.run(["history", ...S]).stdout).toMatch(
    /i\s+reminded: 3 todos are completed, but none is verified/,
  );
  expect(machine.json(["show", "s"])).toMatchObject({
    remarks: [{ what: "reminded", kind: "evidence", by: "agent" }],
  });
  const quiet = { WAYMARK_GUIDANCE: "evidence" };
  const input = JSON.stringify({ todos: ["a", "b", "c"].map((text) => ({ text })) });
  machine.run(["tool", "todos", "--session", "t"], { input, env: quiet });
  const finish = { input: JSON.stringify({ finish: ["1", "2", "3"] }), env: quiet };
  expect(machine.run(["tool", "todos", "--session", "t"], finish).stdout).not.toContain("proves");
});
