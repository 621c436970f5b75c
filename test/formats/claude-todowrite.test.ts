import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTracker, type Store, todoTools, viewOf } from "../../src/index.ts";
import { describeTool } from "../../src/internal.ts";
import { snapshotStore } from "../../src/stores/snapshots.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { definitionOf } from "../../src/tools/tool.ts";
import { call, ID, newList, shown, toolOf } from "../tools/call.ts";

function item(content: string, status = "pending") {
  return { content, status, activeForm: `${content}, now` };
}

describe("Claude Code, definition", () => {
  it("Claude Code: name, schema, example, strict, not read-only, not concurrent", () => {
    const entry = {
      type: "object",
      properties: {
        content: { type: "string", description: "Imperative: Run the tests" },
        status: {
          type: "string",
          enum: ["pending", "in_progress", "completed"],
          description: "Current status",
        },
        activeForm: {
          type: "string",
          description: "Present continuous, shown while in progress: Running the tests",
        },
      },
      required: ["content", "status", "activeForm"],
      additionalProperties: false,
    };
    expect(definitionOf(toolOf("TodoWrite"))).toEqual({
      name: "TodoWrite",
      title: "Todo list",
      description: describeTool("TodoWrite"),
      inputSchema: {
        type: "object",
        properties: {
          todos: { type: "array", items: entry, description: "The complete list, in order" },
        },
        required: ["todos"],
        additionalProperties: false,
      },
      examples: [
        {
          todos: [
            {
              content: "Read the failing log",
              status: "completed",
              activeForm: "Reading the failing log",
            },
            {
              content: "Fix the time zone",
              status: "in_progress",
              activeForm: "Fixing the time zone",
            },
            { content: "Run the tests", status: "pending", activeForm: "Running the tests" },
          ],
        },
      ],
      readOnly: false,
      concurrencySafe: false,
      strict: true,
    });
  });

  it("Claude Code: a short description and a full one", () => {
    const short = describeTool("TodoWrite");
    const full = describeTool("TodoWrite", "full");
    expect(full.startsWith(short)).toBe(true);
    expect(full.length).toBeGreaterThan(2 * short.length);
    expect(definitionOf(toolOf("TodoWrite"), "full").description).toBe(full);
  });

  it.each([
    [
      "an unknown field beside todos",
      { todos: [], more: 1 },
      'Unknown field "more". Valid fields: todos.',
    ],
    [
      "an unknown field in an entry",
      { todos: [{ ...item("a"), owner: "me" }] },
      'Unknown field "owner" in todos[0]. Valid fields: content, status, activeForm.',
    ],
    ["no todos", {}, "todos is required."],
    ["todos that are no array", { todos: "a" }, "todos must be an array, not a string."],
    [
      "an entry that is not an object",
      { todos: ["a"] },
      "todos[0] must be an object with content, status, activeForm, not a string.",
    ],
    ["no object at all", null, "The input must be an object with todos, not null."],
    ["an array", [], "The input must be an object with todos, not an array."],
  ])("Claude Code, strict: %s is refused", (_, input, message) => {
    const list = newList();
    const { ok, rejected } = call(list, "TodoWrite", input);
    expect({ ok, rejected }).toEqual({
      ok: false,
      rejected: [{ code: "invalid_input", message }],
    });
    expect(list.read().version).toBe(0);
  });

  it("Claude Code, output: the list before and after", () => {
    const list = newList();
    const first = [item("Read", "in_progress"), item("Write")];
    const second = [item("Read", "completed"), item("Write", "in_progress")];
    expect(call(list, "TodoWrite", { todos: first }).data).toEqual({
      oldTodos: [],
      newTodos: first,
    });
    expect(call(list, "TodoWrite", { todos: second }).data).toEqual({
      oldTodos: first,
      newTodos: second,
    });
  });

  it("Claude Code, all completed: the answer has them, the next write starts from nothing", () => {
    const list = newList();
    const done = [item("Read", "completed"), item("Write", "completed")];
    expect(call(list, "TodoWrite", { todos: done }).data).toEqual({
      oldTodos: [],
      newTodos: done,
    });
    const next = [item("Print", "in_progress")];
    expect(call(list, "TodoWrite", { todos: next }).data).toEqual({
      oldTodos: [],
      newTodos: next,
    });
  });

  it("unlike Claude Code: keeps a completed list visible as finished until the next write", () => {
    const list = newList();
    call(list, "TodoWrite", { todos: [item("Read", "completed")] });
    const view = viewOf(list.read(), list.read().updatedAt);
    expect([view.finished, view.cleared, shown(list)]).toEqual([true, false, ["1 [x] Read"]]);
    call(list, "TodoWrite", { todos: [item("Print")] });
    expect([list.read().list, shown(list)]).toEqual([2, ["2 [ ] Print"]]);
  });

  it("Claude Code, enabled: it is there unless a setting says otherwise", () => {
    const names = (enabled?: boolean) =>
      todoTools(newList(), {
        tools: TOOLS.map((tool) => tool.id),
        ...(enabled !== undefined && { enabled }),
      }).map((tool) => tool.name);
    expect(names()).toContain("TodoWrite");
    expect(names(false)).toEqual([]);
  });

  it("unlike Claude Code: answers with the rendered list, not a fixed sentence", () => {
    const { text } = call(newList(), "TodoWrite", { todos: [item("Read", "in_progress")] });
    expect(text).toBe("[>] Read <- Read, now\n\n(0/1 completed)");
  });
});

