import { describe, expect, it } from "vitest";
import type { Event, ToolId } from "../../src/index.ts";
import { call, lines, newList, shown } from "./call.ts";

describe("SPEC B1, TodoWrite", () => {
  it("SPEC B1: the older form may have priority and active form beside the id", () => {
    const list = newList();
    const todos = [
      { content: "Cut", status: "in_progress", id: "1", priority: "high", activeForm: "Cutting" },
    ];
    expect(call(list, "TodoWrite", { todos }).text).toBe("[>] Cut <- Cutting\n\n(0/1 completed)");
    expect(list.get()[0]).toMatchObject({ ref: "1", priority: "high", activeText: "Cutting" });
  });

  it("SPEC B1: what its three statuses cannot say is said with the nearest", () => {
    const list = newList();
    list.set([
      { text: "Cut", status: "cancelled" },
      { text: "Sew", status: "blocked", blocker: "no thread" },
    ]);
    const todos = [{ content: "Sew", status: "pending", activeForm: "Sewing" }];
    expect(call(list, "TodoWrite", { todos }).data).toEqual({
      oldTodos: [
        { content: "Cut", status: "completed", activeForm: "Cut" },
        { content: "Sew", status: "pending", activeForm: "Sew" },
      ],
      newTodos: todos,
    });
  });
});

describe("SPEC B3, update_plan", () => {
  const plan = [
    { step: "Add the column", status: "completed" },
    { step: "Backfill", status: "in_progress" },
  ];

  it("SPEC B3: the plan is the list, the explanation the comment of the event", () => {
    const list = newList();
    const events: Event[] = [];
    list.subscribe((event) => events.push(event));
    expect(call(list, "update_plan", { explanation: "The schema first.", plan })).toEqual({
      ok: true,
      text: lines("[x] Add the column", "[>] Backfill", "", "(1/2 completed)"),
      data: { explanation: "The schema first.", plan },
      rejected: [],
    });
    expect(events.map(({ comment, via }) => ({ comment, via }))).toEqual([
      { comment: "The schema first.", via: "update_plan" },
    ]);
  });

  it.each([undefined, "", " \n"])("SPEC B3: %j is no explanation and no comment", (explanation) => {
    const list = newList();
    const events: Event[] = [];
    list.subscribe((event) => events.push(event));
    const input = { plan, ...(explanation !== undefined && { explanation }) };
    expect(call(list, "update_plan", input).ok).toBe(true);
    expect(events[0]).not.toHaveProperty("comment");
  });

  it("SPEC B3: an explanation has the limits of a note", () => {
    const list = newList();
    const explain = (explanation: string) => call(list, "update_plan", { explanation, plan });
    expect(explain("x".repeat(4_001)).rejected).toEqual([
      {
        code: "too_long",
        message: "explanation has 4001 characters; at most 4000 are allowed.",
      },
    ]);
    expect(explain("a\u001bb").rejected).toMatchObject([{ code: "bad_characters" }]);
    expect(list.read().version).toBe(0);
  });

  it("SPEC B3 and A3: two steps in progress are refused", () => {
    const two = plan.map(({ step }) => ({ step, status: "in_progress" }));
    expect(call(newList(), "update_plan", { plan: two }).rejected).toMatchObject([
      { code: "two_active" },
    ]);
  });

  it("SPEC B3: problems are named in the tool's own words", () => {
    const bad = [{ step: "", status: "pending" }];
    expect(call(newList(), "update_plan", { plan: bad }).rejected).toEqual([
      { code: "empty_text", message: "plan[0].step is empty." },
    ]);
  });
});

