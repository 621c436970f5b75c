import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, todoTools, viewOf } from "../../src/index.ts";
import { definitionOf } from "../../src/tools/tool.ts";
import { call, lines, type MemoryList, newList, ops, shown, toolOf } from "../tools/call.ts";

const TWO_PHASES = {
  op: "init",
  list: [
    { phase: "Build", items: ["Cut", "Sew"] },
    { phase: "Ship", items: ["Pack"] },
  ],
};

function started(...more: readonly unknown[]): MemoryList {
  const list = newList();
  const { ok, text } = ops(list, TWO_PHASES, ...more);
  if (!ok) throw new Error(text);
  return list;
}

function phases(list: MemoryList): unknown {
  const { data } = ops(list, { op: "view" });
  return (data as { phases: unknown }).phases;
}

const REST = { name: "Ship", tasks: [{ content: "Pack", status: "pending" }] };

describe("op tool, op table", () => {
  it("op tool, init: replaces the entire list, all pending before normalisation", () => {
    const list = started();
    ops(list, { op: "init", list: [{ phase: "New", items: ["Draw", "Paint"] }] });
    expect(phases(list)).toEqual([
      {
        name: "New",
        tasks: [
          { content: "Draw", status: "in_progress" },
          { content: "Paint", status: "pending" },
        ],
      },
    ]);
  });

  it("op tool, start: one task becomes active, any other active one pending", () => {
    const list = started({ op: "start", task: "Pack" });
    expect(shown(list)).toEqual(["1 [ ] Cut", "2 [ ] Sew", "3 [>] Pack"]);
  });

  it.each([
    ["done", "x"],
    ["drop", "-"],
  ])("op tool, %s: a task, a phase, or all", (op, mark) => {
    expect(shown(started({ op, task: "Sew" }))).toEqual([
      "1 [>] Cut",
      `2 [${mark}] Sew`,
      "3 [ ] Pack",
    ]);
    expect(shown(started({ op, phase: "Build" }))).toEqual([
      `1 [${mark}] Cut`,
      `2 [${mark}] Sew`,
      "3 [>] Pack",
    ]);
    expect(shown(started({ op }))).toEqual([
      `1 [${mark}] Cut`,
      `2 [${mark}] Sew`,
      `3 [${mark}] Pack`,
    ]);
  });

  it("op tool, rm: a task, a phase's tasks, or all", () => {
    expect(shown(started({ op: "rm", task: "Cut" }))).toEqual(["2 [>] Sew", "3 [ ] Pack"]);
    expect(shown(started({ op: "rm", phase: "Build" }))).toEqual(["3 [>] Pack"]);
    expect(shown(started({ op: "rm" }))).toEqual([]);
  });

  it("op tool, append: new pending tasks at the end of their phase", () => {
    const list = started({ op: "append", phase: "Build", items: ["Iron", "Fold"] });
    expect(phases(list)).toEqual([
      {
        name: "Build",
        tasks: [
          { content: "Cut", status: "in_progress" },
          { content: "Sew", status: "pending" },
          { content: "Iron", status: "pending" },
          { content: "Fold", status: "pending" },
        ],
      },
      REST,
    ]);
  });

  it("op tool, append: is the only op that creates a missing phase", () => {
    const list = started({ op: "append", phase: "Party", items: ["Dance"] });
    expect(phases(list)).toMatchObject([{ name: "Build" }, { name: "Ship" }, { name: "Party" }]);
    for (const op of ["done", "drop", "rm", "block", "unblock"])
      expect(ops(list, { op, phase: "Nowhere" }).rejected).toMatchObject([{ code: "not_found" }]);
  });

  it("op tool, note: one note is added, its trailing white space is stripped", () => {
    const list = started(
      { op: "note", task: "Sew", text: "  needs thread \n\n " },
      { op: "note", task: "Sew", text: "two\nlines" },
    );
    expect(list.get()[1]?.notes).toEqual(["  needs thread", "two\nlines"]);
  });

  it("block and unblock: a task waits with its reason and then continues", () => {
    const list = started({ op: "block", task: "Cut", reason: "no scissors" });
    expect(phases(list)).toEqual([
      {
        name: "Build",
        tasks: [
          { content: "Cut", status: "blocked", blocker: "no scissors" },
          { content: "Sew", status: "in_progress" },
        ],
      },
      REST,
    ]);
    ops(list, { op: "unblock", phase: "Build" });
    expect(shown(list)).toEqual(["1 [ ] Cut", "2 [>] Sew", "3 [ ] Pack"]);
    expect(list.get()[0]?.blocker).toBeUndefined();
  });

  it("block ignores closed tasks, unblock ignores tasks that are not blocked", () => {
    const list = started({ op: "done", task: "Cut" }, { op: "block", task: "Cut" });
    expect(shown(list)).toEqual(["1 [x] Cut", "2 [>] Sew", "3 [ ] Pack"]);
    ops(list, { op: "unblock", task: "Sew" });
    expect(shown(list)).toEqual(["1 [x] Cut", "2 [>] Sew", "3 [ ] Pack"]);
  });

  it("view: reads and changes nothing", () => {
    const list = started();
    const before = list.read();
    expect(ops(list, { op: "view" })).toMatchObject({ ok: true, rejected: [] });
    expect(list.read()).toEqual(before);
  });
});

