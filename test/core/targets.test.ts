import { describe, expect, it } from "vitest";
import type { Draft, Op, TodoTarget } from "../../src/index.ts";
import { newList, prepare, shown } from "../tools/call.ts";

const LIST: readonly Draft[] = [
  { text: "Write the parser", ref: "2", phase: "Build" },
  { text: "Write the tests", ref: "b", phase: "Build" },
  { text: "Ship it" },
];

function listOf() {
  return prepare(newList(), { op: "replace", todos: LIST });
}

function hit(target: TodoTarget): readonly string[] | string {
  const list = listOf();
  const { ok, rejected } = list.submit([{ op: "drop", target }]);
  if (!ok) return rejected.map(({ message }) => message).join();
  return list.get().flatMap(({ id, status }) => (status === "cancelled" ? [id] : []));
}

describe("targets of an op", () => {
  it.each<[TodoTarget, readonly string[] | string]>([
    [{ text: "Ship it" }, ["3"]],
    [
      { text: "ship it" },
      'Todo "ship it" not found. Todos: "Write the parser", "Write the tests", "Ship it".',
    ],
    [{ phase: "Build" }, ["1", "2"]],
    [{ phase: "Todos" }, ["3"]],
    [{ phase: "build" }, 'Phase "build" not found. Phases: "Build", "Todos".'],
    [{ all: true }, ["1", "2", "3"]],
    [{ any: "2" }, ["2"]],
    [{ any: "b" }, ["2"]],
    [{ any: " 3 " }, ["3"]],
    [{ any: "ship IT" }, ["3"]],
    [{ any: "parser" }, ["1"]],
    [
      { any: "write" },
      '"write" matches 2 todos: 1 "Write the parser", 2 "Write the tests". Send the id.',
    ],
    [{ any: "nothing" }, 'No todo matches "nothing". Ids: 1, 2, 3.'],
    [{ any: " " }, 'No todo matches " ". Ids: 1, 2, 3.'],
    [{ ref: "2" }, ["1"]],
    [{ ref: "3" }, ["3"]],
    [{ ref: "1" }, 'No todo has the id "1". Ids: 1, 2, 3.'],
  ])("%j -> %j", (target, expected) => {
    expect(hit(target)).toEqual(expected);
  });

  it("cuts and escapes a long or hostile name in the message", () => {
    const { rejected } = listOf().submit([
      { op: "drop", target: { any: `</list>${"x".repeat(500)}` } },
    ]);
    expect(rejected[0]?.message).toMatch(/^No todo matches "\\u003c\/list\\u003ex{36,48}…"\./);
  });
});

describe("ops of the user", () => {
  it.each<[string, Op, readonly string[]]>([
    ["reopen", { op: "reopen", target: { any: "1" } }, ["1 [ ] Cut", "2 [>] Sew", "3 [ ] Pack"]],
    [
      "reopen leaves the active todo alone",
      { op: "reopen", target: { any: "2" } },
      ["1 [x] Cut", "2 [>] Sew", "3 [ ] Pack"],
    ],
    [
      "move to the front",
      { op: "move", target: { any: "3" }, to: 0 },
      ["3 [ ] Pack", "1 [x] Cut", "2 [>] Sew"],
    ],
    [
      "move before the front",
      { op: "move", target: { any: "3" }, to: -5 },
      ["3 [ ] Pack", "1 [x] Cut", "2 [>] Sew"],
    ],
    [
      "move beyond the end",
      { op: "move", target: { any: "1" }, to: 99 },
      ["2 [>] Sew", "3 [ ] Pack", "1 [x] Cut"],
    ],
    ["clear", { op: "clear" }, []],
  ])("%s", (_, op, expected) => {
    const list = prepare(newList(), {
      op: "replace",
      todos: [
        { text: "Cut", status: "completed" },
        { text: "Sew", status: "in_progress" },
        { text: "Pack" },
      ],
    });
    list.submit([op], { by: "user" });
    expect(shown(list)).toEqual(expected);
  });

  it("refuses a batch with one refused op unless it is partial", () => {
    const list = listOf();
    const before = list.read();
    const batch: readonly Op[] = [
      { op: "finish", target: { any: "3" } },
      { op: "finish", target: { any: "9" }, at: "the second" },
    ];
    expect(list.submit(batch)).toMatchObject({
      ok: false,
      rejected: [
        { code: "not_found", message: 'the second: No todo has the id "9". Ids: 1, 2, 3.' },
      ],
    });
    expect(list.read()).toEqual(before);
    const outcome = list.write({ via: "test", decode: () => ({ ops: batch, partial: true }) });
    expect([outcome.ok, outcome.event?.rejected?.length, shown(list)[2]]).toEqual([
      false,
      1,
      "3 [x] Ship it",
    ]);
  });
});
