import { describe, expect, it } from "vitest";
import { type MemoryList, newList, ops, shown } from "../tools/call.ts";

const LONG = `Rewrite the importer so that ${"every row ".repeat(20)}is checked`;
const PHASE = `Preparation of ${"the release ".repeat(10)}and after`;

function started(): MemoryList {
  const list = newList();
  const init = {
    op: "init",
    list: [
      { phase: "Build", items: ["Cut", LONG] },
      { phase: PHASE, items: ["Pack"] },
    ],
  };
  ops(list, init);
  return list;
}

/** The information in each of the nine messages of op tool: the op, the field or the name. */
const NINE: readonly (readonly [string, unknown, readonly string[]])[] = [
  ["Missing list for init operation", { op: "init" }, ["init", "list"]],
  ["Missing task content", { op: "start" }, ["start", "task", "content"]],
  ['Task "..." not found', { op: "done", task: `${LONG}!` }, [`"${LONG}!"`, `"Cut"`, `"${LONG}"`]],
  ["Missing phase name", { op: "rm", phase: "" }, ["rm", "phase", "name"]],
  [
    'Phase "..." not found',
    { op: "done", phase: `${PHASE}!` },
    [`"${PHASE}!"`, `"Build"`, `"${PHASE}"`],
  ],
  [
    "Missing phase name for append operation",
    { op: "append", items: ["x"] },
    ["append", "phase", "name"],
  ],
  ["Missing items for append operation", { op: "append", phase: "Build" }, ["append", "items"]],
  ['Task "..." already exists', { op: "append", phase: PHASE, items: [LONG] }, [`"${LONG}"`]],
  ["Missing text for note operation", { op: "note", task: "Cut" }, ["note", "text"]],
];

describe("op tool, the nine errors", () => {
  it.each(NINE)("op tool, nine errors: %s keeps its information", (_, entry, facts) => {
    const list = started();
    const before = list.read();
    const { ok, text, rejected } = ops(list, entry);
    expect({ ok, errors: rejected.length }).toEqual({ ok: false, errors: 1 });
    const [first = ""] = text.split("\n");
    expect(first).toMatch(/^Errors: ops\[0\]: /);
    expect(facts.filter((fact) => !first.includes(fact))).toEqual([]);
    expect(list.read()).toEqual(before);
  });

  it("op tool, nine errors: there are nine", () => {
    expect(new Set(NINE.map(([message]) => message)).size).toBe(9);
  });

  it("names existing tasks whole, and counts those that do not fit", () => {
    const list = newList();
    const items = Array.from({ length: 40 }, (_, index) => `Task number ${index} of many`);
    ops(list, { op: "init", list: [{ phase: "All", items }] });
    const { rejected } = ops(list, { op: "start", task: "Fly" });
    const message = rejected[0]?.message ?? "";
    expect(message).toMatch(/"Task number 2\d of many", and \d+ more\.$/);
    expect(message.length).toBeLessThan(800);
  });

  it("does not call the list empty after an init of the same call", () => {
    const init = { op: "init", list: [{ phase: "Build", items: ["Cut"] }] };
    const { rejected } = ops(newList(), init, { op: "start" });
    expect(rejected.map(({ message }) => message)).toEqual([
      "ops[1]: start needs task, the content of a task.",
    ]);
  });
});

describe("op tool, append after everything is done", () => {
  function finished(): MemoryList {
    const list = newList();
    ops(list, { op: "init", list: [{ phase: "Build", items: ["Cut", "Sew"] }] }, { op: "done" });
    return list;
  }

  it("op tool, append after the end: refuses a task that was done", () => {
    const list = finished();
    const before = list.read();
    expect(ops(list, { op: "append", phase: "Build", items: ["Cut"] }).rejected).toEqual([
      { code: "already_exists", message: 'ops[0]: Task "Cut" already exists.' },
    ]);
    expect(list.read()).toEqual(before);
  });

  it("op tool, append after the end: adds a new task to the list and starts it", () => {
    const list = finished();
    ops(list, { op: "append", phase: "Build", items: ["Iron"] });
    expect(shown(list)).toEqual(["1 [x] Cut", "2 [x] Sew", "3 [>] Iron"]);
    expect(list.read().list).toBe(1);
  });
});