describe("op tool, targeting rules", () => {
  it.each(["done", "drop", "rm"])("op tool, %s: task beats phase", (op) => {
    const list = started({ op, task: "Pack", phase: "Build" });
    expect(shown(list).slice(0, 2)).toEqual(["1 [>] Cut", "2 [ ] Sew"]);
    expect(list.get()[2]?.status).toBe({ done: "completed", drop: "cancelled" }[op]);
  });

  it("op tool: note only targets a single task, a phase does not stand in for it", () => {
    const list = started();
    expect(ops(list, { op: "note", phase: "Build", text: "hm" }).rejected).toEqual([
      { code: "missing_field", message: "ops[0]: note needs task, the content of a task." },
    ]);
  });

  it("op tool: init discards the former phases entirely", () => {
    const list = started({ op: "init", list: [{ phase: "Only", items: ["This"] }] });
    expect(phases(list)).toMatchObject([{ name: "Only" }]);
  });

  it.each(["done", "drop", "rm"])("op tool, %s: an empty name never means every task", (op) => {
    const list = started();
    const before = list.read();
    expect(ops(list, { op, task: "" }).rejected).toEqual([
      { code: "missing_field", message: `ops[0]: ${op} needs task, the content of a task.` },
    ]);
    expect(ops(list, { op, phase: "" }).rejected).toEqual([
      { code: "missing_field", message: `ops[0]: ${op} needs phase, a phase name.` },
    ]);
    expect(list.read()).toEqual(before);
  });
});