describe("SPEC B4, write_todos", () => {
  it.each(["description", "content"])("SPEC B4: the text may be called %s", (name) => {
    const list = newList();
    const todos = [
      { [name]: "Translate", status: "in_progress" },
      { [name]: "Check", status: "cancelled" },
      { [name]: "Wait", status: "blocked" },
    ];
    expect(call(list, "write_todos", { todos })).toEqual({
      ok: true,
      text: lines("[>] Translate", "[-] Check", "[!] Wait", "", "(0/2 completed)"),
      data: { todos },
      rejected: [],
    });
  });

  it("SPEC B4: content may come with an active form", () => {
    const list = newList();
    const todos = [{ content: "Translate", status: "in_progress", activeForm: "Translating" }];
    expect(call(list, "write_todos", { todos }).ok).toBe(true);
    expect(list.get()[0]?.activeText).toBe("Translating");
  });

  it("SPEC B4: both spellings in one entry, or none, are refused", () => {
    for (const entry of [
      { content: "a", description: "b", status: "pending" },
      { status: "pending" },
    ])
      expect(call(newList(), "write_todos", { todos: [entry] }).rejected).toMatchObject([
        { code: "invalid_input" },
      ]);
  });

  it("SPEC B4 and A3: two in progress are refused", () => {
    const todos = ["a", "b"].map((description) => ({ description, status: "in_progress" }));
    expect(call(newList(), "write_todos", { todos }).rejected).toMatchObject([
      { code: "two_active" },
    ]);
  });
});

describe("SPEC B6, todowrite of opencode", () => {
  const item = (content: string, status: string, priority = "high") => ({
    content,
    status,
    priority,
  });

  it("SPEC B6: statuses are free, the spelling comes back, an unknown one counts as pending", () => {
    const list = newList();
    const todos = [
      item("Cut", "Done"),
      item("Sew", "in-progress"),
      item("Pack", "waiting for mum"),
      item("Send", "cancelled"),
    ];
    const { ok, text, data } = call(list, "todowrite", { todos });
    expect({ ok, text, data }).toEqual({
      ok: true,
      text: lines("[x] Cut", "[>] Sew", "[ ] Pack", "[-] Send", "", "(1/3 completed)"),
      data: { todos },
    });
    expect(list.get().map(({ rawStatus }) => rawStatus)).toEqual([
      "Done",
      "in-progress",
      "waiting for mum",
      undefined,
    ]);
  });

  it("SPEC B6: a plain status takes the raw one away", () => {
    const list = newList();
    call(list, "todowrite", { todos: [item("Cut", "todo")] });
    call(list, "todowrite", { todos: [item("Cut", "pending")] });
    expect(list.get()[0]).not.toHaveProperty("rawStatus");
  });

  it("SPEC B6: the older form has an id; a priority of white space is none", () => {
    const list = newList();
    const todos = [{ ...item("Cut", "pending", " "), id: "x" }];
    expect(call(list, "todowrite", { todos }).data).toEqual({
      todos: [{ content: "Cut", status: "pending", priority: "medium", id: "x" }],
    });
  });

  it("SPEC B6: an empty status is refused in the tool's own words", () => {
    expect(call(newList(), "todowrite", { todos: [item("Cut", "")] }).rejected).toEqual([
      { code: "empty_text", message: "todos[0].status is empty." },
    ]);
  });
});

describe("SPEC B, one list behind all tools", () => {
  const CALLS: readonly (readonly [ToolId, unknown])[] = [
    ["todos", { todos: [{ text: "Cut", status: "completed" }, { text: "Sew" }] }],
    [
      "TodoWrite",
      {
        todos: [
          { content: "Cut", status: "completed", activeForm: "Cutting" },
          { content: "Sew", status: "pending", activeForm: "Sewing" },
        ],
      },
    ],
    [
      "update_plan",
      {
        plan: [
          { step: "Cut", status: "completed" },
          { step: "Sew", status: "pending" },
        ],
      },
    ],
    [
      "write_todos",
      {
        todos: [
          { description: "Cut", status: "completed" },
          { description: "Sew", status: "pending" },
        ],
      },
    ],
    [
      "todo",
      {
        todos: [
          { id: "a", content: "Cut", status: "completed" },
          { id: "b", content: "Sew", status: "pending" },
        ],
      },
    ],
    [
      "todowrite",
      {
        todos: [
          { content: "Cut", status: "completed", priority: "low" },
          { content: "Sew", status: "pending", priority: "low" },
        ],
      },
    ],
    [
      "todo_write.qwen",
      {
        todos: [
          { id: "a", content: "Cut", status: "completed" },
          { id: "b", content: "Sew", status: "pending" },
        ],
      },
    ],
  ];

  it.each(CALLS)("SPEC B: what %s writes, every other tool goes on with", (first, input) => {
    for (const [second, same] of CALLS) {
      const list = newList();
      call(list, first, input);
      call(list, second, same);
      expect(shown(list)).toEqual(["1 [x] Cut", "2 [ ] Sew"]);
    }
  });
});
