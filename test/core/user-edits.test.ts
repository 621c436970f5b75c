import { describe, expect, it } from "vitest";
import type { Op, ToolId } from "../../src/index.ts";
import { call, edit, type MemoryList, newList, ops, shown } from "../tools/call.ts";

const NOTICE = "The user changed your list before this call: ";
const KEPT = " Your call did not overwrite it.";
const ALL_KEPT = " Your call did not overwrite them.";

function item(content: string, status = "pending") {
  return { content, status, activeForm: content };
}

/** The list that the model knows and would send again. */
const KNOWN = [item("Cut", "in_progress"), item("Sew"), item("Pack")];

function known(): MemoryList {
  const list = newList();
  call(list, "TodoWrite", { todos: KNOWN });
  return list;
}

interface Case {
  readonly name: string;
  readonly edits: readonly Op[];
  /** The list after the user's edit. */
  readonly wanted: readonly string[];
  /** The notice; tools that take ids name todos by id and text. */
  readonly said: (name: (id: number, text: string) => string) => string;
  /** Whether repeating the known list would have undone the edit. */
  readonly kept: boolean;
}

const target = { any: "2" };

describe("a todo of the user that the model has seen", () => {
  /** Cut, Sew, Pack and the user's Iron between the last two, which the model has seen. */
  function received(): MemoryList {
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
  const WORDS = 'Kept "Iron" (4): the user added it. Leaving it out does not remove it.';

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
  ])("is kept by %s if the whole list leaves it out", (tool, input) => {
    const list = received();
    const { text, kept } = call(list, tool, input);
    expect(list.read().todos.find(({ id }) => id === "4")).toMatchObject({ text: "Iron" });
    expect(kept).toEqual([{ id: "4", text: "Iron" }]);
    expect(text.replaceAll("\\", "")).toContain(WORDS);
  });

  it("keeps its position in the list", () => {
    const list = received();
    call(list, "TodoWrite", { todos: KNOWN });
    expect(shown(list).map((line) => line.split(" ").at(-1))).toEqual([
      "Cut",
      "Sew",
      "Iron",
      "Pack",
    ]);
  });

  it("can be dropped by status and by name", () => {
    const cancelled = received();
    call(cancelled, "todos", { drop: "4" });
    expect(cancelled.read().todos.find(({ id }) => id === "4")?.status).toBe("cancelled");
    const removed = received();
    agent(removed, { op: "remove", target: { any: "4" } });
    expect(removed.read().todos.map(({ text }) => text)).toEqual(without);
  });

  it("is not dropped together with all others", () => {
    for (const all of [{ op: "clear" }, { op: "remove", target: { all: true } }] as const) {
      const list = received();
      agent(list, all);
      expect(list.read().todos.map(({ text }) => text)).toEqual(["Iron"]);
    }
  });

  it("can be reworded and finished, and leaves with a finished list", () => {
    const list = received();
    call(list, "TodoWrite", { todos: [item("Iron it"), ...KNOWN] });
    expect(list.read().todos.map(({ id, text }) => `${id} ${text}`)).toContain("4 Iron it");
    const done = ["Cut", "Sew", "Iron it", "Pack"].map((text) => item(text, "completed"));
    call(list, "TodoWrite", { todos: done });
    call(list, "TodoWrite", { todos: [item("Ship")] });
    expect(list.read().todos.map(({ text }) => text)).toEqual(["Ship"]);
  });

  it("can be dropped by the user", () => {
    const list = received();
    edit(list, { op: "replace", todos: [{ text: "Cut" }] });
    expect(list.read().todos.map(({ text }) => text)).toEqual(["Cut"]);
  });
});

const byText = (_id: number, text: string) => `"${text}"`;
const byId = (id: number, text: string) => `${id} "${text}"`;

