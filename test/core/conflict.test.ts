import { describe, expect, test } from "vitest";
import { conflictOf } from "../../src/core/list/conflict.ts";
import type { Op, Todo } from "../../src/core/model.ts";

const todo = (id: string, more: Partial<Todo> = {}): Todo => ({
  id,
  text: `Do ${id}`,
  status: "pending",
  createdAt: 1,
  movedBy: "agent",
  ...more,
});
const target = { any: "1" };
/** Which todo an op would overwrite, if the user saw the first todo as `seen`. */
const clash = (op: object, now: Partial<Todo>, seen: Partial<Todo> = todo("1")) =>
  conflictOf({ todos: [todo("1", now), todo("2")] }, [op as Op], { "1": seen })?.theirs.id;

describe("a change of a todo that changed since the user saw it", () => {
  test.each<[string, object, Partial<Todo>, string | undefined]>([
    [
      "edits the text that changed",
      { op: "edit", target, set: { text: "Mine" } },
      { text: "Theirs" },
      "1",
    ],
    [
      "makes the same edit",
      { op: "edit", target, set: { text: "Same" } },
      { text: "Same" },
      undefined,
    ],
    [
      "edits another field",
      { op: "edit", target, set: { priority: 1 } },
      { text: "Theirs" },
      undefined,
    ],
    [
      "edits a field that was added",
      { op: "edit", target, set: { phase: "a" } },
      { phase: "b" },
      "1",
    ],
    [
      "removes a field that nothing has",
      { op: "edit", target, set: { phase: null } },
      {},
      undefined,
    ],
    [
      "removes a field that changed",
      { op: "edit", target, set: { phase: null } },
      { phase: "b" },
      "1",
    ],
    ["removes it after its text changed", { op: "remove", target }, { text: "Theirs" }, "1"],
    ["removes it after its status changed", { op: "remove", target }, { status: "completed" }, "1"],
    ["removes it as the user saw it", { op: "remove", target }, {}, undefined],
    [
      "adds a note",
      { op: "note", target, text: "n" },
      { text: "Theirs", status: "completed" },
      undefined,
    ],
    [
      "moves it",
      { op: "move", target, to: "end" },
      { text: "Theirs", status: "completed" },
      undefined,
    ],
    [
      "names no todo that is there",
      { op: "remove", target: { any: "9" } },
      { text: "Theirs" },
      undefined,
    ],
    ["names no todo at all", { op: "add", todos: [] }, { text: "Theirs" }, undefined],
  ])("%s", (_, op, now, expected) => {
    expect(clash(op, now)).toBe(expected);
  });

  test.each([
    ["start", "in_progress"],
    ["finish", "completed"],
    ["drop", "cancelled"],
    ["block", "blocked"],
  ] as const)("%s conflicts with other changes of the status only", (op, status) => {
    expect(clash({ op, target }, {})).toBeUndefined();
    expect(clash({ op, target }, { status })).toBeUndefined();
    expect(clash({ op, target }, { text: "Theirs" })).toBeUndefined();
    const other = status === "completed" ? "cancelled" : "completed";
    expect(clash({ op, target }, { status: other })).toBe("1");
  });

  test.each(["reopen", "unblock"])("%s agrees with a todo that is pending again", (op) => {
    const seen = todo("1", { status: "blocked" });
    expect(clash({ op, target }, { status: "pending" }, seen)).toBeUndefined();
    expect(clash({ op, target }, { status: "in_progress" }, seen)).toBe("1");
  });

  test("is reported for the first op that overwrites one, with both versions", () => {
    const todos = [todo("1", { text: "A" }), todo("2", { text: "B" }), todo("3")];
    const ops = ["3", "2", "1"].map((any) => ({ op: "remove", target: { any } }) as Op);
    const base = { "1": todo("1"), "2": todo("2"), "3": todo("3") };
    expect(conflictOf({ todos }, ops, base)).toEqual({ yours: todo("2"), theirs: todos[1] });
    expect(conflictOf({ todos }, ops, {})).toBeUndefined();
  });
});
