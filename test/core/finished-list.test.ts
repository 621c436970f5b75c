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

describe("a finished list", () => {
  it("stays visible as finished", () => {
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
  ])("is replaced by the next list with %s, and stays in the history", (_, write) => {
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

  it("is replaced by init of the op tool, and continued by append", () => {
    const list = finished();
    ops(list, { op: "append", phase: "Ship", items: ["Pack"] });
    expect([list.read().list, shown(list)]).toEqual([1, ["1 [x] Cut", "2 [-] Sew", "3 [>] Pack"]]);
    ops(list, { op: "done" });
    ops(list, { op: "init", list: [{ phase: "Again", items: ["Read"] }] });
    expect([list.read().list, shown(list)]).toEqual([2, ["4 [>] Read"]]);
  });

  it("continues with a write that repeats the completed todos", () => {
    const list = finished();
    list.set([
      { text: "Cut", status: "completed" },
      { text: "Sew", status: "cancelled" },
      { text: "Pack" },
    ]);
    expect([list.read().list, shown(list)]).toEqual([1, ["1 [x] Cut", "2 [-] Sew", "3 [ ] Pack"]]);
  });

  it("continues with a reopened todo", () => {
    const list = finished();
    list.submit([{ op: "start", target: { any: "1" } }]);
    expect([list.read().list, shown(list)]).toEqual([1, ["1 [>] Cut", "2 [-] Sew"]]);
  });

  it("is replaced by one new list for all additions of a batch", () => {
    const list = finished();
    list.submit([add, { op: "add", todos: [{ text: "Send" }] }]);
    expect([list.read().list, shown(list)]).toEqual([2, ["3 [ ] Pack", "4 [ ] Send"]]);
  });

  it.each<[string, readonly Draft[]]>([
    ["open", [{ text: "Cut" }]],
    ["only dropped", [{ text: "Cut", status: "cancelled" }]],
  ])("does not include a list that is %s: additions are appended", (_, todos) => {
    const list = newList();
    list.set(todos);
    list.submit([add]);
    expect([list.read().list, list.get().length]).toEqual([1, 2]);
  });

  it("is reported as finished by the native tool", () => {
    const list = newList();
    call(list, "todos", { add: ["Cut"] });
    expect(call(list, "todos", { finish: ["1"] }).text).toBe(
      '1 [x] "Cut"\n1 of 1 done, 0 verified. The list is finished.',
    );
  });
});
