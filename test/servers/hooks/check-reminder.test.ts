import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../git/repositories.ts";
import { newProject, type Project, RECORDED, SESSION, work } from "./project.ts";

const [, PROMPT = {}] = RECORDED;
let calls = 0;

const after = (tool_name: string, tool_input: object, tool_response: unknown = "text") => ({
  ...PROMPT,
  hook_event_name: "PostToolUse",
  tool_name,
  tool_use_id: `t${calls++}`,
  tool_input,
  tool_response,
});
const read = () => after("Read", { file_path: "state.txt" });
const write = (...statuses: readonly string[]) => {
  const todos = statuses.map((status, index) => ({
    content: `Step ${index}`,
    activeForm: "Doing it",
    status,
  }));
  return after("TodoWrite", { todos }, { oldTodos: [], newTodos: todos });
};

const contextIn = (answer: string): string =>
  JSON.parse(answer).hookSpecificOutput.additionalContext.split("\n").slice(1, -1).join("\n");
const dueOf = ({ machine }: Project) => readFileSync(join(machine.home, "due", SESSION), "utf8");
const spooled = ({ machine }: Project) =>
  readdirSync(join(machine.home, "spool")).filter((name) => name.startsWith(SESSION));
const statusLine = ({ machine }: Project) =>
  machine.run(["statusline", "--width", "80", "--ascii"], {
    env: { NO_COLOR: "1" },
    input: JSON.stringify({ session_id: SESSION }),
  }).stdout;
const levels = ({ machine }: Project) =>
  (
    machine.json(["todos", "--session", SESSION]) as {
      readonly todos: readonly { readonly evidence: { readonly level: string } }[];
    }
  ).todos.map(({ evidence }) => evidence.level);

test("sends a failed run once at the next step, and the status line follows each run", async () => {
  const project = await newProject("cat state.txt; grep -q works state.txt");
  const { machine, cwd, hook } = project;
  work(project, {});
  expect(hook(read(), {})).toBe("");
  expect(dueOf(project)).toMatch(/^[2-9] 0 /);
  const before = statusLine(project);
  expect(machine.run(["verify", SESSION]).status).toBe(1);
  expect(dueOf(project)).toMatch(/^1 1 /);
  expect(contextIn(hook(read(), {}))).toBe(
    [
      "Waymark ran a check on your files, and it does not prove 3 completed todos.",
      'The check "test" failed with exit code 1.',
      'Its last lines: "broken"',
      '[x] "Write the parser"',
      '[x] "Add tests"',
      '[x] "Update the docs"',
      "Fix the cause, or reopen the todos that are not done.",
    ].join("\n"),
  );
  // Nothing more to send: the event is only spooled, without starting the program.
  expect([hook(read(), {}), spooled(project).length]).toEqual(["", 1]);
  // The same files again.
  expect(machine.run(["verify", SESSION]).status).toBe(1);
  expect(hook(read(), {})).toBe("");
  writeFiles(cwd, { "state.txt": "works\n" });
  expect(machine.run(["verify", SESSION]).status).toBe(0);
  expect(hook(read(), {})).toBe("");
  expect(levels(project)).toEqual(Array(3).fill("reproduced"));
  expect([before, statusLine(project)]).toEqual([
    "| [===] 3/3 finished, nothing verified\n",
    "| [###] 3/3 finished\n",
  ]);
  const history = machine.json(["history", "--session", SESSION]) as readonly { kind?: string }[];
  expect(history.filter(({ kind }) => kind === "check")).toHaveLength(1);
});

test("sends the warnings of a run that passed, once", async () => {
  const project = await newProject("true");
  const { machine, cwd, hook } = project;
  writeFiles(cwd, { "a.test.js": 'it.skip("adds", () => {\n  expect(1 + 1).toBe(2);\n});\n' });
  work(project, {});
  machine.run(["verify", SESSION]);
  const text = contextIn(hook(read(), {}));
  expect(text.split("\n")).toEqual([
    "The checks themselves were changed during this work:",
    String.raw`- A test is skipped: "a.test.js", line 1: "it.skip(\"adds\", () =\u003e {"`,
    "The user sees these lines beside the evidence. Undo them, or tell the user why they are right.",
  ]);
  machine.run(["verify", SESSION]);
  expect(hook(read(), {})).toBe("");
  expect(statusLine(project)).toBe("| [===] 3/3 finished, nothing verified\n");
});

test("sends signs in the edits with the completion, once", async () => {
  const project = await newProject("true");
  const { hook } = project;
  for (const event of RECORDED.slice(0, 2)) hook(event, {});
  hook(write("in_progress", "pending"), {});
  const edit = {
    file_path: "a.test.js",
    old_string: 'it("adds", () => {',
    new_string: 'it.skip("adds", () => {',
  };
  expect(hook(after("Edit", edit), {})).toBe("");
  expect(hook(read(), {})).toBe("");
  expect(contextIn(hook(write("completed", "in_progress"), {}))).toContain(
    '- A test is skipped: "a.test.js"',
  );
  expect(hook(write("completed", "completed"), {})).toBe("");
});

test("sends neither with WAYMARK_GUIDANCE=check", async () => {
  const project = await newProject("false");
  work(project, {});
  project.machine.run(["verify", SESSION]);
  expect(project.hook(read(), { WAYMARK_GUIDANCE: "check" })).toBe("");
});
