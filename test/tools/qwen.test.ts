import { describe, expect, it } from "vitest";
import { call, lines, newList, shown } from "./call.ts";

function item(id: string, content: string, blockedBy?: readonly string[]) {
  return { id, content, status: "pending", ...(blockedBy && { blockedBy }) };
}

const write = (list = newList(), ...todos: readonly unknown[]) =>
  call(list, "todo_write.qwen", { todos });

describe("todo_write of Qwen Code", () => {
  it("returns ids and blockers as they were sent", () => {
    const list = newList();
    const todos = [item("x", "Cut"), item("y", "Sew", ["x"]), item("z", "Pack", ["x", "y"])];
    expect(write(list, ...todos)).toEqual({
      ok: true,
      text: lines("[ ] Cut", "[ ] Sew", "[ ] Pack", "", "(0/3 completed)"),
      data: { todos },
      rejected: [],
    });
    expect(list.get().map(({ ref, blockedBy }) => ({ ref, blockedBy }))).toEqual([
      { ref: "x", blockedBy: undefined },
      { ref: "y", blockedBy: ["1"] },
      { ref: "z", blockedBy: ["1", "2"] },
    ]);
  });

  it("keeps the blockers of an entry that is sent without blockedBy", () => {
    const list = newList();
    write(list, item("x", "Cut"), item("y", "Sew", ["x"]));
    const { data } = write(list, item("x", "Cut"), item("y", "Sew"));
    expect(data).toEqual({ todos: [item("x", "Cut"), item("y", "Sew", ["x"])] });
    expect(write(list, item("x", "Cut"), item("y", "Sew", [])).data).toEqual({
      todos: [item("x", "Cut"), item("y", "Sew")],
    });
  });

  it("drops kept blockers that were removed from the list", () => {
    const list = newList();
    write(list, item("x", "Cut"), item("y", "Sew", ["x"]));
    expect(write(list, item("y", "Sew")).data).toEqual({ todos: [item("y", "Sew")] });
  });

  it.each([
    [
      "a circle of two",
      [item("x", "Cut", ["y"]), item("y", "Sew", ["x"])],
      "cycle",
      'blockedBy creates a dependency cycle: "x" -> "y" -> "x".',
    ],
    [
      "a circle of three behind a tail",
      [
        item("t", "Tail", ["x"]),
        item("x", "Cut", ["y"]),
        item("y", "Sew", ["z"]),
        item("z", "Pack", ["x"]),
      ],
      "cycle",
      'blockedBy creates a dependency cycle: "x" -> "y" -> "z" -> "x".',
    ],
    [
      "an entry that waits for itself",
      [item("x", "Cut", ["x"])],
      "cycle",
      "todos[0].blockedBy contains the id of the todo itself.",
    ],
    [
      "an unknown id",
      [item("x", "Cut"), item("y", "Sew", ["nope"])],
      "not_found",
      'todos[1].blockedBy: no todo has the id "nope".',
    ],
    [
      "an id used twice",
      [item("x", "Cut"), item("x", "Sew")],
      "already_exists",
      'todos[1].id "x" is used twice. Give each todo its own id.',
    ],
    ["an empty id", [item("", "Cut")], "empty_text", "todos[0].id is empty."],
    ["an empty text", [item("x", " ")], "empty_text", "todos[0].content is empty."],
    [
      "a text over 500 characters",
      [item("x", "y".repeat(501))],
      "too_long",
      "todos[0].content has 501 characters; the limit is 500. Shorten it.",
    ],
  ])("refuses %s and changes nothing", (_, todos, code, message) => {
    const list = newList();
    write(list, item("k", "Keep me"));
    const before = list.read();
    const { ok, rejected } = write(list, ...todos);
    expect({ ok, rejected }).toEqual({ ok: false, rejected: [{ code, message }] });
    expect(list.read()).toEqual(before);
  });

  it("accepts several paths to one blocker", () => {
    const { ok } = write(
      newList(),
      item("a", "Cut"),
      item("b", "Sew", ["a"]),
      item("c", "Iron", ["a"]),
      item("d", "Pack", ["b", "c", "a"]),
    );
    expect(ok).toBe(true);
  });

  it("matches todos by id, whatever their text", () => {
    const list = newList();
    write(list, item("x", "Cut"), item("y", "Sew"));
    write(list, item("y", "Negotiate"), item("x", "Sew"));
    expect(shown(list)).toEqual(["2 [ ] Negotiate", "1 [ ] Sew"]);
  });
});