const CASES: readonly Case[] = [
  {
    name: "status: completed",
    edits: [{ op: "finish", target }],
    wanted: ["1 [>] Cut", "2 [x] Sew", "3 [ ] Pack"],
    said: (name) => `completed ${name(2, "Sew")}.`,
    kept: true,
  },
  {
    name: "status: dropped",
    edits: [{ op: "drop", target }],
    wanted: ["1 [>] Cut", "2 [-] Sew", "3 [ ] Pack"],
    said: (name) => `cancelled ${name(2, "Sew")}.`,
    kept: true,
  },
  {
    name: "status: blocked, with its reason",
    edits: [{ op: "block", target, reason: "no thread" }],
    wanted: ["1 [>] Cut", "2 [!] Sew", "3 [ ] Pack"],
    said: (name) => `blocked ${name(2, "Sew")}.`,
    kept: true,
  },
  {
    name: "status: another one started",
    edits: [{ op: "start", target }],
    wanted: ["1 [ ] Cut", "2 [>] Sew", "3 [ ] Pack"],
    said: (name) => `set ${name(1, "Cut")} back to pending; started ${name(2, "Sew")}.`,
    kept: true,
  },
  {
    name: "text",
    edits: [{ op: "edit", target, set: { text: "Glue" } }],
    wanted: ["1 [>] Cut", "2 [ ] Glue", "3 [ ] Pack"],
    said: (name) => `renamed ${name(2, "Sew")} to "Glue".`,
    kept: true,
  },
  {
    name: "text and status",
    edits: [
      { op: "edit", target, set: { text: "Glue" } },
      { op: "finish", target },
    ],
    wanted: ["1 [>] Cut", "2 [x] Glue", "3 [ ] Pack"],
    said: (name) => `completed ${name(2, "Glue")}, renamed ${name(2, "Sew")} to "Glue".`,
    kept: true,
  },
  {
    name: "removal",
    edits: [{ op: "remove", target }],
    wanted: ["1 [>] Cut", "3 [ ] Pack"],
    said: (name) => `removed ${name(2, "Sew")}.`,
    kept: true,
  },
  {
    name: "addition",
    edits: [{ op: "add", todos: [{ text: "Iron" }] }],
    wanted: ["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack", "4 [ ] Iron"],
    said: (name) => `added ${name(4, "Iron")}.`,
    kept: true,
  },
  {
    name: "order",
    edits: [{ op: "move", target: { any: "3" }, to: 0 }],
    wanted: ["3 [ ] Pack", "1 [>] Cut", "2 [ ] Sew"],
    said: (name) =>
      name === byText
        ? 'reordered the list: "Pack", "Cut", "Sew".'
        : "reordered the list: 3, 1, 2.",
    kept: false,
  },
  {
    name: "note",
    edits: [{ op: "note", target, text: "red thread" }],
    wanted: ["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"],
    said: (name) => `added a note to ${name(2, "Sew")}: "red thread".`,
    kept: false,
  },
  {
    name: "another field",
    edits: [{ op: "edit", target, set: { priority: "high" } }],
    wanted: ["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"],
    said: (name) => `edited ${name(2, "Sew")}.`,
    kept: false,
  },
];

