import { describe, expect, it } from "vitest";
import type { Op, ToolId } from "../../src/index.ts";
import { call, edit, type MemoryList, newList, ops, shown } from "../tools/call.ts";

const NOTICE = "The user changed the list: ";
const KEPT = " Your write did not know of it and did not undo it.";

function item(content: string, status = "pending") {
  return { content, status, activeForm: content };
}

/** What the model knows, and would send again. */
const KNOWN = [item("Cut", "in_progress"), item("Sew"), item("Pack")];

function known(): MemoryList {
  const list = newList();
  call(list, "TodoWrite", { todos: KNOWN });
  return list;
}

interface Case {
  readonly name: string;
  readonly edits: readonly Op[];
  /** The list as the person left it. */
  readonly wanted: readonly string[];
  readonly said: string;
  /** The write that repeats what the model knows would have undone it. */
  readonly kept: boolean;
}

const target = { any: "2" };

describe("a todo of the user that the model knows of", () => {
  /** Cut, Sew, Pack and the user's Iron between the last two; the model was told of it. */
  function told(): MemoryList {
    const list = known();
    edit(
      list,
      { op: "add", todos: [{ text: "Iron" }] },
      { op: "move", target: { any: "4" }, to: 2 },
    );
    call(list, "TodoWrite", { todos: [...KNOWN.slice(0, 2), item("Iron"), item("Pack")] });
    expect(list.read().unseen).toEqual([]);
    return list;
  }
  const agent = (list: MemoryList, ...done: readonly Op[]) => list.submit(done, { by: "agent" });
  const without = ["Cut", "Sew", "Pack"];
  const WORDS = 'Kept "Iron" (4): the user added it. Leaving it out does not drop it.';

  it.each<[ToolId, unknown]>([
    ["todos", { todos: without.map((text) => ({ text })) }],
    ["TodoWrite", { todos: without.map((text) => item(text)) }],
    ["update_plan", { plan: without.map((step) => ({ step, status: "pending" })) }],
    ["write_todos", { todos: without.map((description) => ({ description, status: "pending" })) }],
    [
      "todowrite",
      { todos: without.map((content) => ({ content, status: "pending", priority: "low" })) },
    ],
    [
      "todo_write.qwen",
      { todos: without.map((content, id) => ({ id: `${id}`, content, status: "pending" })) },
    ],
    [
      "todo",
      { todos: without.map((content, id) => ({ id: `${id}`, content, status: "pending" })) },
    ],
    ["TodoWrite", { todos: [item("Cut"), item("Sew"), item("Fold"), item("Pack")] }],
    ["TodoWrite", { todos: [] }],
  ])("%s keeps it where the whole list leaves it out", (tool, input) => {
    const list = told();
    const { text, kept } = call(list, tool, input);
    expect(list.read().todos.find(({ id }) => id === "4")).toMatchObject({ text: "Iron" });
    expect(kept).toEqual([{ id: "4", text: "Iron" }]);
    expect(text.replaceAll("\\", "")).toContain(WORDS);
  });

  it("keeps its place in the list", () => {
    const list = told();
    call(list, "TodoWrite", { todos: KNOWN });
    expect(shown(list).map((line) => line.split(" ").at(-1))).toEqual([
      "Cut",
      "Sew",
      "Iron",
      "Pack",
    ]);
  });

  it("is dropped by status and by name", () => {
    const cancelled = told();
    call(cancelled, "todos", { drop: "4" });
    expect(cancelled.read().todos.find(({ id }) => id === "4")?.status).toBe("cancelled");
    const removed = told();
    agent(removed, { op: "remove", target: { any: "4" } });
    expect(removed.read().todos.map(({ text }) => text)).toEqual(without);
  });

  it("is not dropped with all others", () => {
    for (const all of [{ op: "clear" }, { op: "remove", target: { all: true } }] as const) {
      const list = told();
      agent(list, all);
      expect(list.read().todos.map(({ text }) => text)).toEqual(["Iron"]);
    }
  });

  it("may be reworded, finished, and leaves with a finished list", () => {
    const list = told();
    call(list, "TodoWrite", { todos: [item("Iron it"), ...KNOWN] });
    expect(list.read().todos.map(({ id, text }) => `${id} ${text}`)).toContain("4 Iron it");
    const done = ["Cut", "Sew", "Iron it", "Pack"].map((text) => item(text, "completed"));
    call(list, "TodoWrite", { todos: done });
    call(list, "TodoWrite", { todos: [item("Ship")] });
    expect(list.read().todos.map(({ text }) => text)).toEqual(["Ship"]);
  });

  it("stays for a person to drop", () => {
    const list = told();
    edit(list, { op: "replace", todos: [{ text: "Cut" }] });
    expect(list.read().todos.map(({ text }) => text)).toEqual(["Cut"]);
  });
});

