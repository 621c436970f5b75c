import { describe, expect, it } from "vitest";
import { call, edit, type MemoryList, newList, shown } from "./call.ts";

function item(id: string, content: string, status = "pending", rest: object = {}) {
  return { id, content, status, ...rest };
}

function write(list: MemoryList, todos: unknown, merge?: boolean) {
  const result = call(list, "todo", { todos, ...(merge !== undefined && { merge }) });
  const data = result.data as { todos: unknown; revision: number; summary: unknown } | null;
  return { ...result, todos: data?.todos, revision: data?.revision };
}

describe("todo: read, replace, merge", () => {
  it("returns the list as JSON without arguments", () => {
    const list = newList();
    write(list, [item("a", "Cut", "in_progress"), item("b", "Sew", "completed")]);
    const before = list.read();
    const { ok, text, data } = call(list, "todo", {});
    expect({ ok, data }).toEqual({
      ok: true,
      data: {
        todos: [item("a", "Cut", "in_progress"), item("b", "Sew", "completed")],
        revision: 1,
        summary: { total: 2, pending: 0, in_progress: 1, completed: 1, cancelled: 0 },
      },
    });
    expect(JSON.parse(text)).toEqual(data);
    expect(list.read()).toEqual(before);
  });

  it("replaces the list by default", () => {
    const list = newList();
    write(list, [item("a", "Cut"), item("b", "Sew")]);
    expect(write(list, [item("b", "Sew")]).todos).toEqual([item("b", "Sew")]);
    expect(write(list, [item("c", "Pack")], false).todos).toEqual([item("c", "Pack")]);
  });

  it("merge updates known ids and appends unknown ones", () => {
    const list = newList();
    write(list, [item("a", "Cut"), item("b", "Sew")]);
    const { todos } = write(list, [{ id: "b", status: "completed" }, item("c", "Pack")], true);
    expect(todos).toEqual([item("a", "Cut"), item("b", "Sew", "completed"), item("c", "Pack")]);
    expect(shown(list)).toEqual(["1 [ ] Cut", "2 [x] Sew", "3 [ ] Pack"]);
  });

  it("merge ignores empty and invalid fields", () => {
    const list = newList();
    write(list, [item("a", "Cut", "in_progress")]);
    expect(write(list, [{ id: "a", content: " ", status: "whatever" }], true).todos).toEqual([
      item("a", "Cut", "in_progress"),
    ]);
  });

  it("merge skips entries without an id", () => {
    const list = newList();
    write(list, [item("a", "Cut")]);
    expect(write(list, [{ content: "Lost" }, { id: " ", content: "Lost" }], true).todos).toEqual([
      item("a", "Cut"),
    ]);
  });

  it("merge finds a todo without an external id by our id", () => {
    const list = newList();
    write(list, [item("a", "Cut")]);
    edit(list, { op: "add", todos: [{ text: "Iron" }] });
    const { data } = call(list, "todo", {});
    expect(data).toMatchObject({ todos: [{ id: "a" }, { id: "2", content: "Iron" }] });
    expect(write(list, [{ id: "2", status: "completed" }], true).todos).toEqual([
      item("a", "Cut"),
      item("2", "Iron", "completed"),
    ]);
  });

  it("revision grows only with real changes", () => {
    const list = newList();
    const todos = [item("a", "Cut")];
    expect([write(list, todos).revision, write(list, todos).revision]).toEqual([1, 1]);
    expect(write(list, [item("a", "Cut", "completed")]).revision).toBe(2);
  });

  it("parent is shown by its external id and removed by an empty one", () => {
    const list = newList();
    const child = item("b", "Cut the sleeves", "pending", { parent: "a" });
    expect(write(list, [item("a", "Cut"), child]).todos).toEqual([item("a", "Cut"), child]);
    expect(list.get()[1]?.parent).toBe("1");
    expect(write(list, [{ id: "b", parent: "" }], true).todos).toEqual([
      item("a", "Cut"),
      item("b", "Cut the sleeves"),
    ]);
  });
});

