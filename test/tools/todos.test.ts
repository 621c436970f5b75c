import { describe, expect, it } from "vitest";
import { call, lines, type MemoryList, newList, prepare, shown } from "./call.ts";

function started(): MemoryList {
  const list = newList();
  call(list, "todos", {
    todos: [
      { text: "Write the parser", status: "in_progress", activeText: "Writing the parser" },
      { text: "Write the tests" },
      { text: "Ship it" },
    ],
  });
  return list;
}

const patch = (input: unknown, list = started()) => ({ list, ...call(list, "todos", input) });

describe("todos: replace and read", () => {
  it("answers a replaced list with all todos and their ids", () => {
    const result = call(newList(), "todos", {
      todos: [
        { text: "Cut", status: "in_progress", activeText: "Cutting" },
        { text: "Sew" },
        { text: "Pack", status: "blocked" },
      ],
    });
    expect(result).toEqual({
      ok: true,
      text: lines('1 [>] "Cut" <- "Cutting"', '2 [ ] "Sew"', '3 [!] "Pack"', "0 of 3 done."),
      data: {
        todos: [
          { id: "1", text: "Cut", status: "in_progress", activeText: "Cutting" },
          { id: "2", text: "Sew", status: "pending" },
          { id: "3", text: "Pack", status: "blocked" },
        ],
        progress: { completed: 0, total: 3, percent: 0, verified: 0 },
        current: { id: "1", text: "Cut", status: "in_progress" },
        next: { id: "2", text: "Sew", status: "pending" },
      },
      rejected: [],
    });
  });

  it("returns the list without arguments and records nothing", () => {
    const list = started();
    const before = list.read();
    const { text } = call(list, "todos", {});
    expect(text).toBe(
      lines(
        '1 [>] "Write the parser" <- "Writing the parser"',
        '2 [ ] "Write the tests"',
        '3 [ ] "Ship it"',
        "0 of 3 done.",
      ),
    );
    expect(list.read()).toEqual(before);
  });

  it("returns an empty list", () => {
    expect(call(newList(), "todos", {})).toEqual({
      ok: true,
      text: "The list is empty.",
      data: {
        todos: [],
        progress: { completed: 0, total: 0, percent: 0, verified: 0 },
        current: null,
        next: null,
      },
      rejected: [],
    });
  });
});

