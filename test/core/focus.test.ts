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

describe("SPEC A3, one current focus", () => {
  it("SPEC A3, reject: the whole write is refused", () => {
    expect(written(PRESETS.strict)).toEqual({ ok: false, codes: ["two_active"], list: [] });
  });

  it("SPEC A3, normalise: the first stays active, the others wait", () => {
    expect(written({ active: "normalise" })).toEqual({
      ok: true,
      codes: [],
      list: ["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"],
    });
  });

  it("SPEC A3, allow: what a foreign agent wrote is shown as it is", () => {
    expect(written(PRESETS.foreign).list).toEqual(["1 [>] Cut", "2 [>] Sew", "3 [ ] Pack"]);
  });

  it("SPEC A3, promote: with the op tool the first pending todo is started when none is", () => {
    const todos: Draft[] = [{ text: "Cut", status: "completed" }, { text: "Sew" }];
    expect(written(PRESETS.ops, todos).list).toEqual(["1 [x] Cut", "2 [>] Sew"]);
    expect(written(PRESETS.strict, todos).list).toEqual(["1 [x] Cut", "2 [ ] Sew"]);
  });

  it("SPEC A3: a todo that is demoted gives up its raw status, one that stays keeps it", () => {
    const todos = TWO.map((todo) => ({ ...todo, rawStatus: "doing" }));
    const list = newList();
    list.set(todos, { policy: { active: "normalise" } });
    expect(list.get().map(({ rawStatus }) => rawStatus)).toEqual(["doing", undefined, "doing"]);
  });

  it("SPEC A3: a list that already had two may be worked off under reject", () => {
    const list = prepare(newList(), { op: "replace", todos: TWO });
    expect(list.submit([{ op: "note", target: { any: "3" }, text: "hm" }]).ok).toBe(true);
    expect(list.submit([{ op: "finish", target: { any: "1" } }]).ok).toBe(true);
    expect(shown(list)).toEqual(["1 [x] Cut", "2 [>] Sew", "3 [ ] Pack"]);
  });

  it("SPEC A3: start moves the focus, whichever todos had it", () => {
    const list = prepare(newList(), { op: "replace", todos: TWO });
    list.submit([{ op: "start", target: { any: "3" } }]);
    expect(shown(list)).toEqual(["1 [ ] Cut", "2 [ ] Sew", "3 [>] Pack"]);
  });

  it("a person is not refused over the focus", () => {
    const list = newList();
    expect(list.set(TWO, { by: "user" }).ok).toBe(true);
    expect(shown(list)).toEqual(["1 [>] Cut", "2 [ ] Sew", "3 [ ] Pack"]);
  });
});