describe("op tool, errors: each message of the list has its counterpart", () => {
  const empty = " (the list is empty: begin with init)";
  it.each([
    ["missing list", { op: "init" }, "missing_field", "init needs list."],
    [
      "missing task content, start",
      { op: "start" },
      "missing_field",
      "start needs task, the content of a task.",
    ],
    [
      "missing task content, note",
      { op: "note", text: "x" },
      "missing_field",
      "note needs task, the content of a task.",
    ],
    [
      "task not found",
      { op: "start", task: "Fly" },
      "not_found",
      'Task "Fly" not found. Tasks: "Cut", "Sew", "Pack".',
    ],
    [
      "missing phase name",
      { op: "rm", phase: "" },
      "missing_field",
      "rm needs phase, a phase name.",
    ],
    [
      "phase not found",
      { op: "done", phase: "Fly" },
      "not_found",
      'Phase "Fly" not found. Phases: "Build", "Ship".',
    ],
    [
      "missing phase name for append",
      { op: "append", items: ["x"] },
      "missing_field",
      "append needs phase, a phase name.",
    ],
    [
      "missing items for append",
      { op: "append", phase: "Build" },
      "missing_field",
      "append needs items.",
    ],
    [
      "task already exists",
      { op: "append", phase: "Ship", items: ["Cut"] },
      "already_exists",
      'Task "Cut" already exists.',
    ],
    ["missing text for note", { op: "note", task: "Cut" }, "missing_field", "note needs text."],
    [
      "empty text for note",
      { op: "note", task: "Cut", text: " \n" },
      "missing_field",
      "note needs text.",
    ],
    ["missing target for block", { op: "block" }, "missing_field", "block needs task or phase."],
    [
      "missing target for unblock",
      { op: "unblock" },
      "missing_field",
      "unblock needs task or phase.",
    ],
  ])("op tool, error: %s", (_, entry, code, message) => {
    const list = started();
    const before = list.read();
    const { ok, text, rejected } = ops(list, entry);
    expect({ ok, rejected, head: text.split("\n")[0] }).toEqual({
      ok: false,
      rejected: [{ code, message: `ops[0]: ${message}` }],
      head: `Errors: ops[0]: ${message}`,
    });
    expect(list.read()).toEqual(before);
  });

  it("op tool, error: task not found has a hint when the list is empty", () => {
    const list = newList();
    expect(ops(list, { op: "done", task: "Fly" }).rejected).toEqual([
      { code: "not_found", message: 'ops[0]: Task "Fly" not found. The list is empty.' },
    ]);
    expect(ops(list, { op: "start" }).rejected).toEqual([
      {
        code: "missing_field",
        message: `ops[0]: start needs task, the content of a task${empty}.`,
      },
    ]);
    expect(list.read().version).toBe(0);
  });

  it("op tool, errors: they are collected, the good ops apply, the result is an error with the state", () => {
    const list = started();
    const result = ops(
      list,
      { op: "done", task: "Nope" },
      { op: "done", task: "Cut" },
      { op: "note", task: "Sew" },
      { op: "append", phase: "Ship", items: ["Pack", "Send"] },
    );
    expect(result).toEqual({
      ok: false,
      partial: true,
      rejected: [
        { code: "missing_field", message: "ops[2]: note needs text." },
        {
          code: "not_found",
          message: 'ops[0]: Task "Nope" not found. Tasks: "Cut", "Sew", "Pack".',
        },
        { code: "already_exists", message: 'ops[3]: Task "Pack" already exists.' },
      ],
      data: {
        phases: [
          {
            name: "Build",
            tasks: [
              { content: "Cut", status: "completed" },
              { content: "Sew", status: "in_progress" },
            ],
          },
          {
            name: "Ship",
            tasks: [
              { content: "Pack", status: "pending" },
              { content: "Send", status: "pending" },
            ],
          },
        ],
        storage: "memory",
        completedTasks: [{ phase: "Build", content: "Cut" }],
      },
      text: lines(
        'Errors: ops[2]: note needs text. ops[0]: Task "Nope" not found. Tasks: "Cut", "Sew", "Pack". ops[3]: Task "Pack" already exists.',
        "Remaining: 3",
        '- "Sew" (in_progress, "Build")',
        '- "Pack" (pending, "Ship")',
        '- "Send" (pending, "Ship")',
        'Phase 1 of 2, "Build": 1 of 2 closed',
        '"Build"',
        '  [x] "Cut"',
        '  [>] "Sew"',
        '"Ship"',
        '  [ ] "Pack"',
        '  [ ] "Send"',
      ),
    });
  });

  it("discards the whole batch on one error, early or late", () => {
    const list = started();
    const before = list.read();
    for (const bad of [
      { op: "note", task: "Sew" },
      { op: "done", task: "Nope" },
    ]) {
      const input = { ops: [{ op: "done", task: "Cut" }, bad], atomic: true };
      const { ok, rejected, data } = call(list, "todo_write.ops", input);
      expect({ ok, count: rejected.length, data }).toEqual({
        ok: false,
        count: 1,
        data: {
          phases: [
            {
              name: "Build",
              tasks: [
                { content: "Cut", status: "in_progress" },
                { content: "Sew", status: "pending" },
              ],
            },
            REST,
          ],
          storage: "memory",
        },
      });
      expect(list.read()).toEqual(before);
    }
    const good = { ops: [{ op: "done", task: "Cut" }], atomic: true };
    expect(call(list, "todo_write.ops", good).ok).toBe(true);
  });
});

