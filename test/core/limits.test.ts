import { describe, expect, it } from "vitest";
import { type Draft, type Op, PRESETS } from "../../src/index.ts";
import { newList, shown } from "../tools/call.ts";

const steps = (count: number): Draft[] =>
  Array.from({ length: count }, (_, n) => ({ text: `Step ${n + 1}` }));

const target = { any: "1" };

describe("limits", () => {
  it.each<[string, Op, string, string]>([
    [
      "20 todos in a rewrite",
      { op: "replace", todos: steps(21) },
      "too_many",
      "The list has 21 todos; the limit is 20. Merge small steps, or add later ones when you get there.",
    ],
    [
      "20 todos with those added",
      { op: "add", todos: steps(20) },
      "too_many",
      "The list would have 21 todos; the limit is 20. Merge small steps, or add later ones when you get there.",
    ],
    [
      "500 characters of text",
      { op: "add", todos: [{ text: "x".repeat(501) }] },
      "too_long",
      "todos[0].text has 501 characters; the limit is 500. Shorten it.",
    ],
    [
      "500 characters in an edit",
      { op: "edit", target, set: { text: "x".repeat(501) } },
      "too_long",
      "text has 501 characters; the limit is 500. Shorten it.",
    ],
    [
      "500 characters of active text",
      { op: "edit", target, set: { activeText: "x".repeat(501) } },
      "too_long",
      "activeText has 501 characters; the limit is 500. Shorten it.",
    ],
    [
      "4,000 characters of a note",
      { op: "note", target, text: "x".repeat(4_001) },
      "too_long",
      "text has 4001 characters; the limit is 4000. Shorten it.",
    ],
    [
      "4,000 characters of evidence",
      { op: "finish", target, evidence: "x".repeat(4_001) },
      "too_long",
      "evidence has 4001 characters; the limit is 4000. Shorten it.",
    ],
    [
      "4,000 characters of a reason",
      { op: "block", target, reason: "x".repeat(4_001) },
      "too_long",
      "reason has 4001 characters; the limit is 4000. Shorten it.",
    ],
    [
      "5,000 notes at once",
      { op: "edit", target, set: { notes: new Array(5_001).fill("x") } },
      "too_many",
      "notes has 5001 entries; the limit is 5000.",
    ],
  ])("refuses %s, with number and limit", (_, op, code, message) => {
    const list = newList();
    list.set([{ text: "Here before" }]);
    const before = list.read();
    const { ok, rejected, event } = list.submit([op]);
    expect({ ok, rejected, event }).toEqual({ ok: false, rejected: [{ code, message }] });
    expect(list.read()).toEqual(before);
  });

  it("come from the policy", () => {
    const list = newList();
    expect(list.set(steps(3), { policy: { maxTodos: 2 } }).rejected).toMatchObject([
      { code: "too_many", message: expect.stringContaining("the limit is 2") },
    ]);
    expect(list.set([{ text: "abcd" }], { policy: { maxText: 3 } }).rejected).toMatchObject([
      { code: "too_long", message: expect.stringContaining("has 4 characters; the limit is 3") },
    ]);
  });

  it("do not apply to transcripts", () => {
    const list = newList();
    const todos = [...steps(200), { text: `${"x".repeat(5_000)}\u0007` }];
    expect(list.set(todos, { policy: PRESETS.external }).ok).toBe(true);
    expect(list.get()).toHaveLength(201);
  });

  it("let a list that the user made longer keep its length", () => {
    const list = newList();
    list.set(steps(25), { by: "user" });
    list.submit([], { by: "agent" });
    expect(list.submit([{ op: "finish", target }]).ok).toBe(true);
    expect(list.set(steps(25)).ok).toBe(true);
    expect(list.submit([{ op: "add", todos: [{ text: "More" }] }]).ok).toBe(false);
    expect(list.get()).toHaveLength(25);
  });

  it.each([
    ["empty", "", "empty_text"],
    ["only white space", " \n\t", "empty_text"],
    ["a control character", "a\u0000b", "bad_characters"],
    ["a bidirectional override", "a\u202eb", "bad_characters"],
    ["half a character", "a\ud800b", "bad_characters"],
  ])("refuse a text that is %s", (_, text, code) => {
    const list = newList();
    expect(list.set([{ text }]).rejected).toMatchObject([{ code }]);
    expect(list.read().version).toBe(0);
  });

  it("replace line breaks and tabs in texts, but not in notes", () => {
    const list = newList();
    list.set([{ text: " Cut\r\nthe\tcloth ", notes: ["a\r\nb\tc  "] }]);
    expect(list.get()[0]).toMatchObject({ text: "Cut the cloth", notes: ["a\nb\tc"] });
  });

  it("report every problem of a write", () => {
    const { rejected } = newList().set([{ text: "" }, { text: "ok" }, { text: "x".repeat(501) }]);
    expect(rejected.map(({ message }) => message)).toEqual([
      "todos[0].text is empty.",
      "todos[2].text has 501 characters; the limit is 500. Shorten it.",
    ]);
  });

  it("undo only the op of a partial batch that exceeds the limit", () => {
    const list = newList();
    list.write({
      via: "test",
      decode: () => ({
        partial: true,
        ops: [
          { op: "add", todos: steps(2) },
          { op: "add", todos: steps(20), at: "second" },
          { op: "start", target: { any: "2" } },
        ],
      }),
    });
    expect(shown(list)).toEqual(["1 [ ] Step 1", "2 [>] Step 2"]);
    list.submit([{ op: "add", todos: [{ text: "Next" }] }]);
    expect(list.get().at(-1)?.id).toBe("3");
  });
});
