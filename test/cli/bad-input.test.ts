import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namedTrack } from "../../src/cli/options/track-selection.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;

const item = (content: string, status = "pending") => ({ content, status, activeForm: content });
const listOf = (count: number) => Array.from({ length: count }, (_, n) => item(`Step ${n}`));
const op = (fields: object) => ({ ops: [fields] });

function state(): string {
  const { todos } = machine.json(["todos", "--session", "s"]) as { readonly todos: unknown };
  return `${JSON.stringify(todos)}\n${machine.snapshot("s")}`;
}

let before: string;

beforeAll(() => {
  machine = newMachine();
  const list = { todos: [item("Read", "completed"), item("Write", "in_progress"), item("Test")] };
  expect(machine.tool("TodoWrite", list, "--session", "s").status).toBe(0);
  before = state();
});

afterAll(() => machine.remove());

interface Case {
  readonly what: string;
  readonly tool?: string;
  readonly input: unknown;
  readonly code: string;
  readonly message: string;
}

const CASES: readonly Case[] = [
  {
    what: "wrong JSON",
    input: '{"todos":[',
    code: "invalid_json",
    message: "The input is not valid JSON",
  },
  {
    what: "a list that is no array",
    input: { todos: "Write" },
    code: "invalid_input",
    message: "todos must be an array, not a string.",
  },
  {
    what: "a text that is not a string",
    input: { todos: [item("Read"), { ...item("x"), content: 7 }] },
    code: "invalid_input",
    message: "todos[1].content must be a string, not a number.",
  },
  {
    what: "an unknown status",
    input: { todos: [item("Read", "someday")] },
    code: "invalid_input",
    message: 'todos[0].status must be pending, in_progress or completed, not "someday".',
  },
  {
    what: "21 todos",
    input: { todos: listOf(21) },
    code: "too_many",
    message: "The list has 21 todos; the limit is 20.",
  },
  {
    what: "a text of 501 characters",
    input: { todos: [item("Read"), { ...item("x"), content: "x".repeat(501) }] },
    code: "too_long",
    message: "todos[1].content has 501 characters; the limit is 500. Shorten it.",
  },
  {
    what: "two in progress",
    input: { todos: [item("Read", "in_progress"), item("Write", "in_progress")] },
    code: "two_active",
    message: '2 todos are in_progress: "Read", "Write".',
  },
  {
    what: "an empty text",
    input: { todos: [{ ...item("x"), content: "  " }] },
    code: "empty_text",
    message: "todos[0].content is empty.",
  },
  {
    what: "an unknown task",
    tool: "todo_write",
    input: op({ op: "start", task: "Fly" }),
    code: "not_found",
    message: '"Fly" not found.',
  },
  {
    what: "an unknown phase",
    tool: "todo_write",
    input: op({ op: "done", phase: "Space" }),
    code: "not_found",
    message: 'Phase "Space" not found.',
  },
  {
    what: "a duplicate append",
    tool: "todo_write",
    input: op({ op: "append", phase: "Todos", items: ["Test"] }),
    code: "already_exists",
    message: '"Test" already exists.',
  },
  {
    what: "an escape sequence in a text",
    input: { todos: [item("\u001b[31mRed")] },
    code: "bad_characters",
    message: "todos[0].content contains a control character: U+001B at position 1.",
  },
  {
    what: "a bidirectional override in a text",
    input: { todos: [item("abc\u202edef")] },
    code: "bad_characters",
    message: "todos[0].content contains a control character: U+202E at position 4.",
  },
  {
    what: "a __proto__ key",
    input: '{"todos":[],"__proto__":{"polluted":true}}',
    code: "invalid_input",
    message: "__proto__ is not allowed as a field name.",
  },
  {
    what: "1 MB of input",
    input: JSON.stringify({ todos: [item("x".repeat(1024 * 1024))] }),
    code: "too_large",
    message: "The input has more than 524288 bytes",
  },
  {
    what: "JSON nested 10,000 deep",
    input: `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
    code: "too_deep",
    message: "The input is nested more than 32 levels deep.",
  },
];

describe("refused input names the problem and changes nothing", () => {
  test.each(CASES)("$what", ({ tool = "TodoWrite", input, code, message }) => {
    const { status, stdout, stderr } = machine.tool(tool, input, "--session", "s", "--json");
    const answer = JSON.parse(stdout);

    expect({ status, stderr, ok: answer.ok }).toEqual({ status: 1, stderr: "", ok: false });
    expect(answer.rejected[0].code).toBe(code);
    expect(answer.rejected[0].message).toContain(message);
    expect(answer.text).toContain(message);
    expect(Object.keys(answer)).toEqual(["ok", "text", "data", "rejected"]);
  });

  test("input that is not UTF-8", () => {
    const input = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    const ran = machine.run(["tool", "todos", "--session", "s"], { input });
    expect(ran).toEqual({
      status: 1,
      stdout: "The input is not UTF-8 text. Send JSON in UTF-8. Nothing was changed.\n",
      stderr: "",
    });
  });

  test("prints the message without --json", () => {
    const ran = machine.tool("TodoWrite", { todos: "x" }, "--session", "s");
    expect(ran).toEqual({
      status: 1,
      stdout: "todos must be an array, not a string. Nothing was changed.\n",
      stderr: "",
    });
  });

  const ids = ["../s", "..", "a/b", "a\\b", "-x", "a b", "", "s\u001b[31m", "x".repeat(101)];
  test.each(ids)("session %j", (session) => {
    const { status, stdout, stderr } = machine.tool("todos", {}, `--session=${session}`);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^waymark: Invalid id ".*"\. The session id .*\n$/);
  });

  test("an agent id that is a path", () => {
    const ran = machine.run(["todos", "--session", "s", "--agent", "../../x", "--json"]);
    expect({ ...ran, stderr: "" }).toEqual({ status: 2, stdout: "", stderr: "" });
    expect(ran.stderr).toContain('The agent id may contain only letters, digits, ".", "_" and "-"');
  });

  test("NUL in a session id", () => {
    expect(() => namedTrack({ session: "s\0x" })).toThrow(
      "The session id may contain only letters",
    );
  });

  const refusedCommands: readonly (readonly [string[], string])[] = [
    [["add", "x".repeat(501)], "todos[0].text has 501 characters"],
    [["add", " "], "todos[0].text is empty"],
    [["add", "ok", "\u001b[2Jx"], "todos[1].text contains a control character: U+001B"],
    [["start", "Fly"], 'No todo matches "Fly". Ids: 1, 2, 3.'],
    [["done", "1", "9"], 'No todo has the id "9".'],
    [["drop", "t"], '"t" matches 2 todos: 2 "Write", 3 "Test". Send the id.'],
    [["note", "1", ""], "text is empty"],
    [["edit", "1", "--text", "a\u2067b"], "text contains a control character: U+2067"],
  ];
  test.each(refusedCommands)("todo %j", (args, message) => {
    const { status, stdout, stderr } = machine.run(["todo", ...args, "--session", "s"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/Nothing was changed\.\n$/);
  });

  test("a checklist with mistakes, each named by its line", () => {
    const input = "- [ ] Read\n- [?] Guess\n\n- [x]\nwords\n";
    const ran = machine.run(["todo", "import", "-", "--session", "s"], { input });
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 1, stdout: "" });
    expect(ran.stderr).toContain("Line 2: unknown marker [?]");
    expect(ran.stderr).toContain("Line 4: a todo without text");
    expect(ran.stderr).toContain("Ignored 1 line that is not part of a checklist.");
  });

  test("leaves the todos and their JSON copy unchanged", () => {
    expect(state()).toBe(before);
  });

  test("adds only the refused writes to the history", () => {
    const rows = machine.json(["history", "--session", "s"]) as {
      change?: string;
      what?: string;
    }[];
    const others = rows.filter(({ what }) => what !== "list refused");
    expect(others.map(({ change }) => change)).toEqual(["added", "added", "added"]);
    expect(rows.length).toBeGreaterThan(others.length);
  });
});

describe("a refused call without a store", () => {
  test.each([
    ["bad JSON", "{", 1],
    ["bad input", '{"todos":1}', 1],
  ])("creates no home directory: %s", (_, input, status) => {
    const fresh = newMachine();
    try {
      expect(fresh.tool("todos", input, "--session", "new").status).toBe(status);
      expect(fresh.bash("ls -A .. && ls -A ../home").stdout).toBe("bin\nproject\n");
    } finally {
      fresh.remove();
    }
  });

  test("creates no track for a refused write", () => {
    const fresh = newMachine();
    try {
      const two = { todos: [item("A", "in_progress"), item("B", "in_progress")] };
      expect(fresh.tool("TodoWrite", two, "--session", "new").status).toBe(1);
      expect(fresh.json(["ls"])).toEqual([]);
      expect(fresh.bash("ls -A ../home/todos 2>/dev/null").stdout).toBe("");
    } finally {
      fresh.remove();
    }
  });
});