describe("op tool, outputs", () => {
  it("op tool, summary: what remains, the progress of the current phase, the tree", () => {
    expect(ops(newList(), TWO_PHASES).text).toBe(
      lines(
        "Remaining: 3",
        '- "Cut" (in_progress, "Build")',
        '- "Sew" (pending, "Build")',
        '- "Pack" (pending, "Ship")',
        'Phase 1 of 2, "Build": 0 of 2 closed',
        '"Build"',
        '  [>] "Cut"',
        '  [ ] "Sew"',
        '"Ship"',
        '  [ ] "Pack"',
      ),
    );
  });

  it("op tool, summary: a list that became empty says so", () => {
    expect(ops(started(), { op: "rm" })).toEqual({
      ok: true,
      text: "List cleared, no tasks left.",
      data: { phases: [], storage: "memory" },
      rejected: [],
    });
  });

  it("op tool, summary: notes of the active task stand in it, of others only their number", () => {
    const list = started({ op: "note", task: "Sew", text: "thread" });
    const { text } = ops(list, { op: "note", task: "Cut", text: "sharp\nscissors" });
    expect(text.split("\n").slice(5, 9)).toEqual([
      '"Build"',
      '  [>] "Cut" +1',
      '      > "sharp\\nscissors"',
      '  [ ] "Sew" +1',
    ]);
  });

  it("op tool, summary: nothing remains once all is closed", () => {
    expect(ops(started(), { op: "done" }).text.split("\n")[0]).toBe("Nothing remains.");
  });

  it("op tool, completedTasks: only what became completed in this batch", () => {
    const list = started({ op: "done", task: "Cut" });
    const { data } = ops(list, { op: "done", phase: "Build" }, { op: "drop", task: "Pack" });
    expect(data).toMatchObject({ completedTasks: [{ phase: "Build", content: "Sew" }] });
    expect(ops(list, { op: "done", task: "Sew" }).data).not.toHaveProperty("completedTasks");
  });

  it("op tool, completedTasks: a task appended and done in one batch counts", () => {
    const { data } = ops(
      started(),
      { op: "append", phase: "Ship", items: ["Wave"] },
      { op: "done", task: "Wave" },
    );
    expect(data).toMatchObject({ completedTasks: [{ phase: "Ship", content: "Wave" }] });
  });
});

describe("op tool, idempotency", () => {
  it("op tool, idempotency: init again yields the same state", () => {
    const list = started();
    const before = list.get();
    ops(list, TWO_PHASES);
    expect(list.get()).toEqual(before);
  });

  it.each(["start", "done", "drop"])("op tool, idempotency: %s again changes nothing", (op) => {
    const list = started({ op, task: "Sew" });
    const before = list.get();
    expect(ops(list, { op, task: "Sew" }).ok).toBe(true);
    expect(list.get()).toEqual(before);
  });

  it.each([
    ["task", { op: "rm", task: "Cut" }, 'Task "Cut" not found. Tasks: "Sew", "Pack".'],
    ["phase", { op: "rm", phase: "Build" }, 'Phase "Build" not found. Phases: "Ship".'],
  ])("op tool, idempotency: rm of a %s is an error the second time", (_, entry, message) => {
    const list = started(entry);
    expect(ops(list, entry).rejected).toEqual([
      { code: "not_found", message: `ops[0]: ${message}` },
    ]);
  });

  it("op tool, idempotency: append again is refused as a duplicate", () => {
    const entry = { op: "append", phase: "Ship", items: ["Send"] };
    const list = started(entry);
    expect(ops(list, entry).rejected).toEqual([
      { code: "already_exists", message: 'ops[0]: Task "Send" already exists.' },
    ]);
  });

  it("op tool, idempotency: note again adds another note", () => {
    const entry = { op: "note", task: "Cut", text: "again" };
    const list = started(entry);
    ops(list, entry);
    expect(list.get()[0]?.notes).toEqual(["again", "again"]);
  });
});

