import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namedTrack } from "../../src/cli/options/which-track.ts";
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
  readonly says: string;
}

const CASES: readonly Case[] = [
  { what: "wrong JSON", input: '{"todos":[', code: "invalid_json", says: "The input is not JSON" },
  {
    what: "a list that is no array",
    input: { todos: "Write" },
    code: "invalid_input",
    says: "todos is a string; send an array.",
  },
  {
    what: "a text that is no text",
    input: { todos: [item("Read"), { ...item("x"), content: 7 }] },
    code: "invalid_input",
    says: "todos[1].content is a number; send a string.",
  },
  {
    what: "an unknown status",
    input: { todos: [item("Read", "someday")] },
    code: "invalid_input",
    says: 'todos[0].status is "someday"; use one of pending, in_progress, completed.',
  },
  {
    what: "21 todos",
    input: { todos: listOf(21) },
    code: "too_many",
    says: "The list has 21 todos; at most 20 are allowed.",
  },
  {
    what: "a text of 501 characters",
    input: { todos: [item("Read"), { ...item("x"), content: "x".repeat(501) }] },
    code: "too_long",
    says: "todos[1].content has 501 characters; at most 500 are allowed.",
  },
  {
    what: "two in progress",
    input: { todos: [item("Read", "in_progress"), item("Write", "in_progress")] },
    code: "two_active",
    says: '2 todos are in_progress ("Read", "Write"); only one can be.',
  },
  {
    what: "an empty text",
    input: { todos: [{ ...item("x"), content: "  " }] },
    code: "empty_text",
    says: "todos[0].content is empty.",
  },
  {
    what: "an unknown task",
    tool: "todo_write",
    input: op({ op: "start", task: "Fly" }),
    code: "not_found",
    says: '"Fly" not found.',
  },
  {
    what: "an unknown phase",
    tool: "todo_write",
    input: op({ op: "done", phase: "Space" }),
    code: "not_found",
    says: 'Phase "Space" not found.',
  },
  {
    what: "a duplicate append",
    tool: "todo_write",
    input: op({ op: "append", phase: "Todos", items: ["Test"] }),
    code: "already_exists",
    says: '"Test" already exists.',
  },
  {
    what: "an escape sequence in a text",
    input: { todos: [item("\u001b[31mRed")] },
    code: "bad_characters",
    says: "todos[0].content has a control character, U+001B at position 1.",
  },
  {
    what: "a bidirectional override in a text",
    input: { todos: [item("abc\u202edef")] },
    code: "bad_characters",
    says: "todos[0].content has a control character, U+202E at position 4.",
  },
  {
    what: "a __proto__ key",
    input: '{"todos":[],"__proto__":{"polluted":true}}',
    code: "invalid_input",
    says: "__proto__ is not allowed as a field name.",
  },
  {
    what: "1 MB of input",
    input: JSON.stringify({ todos: [item("x".repeat(1024 * 1024))] }),
    code: "too_large",
    says: "The input has more than 524288 bytes",
  },
  {
    what: "JSON nested 10,000 deep",
    input: `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
    code: "too_deep",
    says: "The input is nested more than 32 levels deep.",
  },
];

describe("a tool refuses, says what and where, and changes nothing", () => {
  test.each(CASES)("$what", ({ tool = "TodoWrite", input, code, says }) => {
    const { status, stdout, stderr } = machine.tool(tool, input, "--session", "s", "--json");
    const answer = JSON.parse(stdout);

    expect({ status, stderr, ok: answer.ok }).toEqual({ status: 1, stderr: "", ok: false });
    expect(answer.rejected[0].code).toBe(code);
    expect(answer.rejected[0].message).toContain(says);
    expect(answer.text).toContain(says);
    expect(Object.keys(answer)).toEqual(["ok", "text", "data", "rejected"]);
  });

  test("input that is not UTF-8", () => {
    const input = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    const ran = machine.run(["tool", "todos", "--session", "s"], { input });
    expect(ran).toEqual({
      status: 1,
      stdout: "Nothing was changed. The input is not UTF-8 text. Send JSON in UTF-8.\n",
      stderr: "",
    });
  });

  test("without --json the same is said in words", () => {
    const ran = machine.tool("TodoWrite", { todos: "x" }, "--session", "s");
    expect(ran).toEqual({
      status: 1,
      stdout: "Nothing was changed. todos is a string; send an array.\n",
      stderr: "",
    });
  });

  const ids = ["../s", "..", "a/b", "a\\b", "-x", "a b", "", "s\u001b[31m", "x".repeat(101)];
  test.each(ids)("session %j", (session) => {
    const { status, stdout, stderr } = machine.tool("todos", {}, `--session=${session}`);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^waymark: The session id .*Help: waymark help tool\n$/);
  });

  test("an agent that is a path", () => {
    const ran = machine.run(["todos", "--session", "s", "--agent", "../../x", "--json"]);
    expect({ ...ran, stderr: "" }).toEqual({ status: 2, stdout: "", stderr: "" });
    expect(ran.stderr).toContain('The agent id may hold letters, digits, ".", "_" and "-" only');
  });

  test("NUL in a session id", () => {
    expect(() => namedTrack({ session: "s\0x" })).toThrow("The session id may hold letters");
  });

  const refusedCommands: readonly (readonly [string[], string])[] = [
    [["add", "x".repeat(501)], "todos[0].text has 501 characters"],
    [["add", " "], "todos[0].text is empty"],
    [["add", "ok", "\u001b[2Jx"], "todos[1].text has a control character, U+001B"],
    [["start", "Fly"], 'Todo "Fly" not found. Ids: 1, 2, 3.'],
    [["done", "1", "9"], 'Todo "9" not found'],
    [["drop", "t"], '"t" fits 2 todos: 2 "Write", 3 "Test". Give the id.'],
    [["note", "1", ""], "text is empty"],
    [["edit", "1", "--text", "a\u2067b"], "text has a control character, U+2067"],
  ];
  test.each(refusedCommands)("todo %j", (args, says) => {
    const { status, stdout, stderr } = machine.run(["todo", ...args, "--session", "s"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/Nothing was changed\.\n$/);
  });

  test("a checklist with mistakes: each is named with its line", () => {
    const input = "- [ ] Read\n- [?] Guess\n\n- [x]\nwords\n";
    const ran = machine.run(["todo", "import", "-", "--session", "s"], { input });
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 1, stdout: "" });
    expect(ran.stderr).toContain("Line 2: unknown marker [?]");
    expect(ran.stderr).toContain("Line 4: a todo without text");
    expect(ran.stderr).toContain("1 line is no part of a list");
  });

  test("after all of it the todos and their file are what they were", () => {
    expect(state()).toBe(before);
  });

  test("the history has the refused writes and nothing else that is new", () => {
    const rows = machine.json(["history", "--session", "s"]) as {
      change?: string;
      what?: string;
    }[];
    const others = rows.filter(({ what }) => what !== "list refused");
    expect(others.map(({ change }) => change)).toEqual(["added", "added", "added"]);
    expect(rows.length).toBeGreaterThan(others.length);
  });
});

describe("a refused call on an empty machine", () => {
  test.each([
    ["bad JSON", "{", 1],
    ["bad input", '{"todos":1}', 1],
  ])("%s makes no home", (_, input, status) => {
    const fresh = newMachine();
    try {
      expect(fresh.tool("todos", input, "--session", "new").status).toBe(status);
      expect(fresh.bash("ls -A .. && ls -A ../home").stdout).toBe("bin\nproject\n");
    } finally {
      fresh.remove();
    }
  });

  test("a write that is judged and refused makes no track", () => {
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
