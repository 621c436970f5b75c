import { describe, expect, it } from "vitest";
import { todoTools } from "../../src/index.ts";
import { findTool, TOOLS } from "../../src/tools/index.ts";
import { checkValue, MAX_INPUT, readJson } from "../../src/tools/input.ts";
import { call, newList, shown } from "./call.ts";

const ALL = TOOLS.map((tool) => tool.id);

describe("offered tools", () => {
  it("todoTools returns todos by default, others by id and in that order", () => {
    const ids = (tools?: typeof ALL) =>
      todoTools(newList(), tools && { tools }).map((tool) => tool.id);
    expect([ids(), ids(["update_plan", "TodoWrite"]), ids(ALL), ids([])]).toEqual([
      ["todos"],
      ["update_plan", "TodoWrite"],
      ALL,
      [],
    ]);
  });

  it("enabled: false returns no tools", () => {
    expect(todoTools(newList(), { tools: ALL, enabled: false })).toEqual([]);
  });

  it("subagents get tools only with allowSubagents", () => {
    const count = (allowSubagents: boolean) =>
      todoTools(newList(), { subagent: true, allowSubagents }).length;
    expect([count(false), count(true)]).toEqual([0, 1]);
  });

  it.each(ALL)("%s refuses writes in a context of offIn", (id) => {
    const list = newList();
    list.set([{ text: "Cut" }]);
    const before = list.read();
    const [tool] = todoTools(list, { tools: [id], offIn: ["git commit", "pull request"] });
    const message = 'The todo list is read-only during "git commit". Continue without updating it.';
    for (const example of tool?.examples ?? []) {
      expect(tool?.execute(example, { context: "git commit" })).toEqual({
        ok: false,
        text: `${message} Nothing was changed.`,
        data: null,
        rejected: [{ code: "gated", message }],
      });
    }
    expect(list.read()).toEqual(before);
    expect(tool?.execute(tool.examples[0], { context: "review" })).toMatchObject({ ok: true });
  });

  it("each tool is not read-only, not concurrency-safe, and accepts its examples in order", () => {
    for (const tool of todoTools(newList(), { tools: ALL })) {
      expect([tool.readOnly, tool.concurrencySafe]).toEqual([false, false]);
      expect(tool.description.length).toBeGreaterThan(50);
      const list = newList();
      for (const example of tool.examples)
        expect(call(list, tool.id, example)).toMatchObject({ ok: true, rejected: [] });
    }
  });

  it("a call with a known key has no further effect", () => {
    const list = newList();
    const [tool] = todoTools(list);
    tool?.execute({ add: ["Cut"] }, { key: "call-1" });
    tool?.execute({ add: ["Cut"] }, { key: "call-1" });
    expect(shown(list)).toEqual(["1 [ ] Cut"]);
  });
});

describe("tools that share a name", () => {
  it.each([
    [{ ops: [] }, "todo_write.ops"],
    [{ ops: "?" }, "todo_write.ops"],
    [{ todos: [] }, "todo_write.qwen"],
    [{}, "todo_write.ops"],
    [null, "todo_write.ops"],
    ["x", "todo_write.ops"],
  ])("findTool resolves todo_write with %j to %s", (input, id) => {
    expect(findTool("todo_write", input)?.id).toBe(id);
  });

  it("findTool accepts names and ids, and returns undefined for unknown ones", () => {
    expect(findTool("update_plan", {})?.id).toBe("update_plan");
    expect(findTool("todo_write.qwen", { ops: [] })?.id).toBe("todo_write.qwen");
    expect(findTool("rm -rf", {})).toBeUndefined();
  });
});

describe("input of a call", () => {
  it.each([
    ["", { ok: true, value: {} }],
    [" \n", { ok: true, value: {} }],
    ['{"start":"1"}', { ok: true, value: { start: "1" } }],
    ['"[[[[["', { ok: true, value: "[[[[[" }],
  ])("readJson(%j)", (text, expected) => {
    expect(readJson(text)).toEqual(expected);
  });

  it.each([
    ["{", "invalid_json", /^The input is not valid JSON: /],
    ["[".repeat(33), "too_deep", /^The input is nested more than 32 levels deep\.$/],
    ["[".repeat(100_000), "too_deep", /nested more than 32/],
    [
      `"${"x".repeat(MAX_INPUT)}"`,
      "too_large",
      /^The input has 524290 characters; the limit is 524288/,
    ],
  ])("readJson refuses invalid JSON with a reason", (text, code, message) => {
    expect(readJson(text)).toMatchObject({
      ok: false,
      rejected: [{ code, message: expect.stringMatching(message) }],
    });
  });

  it("checkValue refuses cyclic, deep and large values", () => {
    const circle: Record<string, unknown> = {};
    circle.again = circle;
    const deep = JSON.parse(`${"[".repeat(40)}${"]".repeat(40)}`);
    const large = new Array(50_001).fill(0);
    expect([circle, deep, large, [1, { a: "b" }]].map((value) => checkValue(value)?.code)).toEqual([
      "too_deep",
      "too_deep",
      "too_large",
      undefined,
    ]);
  });

  it.each(["__proto__", "constructor", "prototype"])(
    "checkValue refuses the field name %s at any depth",
    (key) => {
      const list = newList();
      const input = JSON.parse(`{"todos":[{"text":"a","x":{"${key}":{"ok":true}}}]}`);
      expect(call(list, "todos", input).rejected).toEqual([
        {
          code: "invalid_input",
          message: `todos[0].x.${key} is not allowed as a field name.`,
        },
      ]);
      expect(({} as { ok?: boolean }).ok).toBeUndefined();
    },
  );
});