const CASES: readonly Case[] = [
  {
    name: "status: completed",
    edits: [{ op: "finish", target }],
    wanted: ["1 [>] Cut", "2 [x] Sew", "3 [ ] Pack"],
    said: 'completed "Sew" (kept).',
    kept: true,
  },
  {
    name: "status: dropped",
    edits: [{ op: "drop", target }],
    wanted: ["1 [>] Cut", "2 [-] Sew", "3 [ ] Pack"],
    said: 'dropped "Sew" (kept).',
    kept: true,
  },
  {
    name: "status: blocked, with its reason",
    edits: [{ op: "block", target, reason: "no thread" }],
    wanted: ["1 [>] Cut", "2 [!] Sew", "3 [ ] Pack"],
    said: 'blocked "Sew" (kept).',
    kept: true,
  },
  {
    name: "status: another one started",
    edits: [{ op: "start", target }],
    wanted: ["1 [ ] Cut", "2 [>] Sew", "3 [ ] Pack"],
    said: 'put back "Cut" (kept); started "Sew" (kept).',
    kept: true,
  },
  {
    name: "text",
    edits: [{ op: "edit", target, set: { text: "Glue" } }],
    wanted: ["1 [>] Cut", "2 [ ] Glue", "3 [ ] Pack"],
    said: 'renamed "Sew" to "Glue" (kept).',
    kept: true,
  },
  {
    name: "text and status",
    edits: [
      { op: "edit", target, set: { text: "Glue" } },
      { op: "finish", target },
    ],
    wanted: ["1 [>] Cut", "2 [x] Glue", "3 [ ] Pack"],
    said: 'completed "Glue", renamed "Sew" to "Glue" (kept).',
    kept: true,
  },
  {
    name: "removal",
    edits: [{ op: "remove", target }],
    wanted: ["1 [>] Cut", "3 [ ] Pack"],
    said: 'removed "Sew" (kept).',
    kept: true,
  },
  {
    name: "addition",
    edits: [{ op: "add", todos: [{ text: "Iron" }] }],
    wanted: ["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack", "4 [ ] Iron"],
    said: 'added "Iron" (kept).',
    kept: true,
  },
  {
    name: "order",
    edits: [{ op: "move", target: { any: "3" }, to: 0 }],
    wanted: ["3 [ ] Pack", "1 [>] Cut", "2 [ ] Sew"],
    said: "put the list in another order: 3, 1, 2.",
    kept: false,
  },
  {
    name: "note",
    edits: [{ op: "note", target, text: "red thread" }],
    wanted: ["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"],
    said: 'noted on "Sew": "red thread".',
    kept: false,
  },
  {
    name: "another field",
    edits: [{ op: "edit", target, set: { priority: "high" } }],
    wanted: ["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"],
    said: 'edited "Sew".',
    kept: false,
  },
];

