import { describe, expect, it } from "vitest";
import { type Draft, type Op, PRESETS } from "../../src/index.ts";
import { newList, shown } from "../tools/call.ts";

const steps = (count: number): Draft[] =>
  Array.from({ length: count }, (_, n) => ({ text: `Step ${n + 1}` }));

const target = { any: "1" };

describe("SPEC A4, limits", () => {
  it.each<[string, Op, string, string]>([
    [
      "20 todos in a rewrite",
      { op: "replace", todos: steps(21) },
      "too_many",
      "The list has 21 todos; at most 20 are allowed. Merge small steps or leave some for later.",
    ],
    [
      "20 todos with those added",
      { op: "add", todos: steps(20) },
      "too_many",
      "That makes 21 todos; at most 20 are allowed. Merge small steps or leave some for later.",
    ],
    [
      "500 characters of text",
      { op: "add", todos: [{ text: "x".repeat(501) }] },
      "too_long",
      "todos[0].text has 501 characters; at most 500 are allowed.",
    ],
    [
      "500 characters in an edit",
      { op: "edit", target, set: { text: "x".repeat(501) } },
      "too_long",
      "text has 501 characters; at most 500 are allowed.",
    ],
    [
      "500 characters of active text",
      { op: "edit", target, set: { activeText: "x".repeat(501) } },
      "too_long",
      "activeText has 501 characters; at most 500 are allowed.",
    ],
    [
      "4,000 characters of a note",
      { op: "note", target, text: "x".repeat(4_001) },
      "too_long",
      "text has 4001 characters; at most 4000 are allowed.",
    ],
    [
      "4,000 characters of evidence",
      { op: "finish", target, evidence: "x".repeat(4_001) },
      "too_long",
      "evidence has 4001 characters; at most 4000 are allowed.",
    ],
    [
      "4,000 characters of a reason",
      { op: "block", target, reason: "x".repeat(4_001) },
      "too_long",
      "reason has 4001 characters; at most 4000 are allowed.",
    ],
    [
      "5,000 notes at once",
      { op: "edit", target, set: { notes: new Array(5_001).fill("x") } },
      "too_many",
      "notes has 5001 entries; at most 5000.",
    ],
  ])("SPEC A4: %s, the refusal has number and limit", (_, op, code, message) => {
    const list = newList();
    list.set([{ text: "Here before" }]);
    const before = list.read();
    const { ok, rejected, event } = list.submit([op]);
    expect({ ok, rejected, event }).toEqual({ ok: false, rejected: [{ code, message }] });
    expect(list.read()).toEqual(before);
  });

  it("SPEC A4: the limits are policy", () => {
    const list = newList();
    expect(list.set(steps(3), { policy: { maxTodos: 2 } }).rejected).toMatchObject([
      { code: "too_many", message: expect.stringContaining("at most 2 are allowed") },
    ]);
    expect(list.set([{ text: "abcd" }], { policy: { maxText: 3 } }).rejected).toMatchObject([
      { code: "too_long", message: expect.stringContaining("has 4 characters; at most 3") },
    ]);
  });

  it("SPEC A4: reading foreign transcripts has no such limit", () => {
    const list = newList();
    const todos = [...steps(200), { text: `${"x".repeat(5_000)}\u0007` }];
    expect(list.set(todos, { policy: PRESETS.foreign }).ok).toBe(true);
    expect(list.get()).toHaveLength(201);
  });

  it("a list that a person made longer may be kept, but not made longer still", () => {
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
  ])("a text that is %s is refused", (_, text, code) => {
    const list = newList();
    expect(list.set([{ text }]).rejected).toMatchObject([{ code }]);
    expect(list.read().version).toBe(0);
  });

  it("line breaks and tabs of a text become spaces, those of a note stay", () => {
    const list = newList();
    list.set([{ text: " Cut\r\nthe\tcloth ", notes: ["a\r\nb\tc  "] }]);
    expect(list.get()[0]).toMatchObject({ text: "Cut the cloth", notes: ["a\nb\tc"] });
  });

  it("every problem of a write is said, not only the first", () => {
    const { rejected } = newList().set([{ text: "" }, { text: "ok" }, { text: "x".repeat(501) }]);
    expect(rejected.map(({ message }) => message)).toEqual([
      "todos[0].text is empty.",
      "todos[2].text has 501 characters; at most 500 are allowed.",
    ]);
  });

  it("a batch over the limit takes only the crowding op back when the rest may stay", () => {
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