describe("user edits are never undone silently", () => {
  it.each(CASES)("replace, $name", ({ edits, wanted, said: printed, kept }) => {
    const list = known();
    edit(list, ...edits);
    const fields = list.get();
    expect(shown(list)).toEqual(wanted);

    const first = call(list, "TodoWrite", { todos: KNOWN });
    expect(first.ok).toBe(true);
    expect(shown(list)).toEqual(wanted);
    expect(first.text.split("\n\n").at(-1)).toBe(
      `${NOTICE}${printed(byText)}${kept ? (edits[0]?.op === "start" ? ALL_KEPT : KEPT) : ""}`,
    );
    // Notes, blockers and other fields are kept too.
    for (const { id, notes, blocker, priority } of fields)
      expect(list.get().find((todo) => todo.id === id)).toMatchObject(
        JSON.parse(JSON.stringify({ notes, blocker, priority })),
      );
    expect(list.read()).toMatchObject({ unseen: [], unseenOrder: false });
  });

  it.each(CASES)("replace, $name: is reported once, then the model may change it", (each) => {
    const list = known();
    edit(list, ...each.edits);
    call(list, "TodoWrite", { todos: KNOWN });
    const second = call(list, "TodoWrite", { todos: KNOWN });
    expect(second.text).not.toContain(NOTICE);
    // Todos that the user added stay anyway.
    const added = each.name === "addition" ? [{ text: "Iron", status: "pending" }] : [];
    expect(list.get().map(({ text, status }) => ({ text, status }))).toEqual([
      ...KNOWN.map(({ content, status }) => ({ text: content, status })),
      ...added,
    ]);
  });

  it.each(CASES)("read, $name: is reported once and changes nothing", (each) => {
    const list = known();
    edit(list, ...each.edits);
    const printed = each.said(byId);
    const before = list.get();
    expect(call(list, "todos", {}).text.split("\n\n").at(-1)).toBe(`${NOTICE}${printed}`);
    expect(call(list, "todos", {}).text).not.toContain(NOTICE);
    expect(list.get()).toEqual(before);
    // After seeing the edit, the model may change everything.
    call(list, "TodoWrite", { todos: KNOWN });
    // Todos that the user added stay anyway.
    const added = each.name === "addition" ? ["Iron"] : [];
    expect(list.get().map((todo) => todo.text)).toEqual(["Cut", "Sew", "Pack", ...added]);
  });

  it.each(CASES)("patch, $name: is reported once and kept by a change elsewhere", (each) => {
    const list = known();
    edit(list, ...each.edits);
    const printed = each.said(byId);
    const first = call(list, "todos", { note: { todo: "1", text: "sharp" } });
    expect(first.text.split("\n\n").at(-1)).toBe(`${NOTICE}${printed}`);
    expect(shown(list)).toEqual(each.wanted);
    expect(call(list, "todos", { note: { todo: "1", text: "sharp" } }).text).not.toContain(NOTICE);
  });

  it("patch: does not undo the edit of the same todo", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    const { text } = call(list, "todos", { start: "2" });
    expect(text.split("\n\n").at(-1)).toBe(`${NOTICE}cancelled 2 "Sew".${KEPT}`);
    expect(list.get()[1]?.status).toBe("cancelled");
  });

  it("ops: done on everything keeps dropped todos", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    const { text } = ops(list, { op: "done" });
    expect(shown(list)).toEqual(["1 [x] Cut", "2 [-] Sew", "3 [x] Pack"]);
    expect(text).toContain(`${NOTICE}cancelled "Sew".${KEPT}`);
  });

  it("are still reported after a refused call of any tool", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    expect(ops(list, { op: "done", task: "Nope" }).text).not.toContain(NOTICE);
    expect(call(list, "TodoWrite", { todos: "x" }).text).not.toContain(NOTICE);
    expect(call(list, "todos", {}).text).toContain(NOTICE);
  });

  it("are reported once by a partly refused call", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    const batch = [
      { op: "done", task: "Nope" },
      { op: "done", task: "Cut" },
    ];
    expect(ops(list, ...batch).text).toContain(NOTICE);
    expect(ops(list, ...batch).text).not.toContain(NOTICE);
  });

  it("are not reported to a duplicate call", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    expect(call(list, "TodoWrite", { todos: KNOWN }, { key: "x" }).text).toContain(NOTICE);
    expect(call(list, "TodoWrite", { todos: KNOWN }, { key: "x" }).text).not.toContain(NOTICE);
  });

  it("allow finishing a todo that the user started", () => {
    const list = known();
    edit(list, { op: "start", target: { any: "2" } });
    const todos = [item("Cut"), item("Sew", "completed"), item("Pack")];
    const { text } = call(list, "TodoWrite", { todos });
    expect(shown(list)).toEqual(["1 [ ] Cut", "2 [x] Sew", "3 [ ] Pack"]);
    expect(text).not.toContain("(kept)");
  });

  it("merge an addition that the model sends too", () => {
    const list = known();
    edit(list, { op: "add", todos: [{ text: "Iron" }] });
    call(list, "TodoWrite", { todos: [...KNOWN, item("Iron")] });
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack", "4 [ ] Iron"]);
  });

  it("omit todos that were added and removed", () => {
    const list = known();
    edit(list, { op: "add", todos: [{ text: "Iron" }] });
    edit(list, { op: "remove", target: { any: "4" } });
    expect(call(list, "todos", {}).text).not.toContain(NOTICE);
  });

  it("are reported before a list that the user finished is replaced", () => {
    const list = known();
    edit(list, { op: "finish", target: { all: true } });
    const { text } = call(list, "TodoWrite", { todos: KNOWN });
    expect(shown(list)).toEqual(["1 [x] Cut", "2 [x] Sew", "3 [x] Pack"]);
    expect(text).toContain(
      `${NOTICE}completed "Cut"; completed "Sew"; completed "Pack".${ALL_KEPT}`,
    );
  });

  it("list the first six of many edits, with the whole list", () => {
    const list = newList();
    call(list, "TodoWrite", {
      todos: Array.from({ length: 9 }, (_, n) => item(`Step ${n + 1}`)),
    });
    edit(list, { op: "drop", target: { all: true } });
    const printed = [1, 2, 3, 4, 5, 6].map((n) => `cancelled ${n} "Step ${n}"`).join("; ");
    expect(call(list, "todos", {}).text.split("\n\n").at(-1)).toBe(
      [
        `${NOTICE}${printed}; 3 more changes, see the list below.`,
        ...Array.from({ length: 9 }, (_, n) => `${n + 1} [-] "Step ${n + 1}"`),
      ].join("\n"),
    );
  });

  it("let the agent work on an added todo by name", () => {
    const list = known();
    edit(list, { op: "add", todos: [{ text: "Iron" }] });
    const { ok, kept } = call(list, "todos", { start: "4" });
    expect({ ok, kept, shown: shown(list) }).toEqual({
      ok: true,
      shown: ["1 [ ] Cut", "2 [ ] Sew", "3 [ ] Pack", "4 [>] Iron"],
    });
  });

  it("exclude unseen todos from 'all'", () => {
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
    expect(text.replaceAll("\\", "")).toMatch(/removed (?:2 )?"Sew"/);
    expect(call(list, tool, input).ok).toBe(true);
    expect(list.get().map((todo) => todo.text)).toEqual(["Cut", "Pack", "Sew"]);
  });

  it("ignore an edit that was undone", () => {
    const list = known();
    edit(list, { op: "finish", target: { any: "2" } });
    edit(list, { op: "reopen", target: { any: "2" } });
    expect(list.read().unseen).toEqual([]);
    expect(call(list, "todos", { finish: ["2"] }).text).not.toContain(NOTICE);
  });

  it("find todos by the text that the agent knows, and report removed ones", () => {
    const list = known();
    edit(list, { op: "edit", target: { any: "2" }, set: { text: "Stitch" } });
    edit(list, { op: "remove", target: { any: "3" } });
    expect(call(list, "todos", { finish: ["Pack"] }).text).toBe(
      'The user removed todo "Pack". Continue without it. Nothing was changed.',
    );
    call(list, "todos", { finish: ["Sew"] });
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [x] Stitch"]);
  });

  it("are listed in the event if they were kept", () => {
    const list = known();
    edit(list, { op: "drop", target: { any: "2" } });
    const { event } = list.set(KNOWN.map(({ content }) => ({ text: content, status: "pending" })));
    expect(event?.kept).toEqual([
      { id: "2", knownText: "Sew", knownStatus: "pending", status: "cancelled" },
    ]);
  });

  it("do not include writes of the system", () => {
    const list = known();
    list.submit([{ op: "drop", target: { any: "2" } }], { by: "system" });
    expect(call(list, "TodoWrite", { todos: KNOWN }).text).not.toContain(NOTICE);
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"]);
  });
});

it("does not report notes that the user removed before the model saw them", () => {
  const note = (text: string): Op => ({ op: "note", target, text });
  const notes = (...texts: string[]): Op => ({
    op: "edit",
    target,
    set: { notes: texts.length > 0 ? texts : null },
  });
  const list = known();
  edit(list, note("By hand"));
  edit(list, notes());
  expect(list.read().unseen).toEqual([]);
  // A note that the model has seen is still there; the later one is withdrawn.
  edit(list, note("By hand"));
  call(list, "TodoWrite", { todos: KNOWN });
  edit(list, note("Slowly"));
  expect(list.read().unseen).toMatchObject([{ id: "2", notes: ["Slowly"] }]);
  edit(list, notes("By hand"));
  expect(list.read().unseen).toEqual([]);
  // Removing a note that the model has seen is an edit.
  edit(list, notes());
  expect(list.read().unseen).toMatchObject([{ id: "2", set: { notes: null } }]);
  // The rest of an edit stays.
  edit(list, note("Fast"), { op: "edit", target, set: { text: "Sew well" } });
  expect(list.read().unseen).toMatchObject([{ notes: ["Fast"], set: { text: "Sew well" } }]);
});
