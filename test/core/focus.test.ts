import { describe, expect, it } from "vitest";
import { type Draft, type Policy, PRESETS } from "../../src/index.ts";
import { newList, prepare, shown } from "../tools/call.ts";

const TWO: readonly Draft[] = [
  { text: "Cut", status: "in_progress" },
  { text: "Sew", status: "in_progress" },
  { text: "Pack" },
];

function written(policy: Partial<Policy>, todos = TWO) {
  const list = newList();
  const { ok, rejected } = list.set(todos, { policy });
  return { ok, codes: rejected.map(({ code }) => code), list: shown(list) };
}

describe("todos in progress", () => {
  it("reject: refuses the whole write", () => {
    expect(written(PRESETS.strict)).toEqual({ ok: false, codes: ["two_active"], list: [] });
  });

  it("normalise: keeps the first, and makes the others pending", () => {
    expect(written({ active: "normalise" })).toEqual({
      ok: true,
      codes: [],
      list: ["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"],
    });
  });

  it("allow: keeps the list of an external agent unchanged", () => {
    expect(written(PRESETS.external).list).toEqual(["1 [>] Cut", "2 [>] Sew", "3 [ ] Pack"]);
  });

  it("promote: starts the first pending todo if none is in progress", () => {
    const todos: Draft[] = [{ text: "Cut", status: "completed" }, { text: "Sew" }];
    expect(written(PRESETS.ops, todos).list).toEqual(["1 [x] Cut", "2 [>] Sew"]);
    expect(written(PRESETS.strict, todos).list).toEqual(["1 [x] Cut", "2 [ ] Sew"]);
  });

  it("drops the raw status of demoted todos only", () => {
    const todos = TWO.map((todo) => ({ ...todo, rawStatus: "doing" }));
    const list = newList();
    list.set(todos, { policy: { active: "normalise" } });
    expect(list.get().map(({ rawStatus }) => rawStatus)).toEqual(["doing", undefined, "doing"]);
  });

  it("reject: accepts writes to a list that already has two", () => {
    const list = prepare(newList(), { op: "replace", todos: TWO });
    expect(list.submit([{ op: "note", target: { any: "3" }, text: "hm" }]).ok).toBe(true);
    expect(list.submit([{ op: "finish", target: { any: "1" } }]).ok).toBe(true);
    expect(shown(list)).toEqual(["1 [x] Cut", "2 [>] Sew", "3 [ ] Pack"]);
  });

  it("start makes all others pending", () => {
    const list = prepare(newList(), { op: "replace", todos: TWO });
    list.submit([{ op: "start", target: { any: "3" } }]);
    expect(shown(list)).toEqual(["1 [ ] Cut", "2 [ ] Sew", "3 [>] Pack"]);
  });

  it("does not refuse writes of the user", () => {
    const list = newList();
    expect(list.set(TWO, { by: "user" }).ok).toBe(true);
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"]);
  });
});