describe("todos: changes", () => {
  it("answers a change with the changed, current and next todo and the progress", () => {
    const { list, ok, text, data } = patch({ finish: ["1"], start: "2", evidence: "npm test" });
    expect({ ok, text, data }).toEqual({
      ok: true,
      text: lines(
        '1 [x] "Write the parser"',
        '2 [>] "Write the tests"',
        'Next: 3 [ ] "Ship it"',
        "1 of 3 done.",
      ),
      data: {
        changed: [
          { id: "1", text: "Write the parser", status: "completed" },
          { id: "2", text: "Write the tests", status: "in_progress" },
        ],
        current: { id: "2", text: "Write the tests", status: "in_progress" },
        next: { id: "3", text: "Ship it", status: "pending" },
        progress: { completed: 1, total: 3, percent: 33, verified: 0 },
      },
    });
    expect(list.get()[0]?.evidence).toEqual(["npm test"]);
  });

  it.each([
    ["start by id", { start: "2" }, ["1 [ ] Write the parser", "2 [>] Write the tests"]],
    [
      "start by text",
      { start: "Write the tests" },
      ["1 [ ] Write the parser", "2 [>] Write the tests"],
    ],
    [
      "start by a part of it",
      { start: "TESTS" },
      ["1 [ ] Write the parser", "2 [>] Write the tests"],
    ],
    ["finish", { finish: ["1", "2"] }, ["1 [x] Write the parser", "2 [x] Write the tests"]],
    ["drop", { drop: ["2"] }, ["1 [>] Write the parser", "2 [-] Write the tests"]],
    [
      "block",
      { block: { todo: "2", reason: "no data" } },
      ["1 [>] Write the parser", "2 [!] Write the tests"],
    ],
    [
      "finish and drop",
      { finish: ["1"], drop: ["2"] },
      ["1 [x] Write the parser", "2 [-] Write the tests"],
    ],
  ])("%s", (_, input, expected) => {
    const { list, ok } = patch(input);
    expect({ ok, list: shown(list) }).toEqual({ ok: true, list: [...expected, "3 [ ] Ship it"] });
  });

  it("appends new todos in order", () => {
    const { list, text } = patch({ add: ["Wave", "Go home"] });
    expect(shown(list).slice(3)).toEqual(["4 [ ] Wave", "5 [ ] Go home"]);
    expect(text).toBe(
      lines(
        '4 [ ] "Wave"',
        '5 [ ] "Go home"',
        '1 [>] "Write the parser"',
        'Next: 2 [ ] "Write the tests"',
        "0 of 5 done.",
      ),
    );
  });

  it("starts a todo that the same call adds", () => {
    const { list } = patch({ finish: ["1"], add: ["Fix the bug"], start: "Fix the bug" });
    expect(shown(list)[3]).toBe("4 [>] Fix the bug");
  });

  it("attaches a note to the named or the current todo", () => {
    const { list } = patch({ note: { todo: "2", text: "slow" } });
    call(list, "todos", { note: "LL(1)" });
    expect(list.get().map(({ notes }) => notes)).toEqual([["LL(1)"], ["slow"], undefined]);
  });

  it("attaches a note to the todo that the same call starts", () => {
    const { list } = patch({ finish: ["1"], start: "2", note: "slow" });
    expect(list.get().map(({ notes }) => notes)).toEqual([undefined, ["slow"], undefined]);
  });

  it("stores the reason of a block and the evidence of a drop", () => {
    const { list } = patch({
      block: { todo: "2", reason: "no data" },
      drop: ["3"],
      evidence: "n/a",
    });
    expect(list.get().slice(1)).toMatchObject([
      { status: "blocked", blocker: "no data" },
      { status: "cancelled", evidence: ["n/a"] },
    ]);
  });

  it("shows six of many changes and counts the rest", () => {
    const add = Array.from({ length: 9 }, (_, n) => `Step ${n}`);
    const { text } = call(newList(), "todos", { add });
    expect(text.split("\n").slice(5)).toEqual([
      '6 [ ] "Step 5"',
      "… and 3 more changed.",
      "0 of 9 done.",
    ]);
  });
});

describe("todos: accepted variants of the input", () => {
  it.each([
    ["a number for an id", { finish: [1] }, { finish: ["1"] }],
    ["one value for a list", { finish: "1" }, { finish: ["1"] }],
    ["one number for a list", { drop: 2 }, { drop: ["2"] }],
    ["one text to add", { add: "Wave" }, { add: ["Wave"] }],
    ["a number to start", { start: 2 }, { start: "2" }],
    ["a list of one to start", { start: ["2"] }, { start: "2" }],
    ["a list of one number to start", { start: [2] }, { start: "2" }],
    ["a text for a note", { note: "hm" }, { note: { text: "hm" } }],
    ["a number in a note", { note: { todo: 2, text: "hm" } }, { note: { todo: "2", text: "hm" } }],
    [
      "content and activeForm",
      { todos: [{ content: "Ask", activeForm: "Asking", status: "in_progress" }] },
      { todos: [{ text: "Ask", activeText: "Asking", status: "in_progress" }] },
    ],
    [
      "a block and its reason as an object",
      { block: { todo: "2", reason: "no key" } },
      { block: "2", reason: "no key" },
    ],
    ["an empty reason in a block", { block: { todo: "2", reason: null } }, { block: "2" }],
    ["an id for a block", { block: "2" }, { block: { todo: "2" } }],
    ["a number for a block", { block: 2 }, { block: { todo: "2" } }],
    ["a number in a block", { block: { todo: 2 } }, { block: { todo: "2" } }],
    [
      "null for what is left out",
      { todos: null, start: "2", finish: null, note: null, evidence: null },
      { start: "2" },
    ],
    ["null for everything", { todos: null, start: null }, {}],
    ["texts for todos", { todos: ["Ask", "Wait"] }, { todos: [{ text: "Ask" }, { text: "Wait" }] }],
  ])("accepts %s", (_, sent, meant) => {
    const one = patch(sent);
    const other = patch(meant);
    expect(one.rejected).toEqual([]);
    expect(one.text).toBe(other.text);
    expect(one.list.get()).toEqual(other.list.get());
  });
});