describe("Claude Code, errors", () => {
  it("Claude Code, schema parse: an invalid input is data for the caller, never an exception", () => {
    for (const input of [undefined, null, 1, "x", [], { todos: [null] }, { todos: [{}] }])
      expect(call(newList(), "TodoWrite", input).ok).toBe(false);
  });
});

describe("Claude Code, edge cases", () => {
  it("Claude Code: an agent that has no list yet has an empty one", () => {
    const { data } = call(newList(), "TodoWrite", { todos: [item("Read")] });
    expect(data).toMatchObject({ oldTodos: [] });
  });

  it("Claude Code: the lists of two agents of a session are apart", () => {
    const tracker = createTracker();
    const main = tracker.list({ session: "s", agent: "main" });
    const helper = tracker.list({ session: "s", agent: "helper-1" });
    call(main, "TodoWrite", { todos: [item("Read")] });
    expect(call(helper, "TodoWrite", { todos: [item("Write")] }).data).toEqual({
      oldTodos: [],
      newTodos: [item("Write")],
    });
    expect([shown(main), shown(helper)]).toEqual([["1 [ ] Read"], ["1 [ ] Write"]]);
  });

  it("unlike Claude Code: limits the list, as the host sets it", () => {
    const many = Array.from({ length: 30 }, (_, n) => item(`Step ${n}`));
    expect(call(newList(), "TodoWrite", { todos: many }).rejected).toMatchObject([
      { code: "too_many" },
    ]);
    const roomy = createTracker({ policy: { maxTodos: 30 } }).list(ID);
    expect(call(roomy, "TodoWrite", { todos: many }).ok).toBe(true);
  });

  it("Claude Code: empty content and empty active form are refused", () => {
    const todos = [{ content: "", status: "pending", activeForm: " " }];
    expect(call(newList(), "TodoWrite", { todos }).rejected).toEqual([
      { code: "empty_text", message: "todos[0].content is empty." },
      { code: "empty_text", message: "todos[0].activeForm is empty." },
    ]);
  });
});

describe("Claude Code, concurrency", () => {
  it.each([
    ["SQLite", (dir: string): Promise<Store> => sqliteStore(join(dir, "store.db"))],
    ["plain files", async (dir: string): Promise<Store> => snapshotStore(dir)],
  ])("Claude Code: calls made in parallel apply in call order, in %s", async (_, open) => {
    const dir = mkdtempSync(join(tmpdir(), "waymark-claude-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const store = await open(dir);
    const tracker = createTracker({ store });
    const list = tracker.list(ID);
    const [write, patch] = todoTools(list, { tools: ["TodoWrite", "todos"] });
    const calls = Array.from({ length: 24 }, (_, n) =>
      n % 2 === 0
        ? write.execute({ todos: [item(`Write ${n}`)] })
        : patch.execute({ add: [`Add ${n}`] }),
    );
    const results = await Promise.all(calls);
    const events = await list.at(Number.MAX_SAFE_INTEGER);
    const texts = results.map(({ text }) => text.split("\n")[0]);
    await store.close();
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(events.version).toBe(24);
    expect(events.todos.map((todo) => todo.text)).toEqual(["Write 22", "Add 23"]);
    // Each add sees exactly the write before it, none of them a later one.
    for (let n = 0; n < 24; n += 2) {
      expect(texts[n]).toBe(`[ ] Write ${n}`);
      expect(texts[n + 1]).toMatch(new RegExp(`^\\d+ \\[ \\] "Add ${n + 1}"$`));
      expect(results[n + 1]?.data).toMatchObject({ progress: { total: 2 } });
    }
  });
});