describe("todo: repairs invalid input", () => {
  it.each<[string, unknown, unknown]>([
    ["a list sent as JSON text", JSON.stringify([item("a", "Cut")]), [item("a", "Cut")]],
    [
      "an entry that is not an object",
      ["Cut", null, 5],
      [item("1", "(no description)"), item("2", "(no description)"), item("3", "(no description)")],
    ],
    ["a missing id", [{ content: "Cut", status: "pending" }], [item("1", "Cut")]],
    ["a number for an id", [{ id: 7, content: "Cut", status: "pending" }], [item("7", "Cut")]],
    ["a missing text", [{ id: "a", status: "pending" }], [item("a", "(no description)")]],
    ["a text of white space", [item("a", " \n ")], [item("a", "(no description)")]],
    ["a text of several lines", [item("a", "Cut\n\tit ")], [item("a", "Cut it")]],
    ["a missing status", [{ id: "a", content: "Cut" }], [item("a", "Cut")]],
    ["an unknown status", [item("a", "Cut", "doing great")], [item("a", "Cut")]],
    ["a status in capitals", [item("a", "Cut", "COMPLETED")], [item("a", "Cut", "completed")]],
    [
      "the same id twice: the last counts, where it stands",
      [item("a", "Cut"), item("b", "Sew"), item("a", "Carve")],
      [item("b", "Sew"), item("a", "Carve")],
    ],
    [
      "no ids: none is collapsed",
      [{ content: "Cut" }, { content: "Cut" }],
      [item("1", "Cut"), item("2", "Cut")],
    ],
    [
      "a parent that is not there",
      [item("a", "Cut", "pending", { parent: "zz" })],
      [item("a", "Cut")],
    ],
    [
      "parents in a circle",
      [item("a", "Cut", "pending", { parent: "b" }), item("b", "Sew", "pending", { parent: "a" })],
      [item("a", "Cut"), item("b", "Sew")],
    ],
    ["its own parent", [item("a", "Cut", "pending", { parent: "a" })], [item("a", "Cut")]],
    ["control characters", [item("a", "C\u0000u\u001bt\u202e")], [item("a", "Cut")]],
    [
      "several in progress: the first stays",
      [item("a", "Cut", "in_progress"), item("b", "Sew", "in_progress")],
      [item("a", "Cut", "in_progress"), item("b", "Sew")],
    ],
    [
      "order: the active entry goes before the first pending one",
      [item("a", "Cut", "completed"), item("b", "Sew"), item("c", "Pack", "in_progress")],
      [item("a", "Cut", "completed"), item("c", "Pack", "in_progress"), item("b", "Sew")],
    ],
    [
      "order: nested lists keep theirs",
      [item("a", "Cut"), item("b", "Sew", "in_progress", { parent: "a" })],
      [item("a", "Cut"), item("b", "Sew", "in_progress", { parent: "a" })],
    ],
  ])("%s", (_, sent, expected) => {
    const { ok, rejected, todos } = write(newList(), sent);
    expect({ ok, rejected, todos }).toEqual({ ok: true, rejected: [], todos: expected });
  });

  it("cuts a text over 4,000 characters with an ellipsis", () => {
    const { todos } = write(newList(), [item("a", "語".repeat(4_001))]);
    expect(todos).toEqual([item("a", `${"語".repeat(3_999)}…`)]);
  });

  it("cuts an id over 100 characters between code points", () => {
    const { ok } = write(newList(), [item(`${"x".repeat(98)}🧭🧭🧭`, "Cut")]);
    expect(ok).toBe(true);
  });

  it("drops entries after the 256th", () => {
    const many = Array.from({ length: 300 }, (_, n) => item(`i${n}`, `Step ${n}`));
    const { todos } = write(newList(), many);
    expect(todos).toEqual(many.slice(0, 256));
  });

  it("merge moves the active entry before the first pending one", () => {
    const list = newList();
    // The foreign ids are our ids of other todos.
    write(list, [item("2", "Cut"), item("3", "Sew"), item("1", "Pack")]);
    expect(write(list, [{ id: "1", status: "in_progress" }], true).todos).toEqual([
      item("1", "Pack", "in_progress"),
      item("2", "Cut"),
      item("3", "Sew"),
    ]);
  });

  it("refuses a string that is not a list and keeps the todos", () => {
    const list = newList();
    write(list, [item("a", "Cut")]);
    const before = list.read();
    for (const todos of ["not json", '{"id":"a"}', ""])
      expect(write(list, todos).rejected).toEqual([
        { code: "invalid_input", message: "todos must be an array, not a string." },
      ]);
    expect(list.read()).toEqual(before);
  });

  it("an empty list clears the todos", () => {
    const list = newList();
    write(list, [item("a", "Cut")]);
    expect(write(list, []).todos).toEqual([]);
  });
});
