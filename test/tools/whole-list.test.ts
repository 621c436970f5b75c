import { describe, expect, it } from "vitest";
import type { Event, ToolId } from "../../src/index.ts";
import { call, lines, newList, shown } from "./call.ts";

describe("TodoWrite", () => {
  it("accepts the earlier form with id, priority and activeForm", () => {
    const list = newList();
    const todos = [
      { content: "Cut", status: "in_progress", id: "1", priority: "high", activeForm: "Cutting" },
    ];
    expect(call(list, "TodoWrite", { todos }).text).toBe("[>] Cut <- Cutting\n\n(0/1 completed)");
    expect(list.get()[0]).toMatchObject({ ref: "1", priority: "high", activeText: "Cutting" });
  });

  it("maps other statuses to the nearest of its three", () => {
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

describe("update_plan", () => {
  const plan = [
    { step: "Add the column", status: "completed" },
    { step: "Backfill", status: "in_progress" },
  ];

  it("stores the plan as the list and the explanation as the comment of the event", () => {
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

  it.each([undefined, "", " \n"])("ignores the explanation %j", (explanation) => {
    const list = newList();
    const events: Event[] = [];
    list.subscribe((event) => events.push(event));
    const input = { plan, ...(explanation !== undefined && { explanation }) };
    expect(call(list, "update_plan", input).ok).toBe(true);
    expect(events[0]).not.toHaveProperty("comment");
  });

  it("limits the explanation like a note", () => {
    const list = newList();
    const explain = (explanation: string) => call(list, "update_plan", { explanation, plan });
    expect(explain("x".repeat(4_001)).rejected).toEqual([
      {
        code: "too_long",
        message: "explanation has 4001 characters; the limit is 4000. Shorten it.",
      },
    ]);
    expect(explain("a\u001bb").rejected).toMatchObject([{ code: "bad_characters" }]);
    expect(list.read().version).toBe(0);
  });

  it("refuses two steps in progress", () => {
    const two = plan.map(({ step }) => ({ step, status: "in_progress" }));
    expect(call(newList(), "update_plan", { plan: two }).rejected).toMatchObject([
      { code: "two_active" },
    ]);
  });

  it("names fields as the tool does in refusals", () => {
    const bad = [{ step: "", status: "pending" }];
    expect(call(newList(), "update_plan", { plan: bad }).rejected).toEqual([
      { code: "empty_text", message: "plan[0].step is empty." },
    ]);
  });
});

describe("write_todos", () => {
  it.each(["description", "content"])("accepts %s as the name of the text", (name) => {
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

  it("accepts activeForm beside content", () => {
    const list = newList();
    const todos = [{ content: "Translate", status: "in_progress", activeForm: "Translating" }];
    expect(call(list, "write_todos", { todos }).ok).toBe(true);
    expect(list.get()[0]?.activeText).toBe("Translating");
  });

  it("refuses an entry with both names or none", () => {
    for (const entry of [
      { content: "a", description: "b", status: "pending" },
      { status: "pending" },
    ])
      expect(call(newList(), "write_todos", { todos: [entry] }).rejected).toMatchObject([
        { code: "invalid_input" },
      ]);
  });

  it("refuses two todos in progress", () => {
    const todos = ["a", "b"].map((description) => ({ description, status: "in_progress" }));
    expect(call(newList(), "write_todos", { todos }).rejected).toMatchObject([
      { code: "two_active" },
    ]);
  });
});

describe("todowrite of opencode", () => {
  const item = (content: string, status: string, priority = "high") => ({
    content,
    status,
    priority,
  });

  it("returns any status as it was sent and counts unknown ones as pending", () => {
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

  it("replaces an unknown status by a known one", () => {
    const list = newList();
    call(list, "todowrite", { todos: [item("Cut", "todo")] });
    call(list, "todowrite", { todos: [item("Cut", "pending")] });
    expect(list.get()[0]).not.toHaveProperty("rawStatus");
  });

  it("accepts the earlier form with an id and ignores a blank priority", () => {
    const list = newList();
    const todos = [{ ...item("Cut", "pending", " "), id: "x" }];
    expect(call(list, "todowrite", { todos }).data).toEqual({
      todos: [{ content: "Cut", status: "pending", priority: "medium", id: "x" }],
    });
  });

  it("refuses an empty status and names the field", () => {
    expect(call(newList(), "todowrite", { todos: [item("Cut", "")] }).rejected).toEqual([
      { code: "empty_text", message: "todos[0].status is empty." },
    ]);
  });
});

describe("one list behind all tools", () => {
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

  it.each(CALLS)("every other tool continues the list that %s wrote", (first, input) => {
    for (const [second, same] of CALLS) {
      const list = newList();
      call(list, first, input);
      call(list, second, same);
      expect(shown(list)).toEqual(["1 [x] Cut", "2 [ ] Sew"]);
    }
  });
});
