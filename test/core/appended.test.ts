import { describe, expect, it } from "vitest";
import { createTracker, memoryStore, todoTools, WaymarkError } from "../../src/index.ts";
import { call, newList } from "../tools/call.ts";

const target = { any: "1" };

describe("appended data", () => {
  it("keeps evidence once and records only the new part", () => {
    const list = newList();
    list.set([{ text: "Cut" }]);
    for (const evidence of ["npm test", "npm test", "npm run lint"])
      list.submit([{ op: "finish", target, evidence }]);
    expect(list.get()[0]?.evidence).toEqual(["npm test", "npm run lint"]);
    const { event } = list.submit([{ op: "finish", target, evidence: "by hand" }]);
    expect(event?.changes).toEqual([{ type: "todo.evidenced", id: "1", evidence: "by hand" }]);
  });

  it("refuses notes over the limit", () => {
    const list = newList();
    list.set([{ text: "Cut" }]);
    const policy = { maxNotes: 2 };
    for (const text of ["one", "two"]) list.submit([{ op: "note", target, text }], { policy });
    const { rejected } = list.submit([{ op: "note", target, text: "three" }], { policy });
    expect(rejected).toEqual([
      { code: "too_many", message: '"Cut" already has the maximum of 2 notes.' },
    ]);
    expect(list.get()[0]?.notes).toEqual(["one", "two"]);
  });
});

describe("user edits in responses to the model", () => {
  it("contain every new note, and the notes of the active todo", () => {
    const list = newList();
    list.set([{ text: "Cut", status: "in_progress" }]);
    for (const text of ["one", "two"])
      list.submit([{ op: "note", target, text }], { by: "user", via: "test" });
    expect(call(list, "todos", {}).text).toBe(
      [
        '1 [>] "Cut"',
        '    note: "one"',
        '    note: "two"',
        "0 of 1 done.",
        "",
        'The user changed your list before this call: added a note to 1 "Cut": "one", "two".',
      ].join("\n"),
    );
  });

  it("are shown even if that cannot be recorded", async () => {
    const kept = memoryStore();
    const id = { session: "s", agent: "main" };
    createTracker({ store: kept })
      .list(id)
      .submit([{ op: "add", todos: [{ text: "Cut" }] }], { by: "user", via: "test" });
    const refusing = (error: Error) =>
      createTracker({ store: { ...kept, commit: () => Promise.reject(error) } }).list(id);
    const broken = refusing(new WaymarkError("store_read_only", "cannot be written"));
    const [todos] = todoTools(broken);
    expect((await todos?.execute({}))?.text).toBe('1 [ ] "Cut"\n0 of 1 done.');
    const faulty = refusing(new TypeError("a fault of ours"));
    const [same] = todoTools(faulty);
    await expect(same?.execute({})).rejects.toThrow("a fault of ours");
  });
});

describe("writes through the library", () => {
  it.each([
    [{ text: 5 }],
    [{}],
    [null],
    [{ text: "a", status: "zzz" }],
    [{ text: "a", notes: "b" }],
  ])("refuse %j with a message", (draft) => {
    const list = newList();
    const { ok, rejected } = list.set([draft as never]);
    expect({ ok, codes: rejected.map(({ code }) => code), todos: list.get() }).toEqual({
      ok: false,
      codes: ["invalid_input"],
      todos: [],
    });
  });

  it("drop unknown fields", () => {
    const list = newList();
    list.set([JSON.parse('{"text":"p","__proto__":{"x":1},"foo":"bar"}')]);
    expect(Object.keys(list.get()[0] ?? {}).sort()).toEqual([
      "createdAt",
      "id",
      "movedBy",
      "status",
      "text",
    ]);
  });

  it("show earlier lists even after the clock was set back", () => {
    const times = [1_000, 2_000, 500];
    const clock = () => times.shift() ?? 0;
    const list = createTracker({ clock }).list({ session: "s", agent: "main" });
    for (const text of ["One", "Two", "Three"]) list.submit([{ op: "add", todos: [{ text }] }]);
    expect(list.at(1_500).todos.map((todo) => todo.text)).toEqual(["One"]);
  });
});
