import { describe, expect, it } from "vitest";
import type { Draft, Op } from "../../src/index.ts";
import { call, type MemoryList, newList, ops, shown } from "../tools/call.ts";

function finished(): MemoryList {
  const list = newList();
  list.set([
    { text: "Cut", status: "completed" },
    { text: "Sew", status: "cancelled" },
  ]);
  return list;
}

const add: Op = { op: "add", todos: [{ text: "Pack" }] };

describe("SPEC A8, a finished list", () => {
  it("SPEC A8: stays visible as finished", () => {
    expect(shown(finished())).toEqual(["1 [x] Cut", "2 [-] Sew"]);
  });

  it.each<[string, (list: MemoryList) => unknown]>([
    ["a rewrite", (list) => list.set([{ text: "Pack" }])],
    ["an addition", (list) => list.submit([add])],
    [
      "TodoWrite",
      (list) =>
        call(list, "TodoWrite", {
          todos: [{ content: "Pack", status: "pending", activeForm: "Packing" }],
        }),
    ],
    ["todos with add", (list) => call(list, "todos", { add: ["Pack"] })],
    [
      "update_plan",
      (list) => call(list, "update_plan", { plan: [{ step: "Pack", status: "pending" }] }),
    ],
    [
      "todo with merge",
      (list) =>
        call(list, "todo", {
          todos: [{ id: "p", content: "Pack", status: "pending" }],
          merge: true,
        }),
    ],
  ])("SPEC A8: %s starts the next list, the former stays in history", (_, write) => {
    const list = finished();
    write(list);
    expect([list.read().list, shown(list)]).toEqual([2, ["3 [ ] Pack"]]);
    expect(list.at(1_000).todos.map((todo) => todo.text)).toEqual(["Cut", "Sew"]);
    expect(list.history().map(({ text, change }) => `${change} ${text}`)).toEqual([
      "added Cut",
      "added Sew",
      "added Pack",
    ]);
  });

  it("SPEC A8: init of the op tool starts the next list, append continues this one", () => {
    const list = finished();
    ops(list, { op: "append", phase: "Ship", items: ["Pack"] });
    expect([list.read().list, shown(list)]).toEqual([1, ["1 [x] Cut", "2 [-] Sew", "3 [>] Pack"]]);
    ops(list, { op: "done" });
    ops(list, { op: "init", list: [{ phase: "Again", items: ["Read"] }] });
    expect([list.read().list, shown(list)]).toEqual([2, ["4 [>] Read"]]);
  });

  it("SPEC A8: a write that repeats what was done goes on with the list", () => {
    const list = finished();
    list.set([
      { text: "Cut", status: "completed" },
      { text: "Sew", status: "cancelled" },
      { text: "Pack" },
    ]);
    expect([list.read().list, shown(list)]).toEqual([1, ["1 [x] Cut", "2 [-] Sew", "3 [ ] Pack"]]);
  });

  it("SPEC A8: reopening a todo goes on with the list", () => {
    const list = finished();
    list.submit([{ op: "start", target: { any: "1" } }]);
    expect([list.read().list, shown(list)]).toEqual([1, ["1 [>] Cut", "2 [-] Sew"]]);
  });

  it("SPEC A8: additions in one batch go to one and the same new list", () => {
    const list = finished();
    list.submit([add, { op: "add", todos: [{ text: "Send" }] }]);
    expect([list.read().list, shown(list)]).toEqual([2, ["3 [ ] Pack", "4 [ ] Send"]]);
  });

  it.each<[string, readonly Draft[]]>([
    ["open", [{ text: "Cut" }]],
    ["only dropped", [{ text: "Cut", status: "cancelled" }]],
  ])("SPEC A8: a list that is %s is not finished, additions join it", (_, todos) => {
    const list = newList();
    list.set(todos);
    list.submit([add]);
    expect([list.read().list, list.get().length]).toEqual([1, 2]);
  });

  it("SPEC A8: the native tool says that the list is finished", () => {
    const list = newList();
    call(list, "todos", { add: ["Cut"] });
    expect(call(list, "todos", { finish: ["1"] }).text).toBe(
      '1. [x] "Cut"\n(1/1 completed) The list is finished.',
    );
  });
});