describe("op tool, limits", () => {
  it.each([
    ["ops", { ops: [] }, "ops needs at least 1 entry."],
    [
      "init items",
      { ops: [{ op: "init", list: [{ phase: "A", items: [] }] }] },
      "ops[0].list[0].items needs at least 1 entry.",
    ],
    [
      "append items",
      { ops: [{ op: "append", phase: "A", items: [] }] },
      "ops[0].items needs at least 1 entry.",
    ],
  ])("op tool, limits: %s has at least one entry", (_, input, message) => {
    expect(call(newList(), "todo_write.ops", input)).toEqual({
      ok: false,
      text: `${message} Nothing was changed.`,
      data: null,
      rejected: [{ code: "invalid_input", message }],
    });
  });

  it("op tool, limits: the tool is exclusive and strict", () => {
    const { concurrencySafe, readOnly, strict } = definitionOf(toolOf("todo_write.ops"));
    expect({ concurrencySafe, readOnly, strict }).toEqual({
      concurrencySafe: false,
      readOnly: false,
      strict: true,
    });
    const input = { ops: [{ op: "start", task: "a", colour: "red" }] };
    expect(call(newList(), "todo_write.ops", input).rejected).toEqual([
      {
        code: "invalid_input",
        message:
          'Unknown field "colour" in ops[0]. Valid fields: op, list, task, phase, items, text, reason.',
      },
    ]);
  });

  it("op tool, limits: done work leaves the display after 60 s, never below 0, at once at 0", () => {
    const list = started({ op: "done" });
    const end = list.read().updatedAt;
    const cleared = (seconds: number, delay?: number) =>
      viewOf(list.read(), end + seconds * 1000, delay).cleared;
    expect(DEFAULT_POLICY.clearDelay).toBe(60);
    expect([cleared(59.9), cleared(60)]).toEqual([false, true]);
    expect([cleared(0, 0), cleared(1e9, -1)]).toEqual([true, false]);
    expect(list.get()).toHaveLength(3);
  });

  it("op tool, availability: off by a setting, and not handed to subagents unless asked", () => {
    const tools = ["todo_write.ops"] as const;
    const count = (options: object) => todoTools(newList(), { tools, ...options }).length;
    expect([
      count({}),
      count({ enabled: false }),
      count({ subagent: true }),
      count({ subagent: true, allowSubagents: true }),
    ]).toEqual([1, 0, 0, 1]);
  });
});

describe("op tool, identifiers as sent", () => {
  it.each([" Cut ", "Cut\n", "\tCut", "Cut\tand\nsew", "  Cut  twice "])(
    "op tool, notes: a task created as %j is found by the same string",
    (task) => {
      for (const op of ["start", "done", "drop", "rm"]) {
        const list = newList();
        ops(list, { op: "init", list: [{ phase: "P", items: ["Other", task] }] });
        expect(ops(list, { op, task })).toMatchObject({ ok: true });
        expect(ops(list, { op: "append", phase: "P", items: [task] }).ok).toBe(op === "rm");
      }
      const list = newList();
      ops(list, { op: "append", phase: "P", items: [task] });
      expect(ops(list, { op: "note", task, text: "Mind the seam" })).toMatchObject({ ok: true });
    },
  );

  it.each([" Ship ", "Ship\n", "\tShip", "Ship\tit"])(
    "op tool, notes: a phase created as %j is found by the same string",
    (phase) => {
      for (const op of ["done", "drop", "rm"]) {
        const list = newList();
        ops(list, { op: "init", list: [{ phase, items: ["Pack"] }] });
        ops(list, { op: "append", phase, items: ["Send"] });
        expect(list.get().map((todo) => todo.phase)).toHaveLength(2);
        expect(ops(list, { op, phase })).toMatchObject({ ok: true });
      }
    },
  );

  it("op tool, notes: a name that differs inside is still another one", () => {
    const list = started();
    expect(ops(list, { op: "done", task: "cut" }).ok).toBe(false);
    expect(ops(list, { op: "done", task: "C ut" }).ok).toBe(false);
    expect(ops(list, { op: "done", phase: "ship" }).ok).toBe(false);
  });
});
