import { describe, expect, it } from "vitest";
import { call, edit, type MemoryList, newList, ops, shown } from "../tools/call.ts";

const PLAN_MODE = {
  code: "plan_mode",
  message:
    "The list is read-only in plan mode. Finish the plan, ask the user to approve it, then write the list.",
};

function planning(): MemoryList {
  const list = newList();
  list.set([{ text: "Cut" }]);
  list.submit([{ op: "mode", mode: "plan" }], { by: "user" });
  return list;
}

const WRITES = [
  ["TodoWrite", { todos: [] }],
  ["todos", { start: "1" }],
  ["todo_write.ops", { ops: [{ op: "done" }] }],
  ["update_plan", { plan: [] }],
  ["write_todos", { todos: [] }],
  ["todo", { todos: [] }],
  ["todowrite", { todos: [] }],
  ["todo_write.qwen", { todos: [] }],
] as const;

describe("plan mode", () => {
  it.each(WRITES)("refuses %s with the reason if the track is in plan mode", (id, input) => {
    const list = planning();
    const before = list.read();
    const { ok, rejected, text } = call(list, id, input);
    expect({ ok, rejected }).toEqual({ ok: false, rejected: [PLAN_MODE] });
    expect(text).toContain(PLAN_MODE.message);
    expect(list.read()).toEqual(before);
  });

  it.each(WRITES)("refuses %s if the host is in plan mode", (id, input) => {
    const list = newList();
    list.set([{ text: "Cut" }]);
    const before = list.read();
    expect(call(list, id, input, { planMode: true }).rejected).toEqual([PLAN_MODE]);
    expect(list.read()).toEqual(before);
  });

  it("allows reading", () => {
    const list = planning();
    for (const result of [
      call(list, "todos", {}, { planMode: true }),
      call(list, "todo", {}, { planMode: true }),
      ops(list, { op: "view" }),
    ])
      expect(result).toMatchObject({ ok: true, rejected: [] });
  });

  it("allows user edits, and shows them to the model", () => {
    const list = planning();
    edit(list, { op: "add", todos: [{ text: "Sew" }] });
    expect(shown(list)).toEqual(["1 [ ] Cut", "2 [ ] Sew"]);
    expect(call(list, "todos", {}).text).toContain(
      'The user changed your list before this call: added 2 "Sew".',
    );
  });

  it("ends with work mode", () => {
    const list = planning();
    list.submit([{ op: "mode", mode: "work" }], { by: "user" });
    expect(call(list, "todos", { start: "1" }).ok).toBe(true);
    expect(list.read().mode).toBe("work");
  });
});