describe("todos: refusals", () => {
  it.each([
    [
      "list and changes at once",
      { todos: [], start: "1" },
      "invalid_input",
      "Send either todos, which replaces the list, or single changes, not both in one call.",
    ],
    [
      "evidence without anything closed",
      { start: "2", evidence: "x" },
      "invalid_input",
      "evidence needs finish or drop in the same call.",
    ],
    [
      "an unknown field",
      { finnish: ["1"] },
      "invalid_input",
      'Unknown field "finnish". Valid fields: todos, start, finish, evidence, drop, block, reason, add, note.',
    ],
    [
      "an unknown status",
      { todos: [{ text: "a", status: "done" }] },
      "invalid_input",
      'todos[0].status must be pending, in_progress, completed, cancelled or blocked, not "done".',
    ],
    ["an unknown id", { start: "9" }, "not_found", 'No todo has the id "9". Ids: 1, 2, 3.'],
    [
      "a part that fits two",
      { start: "write" },
      "ambiguous",
      '"write" matches 2 todos: 1 "Write the parser", 2 "Write the tests". Send the id.',
    ],
    ["an empty todo", { add: ["Wave", " "] }, "empty_text", "add[1].text is empty."],
    ["an empty note", { note: { todo: "1", text: " " } }, "empty_text", "note is empty."],
    [
      "a note that is a number",
      { note: 5 },
      "invalid_input",
      "note must be a string, not a number.",
    ],
    ["an empty start", { start: "" }, "not_found", 'No todo matches "". Ids: 1, 2, 3.'],
    [
      "two in progress",
      {
        todos: [
          { text: "a", status: "in_progress" },
          { text: "b", status: "in_progress" },
        ],
      },
      "two_active",
      '2 todos are in_progress: "a", "b". Keep one in_progress and send the others as pending.',
    ],
  ])("refuses %s, and applies no valid part of the same call", (_, input, code, message) => {
    const list = started();
    const before = list.read();
    expect(call(list, "todos", input)).toEqual({
      ok: false,
      text: `${message} Nothing was changed.`,
      data: null,
      rejected: [{ code, message }],
    });
    expect(list.read()).toEqual(before);
  });

  it("refuses the whole call if one of several ids is unknown", () => {
    const list = started();
    const before = list.read();
    expect(call(list, "todos", { finish: ["1", "9"], add: ["Wave"] }).ok).toBe(false);
    expect(list.read()).toEqual(before);
  });

  it("refuses a note if no todo is in progress", () => {
    const list = prepare(newList(), { op: "replace", todos: [{ text: "Cut" }] });
    expect(call(list, "todos", { note: "hm" }).rejected).toEqual([
      {
        code: "invalid_input",
        message: "No todo is in progress to attach the note to. Start one in the same call.",
      },
    ]);
  });

  it("names five of many problems and counts the rest", () => {
    const todos = Array.from({ length: 8 }, () => ({ text: "" }));
    const { text, rejected } = call(newList(), "todos", { todos });
    expect(rejected).toHaveLength(8);
    expect(text).toBe(
      "todos[0].text is empty. todos[1].text is empty. todos[2].text is empty. todos[3].text is empty. todos[4].text is empty. … and 3 more. Nothing was changed.",
    );
  });
});
