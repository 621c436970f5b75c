import { describe, expect, it } from "vitest";
import type { Draft, Status } from "../../src/index.ts";
import { match, similarity } from "../../src/internal.ts";
import { cpuTime } from "../cpu-time.ts";
import { call, newList, ops, shown } from "../tools/call.ts";

function rewrite(before: readonly Draft[], after: readonly Draft[]): readonly string[] {
  const list = newList();
  list.set(before);
  const { ok, rejected } = list.set(after);
  if (!ok) throw new Error(JSON.stringify(rejected));
  return shown(list);
}

const texts = (...all: readonly string[]): Draft[] => all.map((text) => ({ text }));

describe("identity across rewrites", () => {
  it("keeps the ids of equal texts in any order", () => {
    expect(rewrite(texts("Cut", "Sew", "Pack"), texts("Pack", "Cut", "Sew"))).toEqual([
      "3 [ ] Pack",
      "1 [ ] Cut",
      "2 [ ] Sew",
    ]);
  });

  it("ignores white space and letter case", () => {
    expect(rewrite(texts("Run the   tests", "Sew"), texts("Sew", "run the tests"))).toEqual([
      "2 [ ] Sew",
      "1 [ ] run the tests",
    ]);
  });

  it("keeps the id of a todo renamed in place, whatever its new text", () => {
    expect(rewrite(texts("Cut", "Sew", "Pack"), texts("Cut", "Glue it", "Pack"))).toEqual([
      "1 [ ] Cut",
      "2 [ ] Glue it",
      "3 [ ] Pack",
    ]);
  });

  it("finds moved and reworded todos by similarity", () => {
    const before = texts("Write the integration tests", "Update the changelog", "Ship");
    const after = texts("Ship", "Update changelog", "Write integration tests");
    expect(rewrite(before, after)).toEqual([
      "3 [ ] Ship",
      "2 [ ] Update changelog",
      "1 [ ] Write integration tests",
    ]);
  });

  it("prefers the ref to the text", () => {
    const before: Draft[] = [
      { text: "Cut", ref: "a" },
      { text: "Sew", ref: "b" },
    ];
    const after: Draft[] = [
      { text: "Sew", ref: "a" },
      { text: "Cut", ref: "b" },
    ];
    expect(rewrite(before, after)).toEqual(["1 [ ] Sew", "2 [ ] Cut"]);
  });

  it("distinguishes todos with different refs, however similar", () => {
    const before: Draft[] = [{ text: "Deploy to the first server", ref: "a" }];
    const after: Draft[] = [{ text: "Deploy to the first servers", ref: "b" }];
    expect(rewrite(before, after)).toEqual(["2 [ ] Deploy to the first servers"]);
  });

  it("pairs duplicates in order", () => {
    expect(rewrite(texts("Test", "Fix", "Test"), texts("Test", "Test", "Test"))).toEqual([
      "1 [ ] Test",
      "3 [ ] Test",
      "4 [ ] Test",
    ]);
  });

  it("gives an unrelated todo a new id", () => {
    expect(rewrite(texts("Cut"), texts("Negotiate with the landlord"))).toEqual([
      "2 [ ] Negotiate with the landlord",
    ]);
  });

  it("does not rename completed todos to something else", () => {
    const before: Draft[] = [{ text: "Cut" }, { text: "Sew", status: "completed" }];
    expect(rewrite(before, texts("Cut", "Paint"))).toEqual(["1 [ ] Cut", "3 [ ] Paint"]);
  });

  it("keeps times, notes and evidence with the todo", () => {
    const list = newList();
    list.set([{ text: "Cut", status: "in_progress" }, { text: "Sew" }]);
    list.submit([{ op: "note", target: { any: "1" }, text: "sharp" }]);
    list.submit([{ op: "finish", target: { any: "1" }, evidence: "photo.png" }]);
    const before = list.get()[0];
    list.set([{ text: "Sew" }, { text: "Cut", status: "completed" }]);
    expect(list.get()[1]).toEqual(before);
    expect(before).toEqual({
      id: "1",
      text: "Cut",
      status: "completed",
      createdAt: 1_000,
      startedAt: 1_000,
      finishedAt: 3_000,
      movedBy: "agent",
      notes: ["sharp"],
      evidence: ["photo.png"],
    });
  });

  it("drops the active text with a rename, but not with a change of case", () => {
    const list = newList();
    list.set([{ text: "Cut", activeText: "Cutting" }, { text: "Sew" }]);
    list.set(texts("CUT", "Sew"));
    expect(list.get()[0]?.activeText).toBe("Cutting");
    list.set(texts("Carve", "Sew"));
    expect(list.get()[0]).toMatchObject({ id: "1", text: "Carve" });
    expect(list.get()[0]).not.toHaveProperty("activeText");
  });

  it("keeps the identity and notes of equal texts with init of the op tool", () => {
    const list = newList();
    const init = { op: "init", list: [{ phase: "Build", items: ["Cut", "Sew"] }] };
    ops(list, init, { op: "note", task: "Sew", text: "thread" });
    ops(list, { op: "init", list: [{ phase: "Other", items: ["Sew", "Iron the sheets"] }] });
    expect(list.get().map(({ id, text, phase, notes }) => ({ id, text, phase, notes }))).toEqual([
      { id: "2", text: "Sew", phase: "Other", notes: ["thread"] },
      { id: "3", text: "Iron the sheets", phase: "Other", notes: undefined },
    ]);
  });

  it("does not treat an escaped text from the model as a rename", () => {
    const list = newList();
    const write = (content: string) =>
      call(list, "TodoWrite", { todos: [{ content, status: "pending", activeForm: "x" }] });
    write("Close </tag>");
    write("Close \\u003c/tag\\u003e");
    expect(shown(list)).toEqual(["1 [ ] Close </tag>"]);
  });

  it("never reuses ids, even after a removal", () => {
    const list = newList();
    list.set(texts("Cut", "Sew"));
    list.clear();
    list.set(texts("Cut"));
    expect(shown(list)).toEqual(["3 [ ] Cut"]);
  });
});

