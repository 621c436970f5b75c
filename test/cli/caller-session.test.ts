import { expect, test } from "vitest";
import { claudeSession } from "./claude-session.ts";
import {
  A,
  as,
  B,
  eachOnItsOwn,
  home,
  MINUTE,
  machine,
  type Row,
  SECOND,
  writeSession,
} from "./user-machine.ts";

eachOnItsOwn();

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  machine.run(args, { env: { ...as(home), ...env } });
const session = (id: string, todo: string, age: number) =>
  writeSession(
    id,
    claudeSession(id, machine.cwd)
      .prompt("Go", Date.now() - age)
      .todos([[todo, "pending"]], Date.now() - age)
      .text(),
  );

test.each(["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_SESSION_ID"])(
  "todos uses the session in %s, or fails if it has no list",
  (variable) => {
    session(A, "Of A", MINUTE);
    session(B, "Of B", SECOND);
    expect(run(["todos"], { [variable]: A }).stdout).toContain("Of A");
    const other = "dddddddd-4444-4444-8444-444444444444";
    const none = run(["todos"], { [variable]: other });
    expect(none).toMatchObject({ status: 1, stdout: "" });
    expect(none.stderr).toContain(`Session ${other} has no list`);
  },
);

test("todos prints which of several lists it shows and how to choose", () => {
  session(A, "Of A", MINUTE);
  session(B, "Of B", SECOND);
  const { stdout, stderr } = run(["todos"]);
  expect(stdout).toContain("Of B");
  expect(stderr).toContain(`session ${B}, agent main (the newest of 2 lists here; `);
});

test("todo add writes to the user's own list, never to the list of an agent", () => {
  const hook = (event: string, more: object) =>
    machine.run(["hook", "claude", event], {
      env: as(home),
      input: JSON.stringify({ session_id: A, hook_event_name: event, cwd: machine.cwd, ...more }),
    });
  hook("SessionStart", { source: "startup" });
  hook("UserPromptSubmit", { prompt: "Go" });
  machine.tool(
    "TodoWrite",
    { todos: [{ content: "Of A", status: "pending", activeForm: "A" }] },
    "--session",
    A,
  );
  const added = run(["todo", "add", "Mine"]);
  expect(added).toMatchObject({ status: 0 });
  expect(added.stderr).toContain("--session");
  expect(run(["todos", "--session", A]).stdout).not.toContain("Mine");
  // The second call adds to the same list.
  run(["todo", "add", "Mine too"]);
  const lists = JSON.parse(run(["ls", "--json"]).stdout) as Row[];
  expect(lists.map((each) => [each.session === A, each.progress])).toEqual([
    [false, expect.objectContaining({ total: 2 })],
    [true, expect.objectContaining({ total: 1 })],
  ]);
  expect(run(["todo", "add", "Yours", "--session", A]).status).toBe(0);
  expect(run(["todos", "--session", A]).stdout).toContain("Yours");
});

/** A list that an agent writes with Waymark's tool, and a newer one of the user. */
function twoLists(): string {
  const added = run(["todo", "add", "Mine", "Mine too"]);
  const own = /^session (\S+), agent main/m.exec(added.stderr)?.[1] ?? "";
  agentList(A, "Of A");
  return own;
}

function agentList(id: string, content: string): void {
  const todos = ["first", "second"].map((part) => ({
    content: `${content}, ${part}`,
    status: "pending",
    activeForm: content,
  }));
  expect(machine.tool("TodoWrite", { todos }, "--session", id).status).toBe(0);
}

const listOf = (id: string) => run(["todos", "--session", id, "--json"]).stdout;

test.each([
  ["done", "1"],
  ["start", "1"],
  ["drop", "1"],
  ["block", "1"],
  ["rm", "1"],
  ["note", "1", "A note"],
  ["edit", "1", "--text", "New text"],
  ["move", "1", "2"],
  ["clear"],
])("todo %s without --session changes the user's own list and prints how to choose", (...args) => {
  const own = twoLists();
  const before = { own: listOf(own), agent: listOf(A) };
  const { status, stderr } = run(["todo", ...args]);
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringContaining(
      `session ${own}, agent main (your own of 2 lists here; \`waymark ls --cwd\` lists them, --session selects one)`,
    ),
  });
  expect(listOf(A)).toBe(before.agent);
  expect(listOf(own)).not.toBe(before.own);
});

test("todo done prints which of several lists it changed", () => {
  agentList(A, "Of A");
  const alone = run(["todo", "start", "1"]);
  expect(alone).toMatchObject({ status: 0, stderr: expect.stringContaining(`session ${A}`) });
  expect(alone.stderr).not.toContain("lists here");
  agentList(B, "Of B");
  const { status, stderr } = run(["todo", "done", "1"]);
  expect(status).toBe(0);
  expect(stderr).toContain(
    `session ${B}, agent main (the newest of 2 lists here; \`waymark ls --cwd\` lists them, --session selects one)`,
  );
});

test.each(["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_SESSION_ID"])(
  "todo done changes the session in %s, or nothing",
  (variable) => {
    const own = twoLists();
    agentList(B, "Of B");
    const before = { own: listOf(own), b: listOf(B) };
    const { status, stderr } = run(["todo", "done", "1"], { [variable]: A });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(JSON.parse(listOf(A)).todos[0]).toMatchObject({ status: "completed" });
    const other = "dddddddd-4444-4444-8444-444444444444";
    const none = run(["todo", "done", "1"], { [variable]: other });
    expect(none.status).toBe(1);
    expect(none.stderr).toContain(`Session ${other} has no list`);
    expect({ own: listOf(own), b: listOf(B) }).toEqual(before);
    // --session takes precedence.
    expect(run(["todo", "done", "1", "--session", B], { [variable]: A }).status).toBe(0);
    expect(listOf(B)).not.toBe(before.b);
  },
);