describe("a person's edit is never silently undone", () => {
  it.each(CASES)("replace door, $name", ({ edits, wanted, said, kept }) => {
    const list = known();
    edit(list, ...edits);
    const fields = list.get();
    expect(shown(list)).toEqual(wanted);

    const first = call(list, "TodoWrite", { todos: KNOWN });
    expect(first.ok).toBe(true);
    expect(shown(list)).toEqual(wanted);
    expect(first.text.split("\n\n").at(-1)).toBe(`${NOTICE}${said}${kept ? KEPT : ""}`);
    // Notes, reasons and other fields, too, are as the person left them.
    for (const { id, notes, blocker, priority } of fields)
      expect(list.get().find((todo) => todo.id === id)).toMatchObject(
        JSON.parse(JSON.stringify({ notes, blocker, priority })),
      );
    expect(list.read()).toMatchObject({ unseen: [], unseenOrder: false });
  });

  it.each(CASES)("replace door, $name: it is said once, then the model may change it", (each) => {
    const list = known();
    edit(list, ...each.edits);
    call(list, "TodoWrite", { todos: KNOWN });
    const second = call(list, "TodoWrite", { todos: KNOWN });
    expect(second.text).not.toContain(NOTICE);
    // What the user added stays all the same.
    const added = each.name === "addition" ? [{ text: "Iron", status: "pending" }] : [];
    expect(list.get().map(({ text, status }) => ({ text, status }))).toEqual([
      ...KNOWN.map(({ content, status }) => ({ text: content, status })),
      ...added,
    ]);
  });

  it.each(CASES)("read door, $name: reading tells once and changes nothing", (each) => {
    const list = known();
    edit(list, ...each.edits);
    const said = each.said.replaceAll(" (kept)", "");
    const before = list.get();
    expect(call(list, "todos", {}).text.split("\n\n").at(-1)).toBe(`${NOTICE}${said}`);
    expect(call(list, "todos", {}).text).not.toContain(NOTICE);
    expect(list.get()).toEqual(before);
    // Having been told, the model may write what it wants.
    call(list, "TodoWrite", { todos: KNOWN });
    // What the user added stays all the same.
    const added = each.name === "addition" ? ["Iron"] : [];
    expect(list.get().map((todo) => todo.text)).toEqual(["Cut", "Sew", "Pack", ...added]);
  });

  it.each(CASES)("patch door, $name: a change elsewhere leaves it alone and tells once", (each) => {
    const list = known();
    edit(list, ...each.edits);
    const said = each.said.replaceAll(" (kept)", "");
    const first = call(list, "todos", { note: { todo: "1", text: "sharp" } });
    expect(first.text.split("\n\n").at(-1)).toBe(`${NOTICE}${said}`);
    expect(shown(list)).toEqual(each.wanted);
    expect(call(list, "todos", { note: { todo: "1", text: "sharp" } }).text).not.toContain(NOTICE);
  });

  it("patch door: a patch of the very todo that does not know of the edit is kept from undoing it", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    const { text } = call(list, "todos", { start: "2" });
    expect(text.split("\n\n").at(-1)).toBe(`${NOTICE}dropped "Sew" (kept).${KEPT}`);
    expect(list.get()[1]?.status).toBe("cancelled");
  });

  it("ops door: done on everything does not undo what the person dropped", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    const { text } = ops(list, { op: "done" });
    expect(shown(list)).toEqual(["1 [x] Cut", "2 [-] Sew", "3 [x] Pack"]);
    expect(text).toContain(`${NOTICE}dropped "Sew" (kept).${KEPT}`);
  });

  it("a refused call does not use up the telling, whatever tool was called", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    expect(ops(list, { op: "done", task: "Nope" }).text).not.toContain(NOTICE);
    expect(call(list, "TodoWrite", { todos: "x" }).text).not.toContain(NOTICE);
    expect(call(list, "todos", {}).text).toContain(NOTICE);
  });

  it("a partly refused call that changed something tells, once", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    const batch = [
      { op: "done", task: "Nope" },
      { op: "done", task: "Cut" },
    ];
    expect(ops(list, ...batch).text).toContain(NOTICE);
    expect(ops(list, ...batch).text).not.toContain(NOTICE);
  });

  it("a duplicate of a call is not told again", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    expect(call(list, "TodoWrite", { todos: KNOWN }, { key: "x" }).text).toContain(NOTICE);
    expect(call(list, "TodoWrite", { todos: KNOWN }, { key: "x" }).text).not.toContain(NOTICE);
  });

  it("finishing what the person started goes on with it and undoes nothing", () => {
    const list = known();
    edit(list, { op: "start", target: { any: "2" } });
    const todos = [item("Cut"), item("Sew", "completed"), item("Pack")];
    const { text } = call(list, "TodoWrite", { todos });
    expect(shown(list)).toEqual(["1 [ ] Cut", "2 [x] Sew", "3 [ ] Pack"]);
    expect(text).not.toContain("(kept)");
  });

  it("a person's addition that the model also sends is one todo", () => {
    const list = known();
    edit(list, { op: "add", todos: [{ text: "Iron" }] });
    call(list, "TodoWrite", { todos: [...KNOWN, item("Iron")] });
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack", "4 [ ] Iron"]);
  });

  it("what the person added and removed again was never there for the model", () => {
    const list = known();
    edit(list, { op: "add", todos: [{ text: "Iron" }] });
    edit(list, { op: "remove", target: { any: "4" } });
    expect(call(list, "todos", {}).text).not.toContain(NOTICE);
  });

  it("a list that the person finished is not taken for the model's own: its edits are told first", () => {
    const list = known();
    edit(list, { op: "finish", target: { all: true } });
    const { text } = call(list, "TodoWrite", { todos: KNOWN });
    expect(shown(list)).toEqual(["1 [x] Cut", "2 [x] Sew", "3 [x] Pack"]);
    expect(text).toContain(
      `${NOTICE}completed "Cut" (kept); completed "Sew" (kept); completed "Pack" (kept).${KEPT}`,
    );
  });

  it("of many edits the first six are told, and the whole list stands below", () => {
    const list = newList();
    call(list, "TodoWrite", {
      todos: Array.from({ length: 9 }, (_, n) => item(`Step ${n + 1}`)),
    });
    edit(list, { op: "drop", target: { all: true } });
    const said = [1, 2, 3, 4, 5, 6].map((n) => `dropped "Step ${n}"`).join("; ");
    expect(call(list, "todos", {}).text.split("\n\n").at(-1)).toBe(
      [
        `${NOTICE}${said}; 3 more changes, the list below has them all.`,
        ...Array.from({ length: 9 }, (_, n) => `${n + 1}. [-] "Step ${n + 1}"`),
      ].join("\n"),
    );
  });

  it("a todo that a person added can be worked on by whoever names it", () => {
    const list = known();
    edit(list, { op: "add", todos: [{ text: "Iron" }] });
    const { ok, kept } = call(list, "todos", { start: "4" });
    expect({ ok, kept, shown: shown(list) }).toEqual({
      ok: true,
      shown: ["1 [ ] Cut", "2 [ ] Sew", "3 [ ] Pack", "4 [>] Iron"],
    });
  });

  it("who means all todos does not mean one that they do not know", () => {
    const list = known();
    edit(list, { op: "add", todos: [{ text: "Iron" }] });
    ops(list, { op: "done" });
    expect(shown(list)).toEqual(["1 [x] Cut", "2 [x] Sew", "3 [x] Pack", "4 [>] Iron"]);
  });

  it.each([
    ["add", "todos", { add: ["Sew"] }],
    ["append", "todo_write.ops", { ops: [{ op: "append", phase: "Todos", items: ["Sew"] }] }],
    ["merge", "todo", { todos: [{ id: "x", content: "Sew" }], merge: true }],
  ] as const)("a removed todo does not come back by %s either", (_, tool, input) => {
    const list = known();
    edit(list, { op: "remove", target: { any: "2" } });
    const { text, kept } = call(list, tool, input);
    expect(list.get().map((todo) => todo.text)).toEqual(["Cut", "Pack"]);
    expect(kept).toEqual([{ id: "2", text: "Sew" }]);
    expect(text.replaceAll("\\", "")).toContain('removed "Sew" (kept)');
    expect(call(list, tool, input).ok).toBe(true);
    expect(list.get().map((todo) => todo.text)).toEqual(["Cut", "Pack", "Sew"]);
  });

  it("an edit that was taken back is no edit", () => {
    const list = known();
    edit(list, { op: "finish", target: { any: "2" } });
    edit(list, { op: "reopen", target: { any: "2" } });
    expect(list.read().unseen).toEqual([]);
    expect(call(list, "todos", { finish: ["2"] }).text).not.toContain(NOTICE);
  });

  it("a todo is still found by the text that the agent knows, and a removed one is said to be", () => {
    const list = known();
    edit(list, { op: "edit", target: { any: "2" }, set: { text: "Stitch" } });
    edit(list, { op: "remove", target: { any: "3" } });
    expect(call(list, "todos", { finish: ["Pack"] }).text).toBe(
      'Nothing was changed. Todo "Pack" not found: the user removed it.',
    );
    call(list, "todos", { finish: ["Sew"] });
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [x] Stitch"]);
  });

  it("the event says which edits were kept", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    const { event } = list.set(KNOWN.map(({ content }) => ({ text: content, status: "pending" })));
    expect(event?.kept).toEqual([
      { id: "2", knownText: "Sew", knownStatus: "pending", status: "cancelled" },
    ]);
  });

  it("the system's own writes are no person's edits", () => {
    const list = known();
    list.submit([{ op: "drop", target: { any: "2" } }], { by: "system" });
    expect(call(list, "TodoWrite", { todos: KNOWN }).text).not.toContain(NOTICE);
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"]);
  });
});