describe("match", () => {
  const known = (...all: readonly string[]) =>
    all.map((text, n) => ({ id: String(n + 1), text, status: "pending" as Status }));

  it("pairs nothing with nothing", () => {
    expect([match([], []), match([], texts("a")), match(known("a"), [])]).toEqual([
      [],
      [undefined],
      [],
    ]);
  });

  it("finds a fixed todo by its text only", () => {
    const [todo] = known("Cut the cloth");
    if (!todo) throw new Error("none");
    const fixed = [{ ...todo, fixed: true }];
    expect(match(fixed, texts("Cut the cloth"))).toEqual(["1"]);
    expect(match(fixed, texts("Cut the cloths"))).toEqual([undefined]);
  });

  it("of two equally similar todos, renames the nearer one", () => {
    const before = known("Check page A", "Sew", "Pack", "Check page B");
    const after = texts("Sew", "Pack", "Check page C", "Negotiate");
    expect(match(before, after)).toEqual(["2", "3", "4", undefined]);
  });

  it("renames the more similar todo at any distance", () => {
    const before = known("Check the page", "Sew", "Pack", "Check that page");
    const after = texts("Sew", "Pack", "Check the pages", "Negotiate");
    expect(match(before, after)).toEqual(["2", "3", "1", undefined]);
  });

  it("does not compare every pair of two very long lists", () => {
    const many = Array.from({ length: 600 }, (_, n) => `${n} ${"long text ".repeat(10)}`);
    const other = many.toReversed().map((text) => ({ text: `new ${text}` }));
    const started = cpuTime();
    expect(match(known(...many), other)).toHaveLength(600);
    expect(cpuTime() - started).toBeLessThan(5_000);
  });

  it.each([
    ["Cut", "Cut", 1],
    ["Cut", "cut ", 1],
    ["abc", "xyz", 0],
  ])("similarity of %j and %j is %d", (a, b, value) => {
    expect(similarity(a, b)).toBe(value);
  });
});
