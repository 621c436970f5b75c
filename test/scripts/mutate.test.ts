import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";
import { describe, expect, test } from "vitest";
import {
  type EquivalentMutant,
  isEquivalent,
  mutantsOf as mutants,
  mutated,
  withSwitches,
} from "../../scripts/mutate.mjs";

const texts = (source: string, kind: string) =>
  mutants(source)
    .filter((mutant) => mutant.kind === kind)
    .map((mutant) => mutated(source, mutant));

describe("mutants of a source", () => {
  test("change operators, conditions, calls and defaults", () => {
    expect(texts("f(a < b);", "operator")).toEqual(["f(a <= b);", "f(a >= b);"]);
    expect(texts("f(a && b);", "logic")).toEqual(["f((a) || (b));"]);
    expect(texts("if (a) f();", "condition")).toEqual(["if (true) f();", "if (false) f();"]);
    expect(texts("f(a.b.sort().map(c));", "method")).toEqual(["f(a.b.map(c));"]);
    expect(texts("f(Math.min(a, b));", "method")).toEqual(["f(Math.max(a, b));"]);
    expect(texts("f(a ?? b);", "default")).toEqual(["f((a)!);"]);
    expect(texts("f(a?.b.c);", "chain")).toEqual(["f(a!.b.c);"]);
    expect(texts("const f = () => { g(); };", "block")).toEqual(["const f = () => {};"]);
    expect(texts("if (a) f();", "statement")).toEqual(["if (a) {}"]);
  });

  test("leave out types, names, message texts and defaults for the type checker", () => {
    expect(mutants('import a from "b"; type C = "d"; const e = { "f": 1 };')).toEqual([]);
    expect(texts('if (a) throw new Error(b < c ? "d" : "e");', "operator")).toEqual([]);
    const template = ["modelText`$", "{a < b}`"].join("");
    expect(mutants(`const c = ${template};`)).toEqual([]);
    expect(mutants('const a = "two words";')).toEqual([]);
    expect(mutants('const a = b[0] ?? "";')).toEqual([]);
    expect(texts("const a = (b ?? 0) > 0;", "default")).toEqual([]);
    expect(texts("const a = (b ?? 1) > 0;", "default")).toEqual(["const a = ((b)!) > 0;"]);
  });

  test("are found at their line", () => {
    expect(mutants("f(\n  a,\n  b < c,\n);").map(({ kind, line }) => [kind, line])).toEqual([
      ["statement", 1],
      ["operator", 3],
      ["operator", 3],
    ]);
  });
});

test("a switch turns on one mutant at a time", () => {
  const source = `
    const found = [];
    for (const place of [1, 2, 3]) if (place > 1 && place < 3) found.push(place);
    return found.filter((each) => each !== 2 || given?.list.slice(1).length === 1);`;
  const wrapped = `function run(given) {${source}}`;
  const all = mutants(wrapped).map((mutant, id) => ({ ...mutant, id }));
  expect(all.length).toBeGreaterThan(15);
  const run = (text: string, active: number) => {
    const { code } = transformSync(text.replaceAll("globalThis.", ""), { loader: "ts" });
    try {
      const made = new Function("isMutant", `${code}; return run({ list: [1, 2] });`);
      return made((id: number) => id === active);
    } catch (error) {
      return String(error);
    }
  };
  const switches = withSwitches(wrapped, all);
  expect(run(switches, -1)).toEqual(run(wrapped, -1));
  for (const mutant of all) {
    const alone = mutated(wrapped, mutant);
    expect([mutant.id, run(switches, mutant.id)]).toEqual([mutant.id, run(alone, -1)]);
  }
});

describe("mutants that change no behavior", () => {
  const listed: readonly EquivalentMutant[] = JSON.parse(
    readFileSync("scripts/mutants-equivalent.json", "utf8"),
  );

  test.each(listed)("$file: $to is one that is tried otherwise", ({ why, ...entry }) => {
    const source = readFileSync(entry.file, "utf8");
    expect(source.split(entry.from)).toHaveLength(2);
    const matches = mutants(source).filter((mutant) =>
      isEquivalent({ why, ...entry }, { file: entry.file, ...mutant }, source),
    );
    expect(matches).toHaveLength(1);
    expect(why).toMatch(/^[A-Z].*\.$/);
  });

  test("are recognized by file, place and text", () => {
    const source = "f(a < b); g(a < b);";
    const entry = { file: "a.ts", from: "g(a < b)", to: "g(a <= b)", why: "No difference." };
    const found = (file: string, given = entry) =>
      mutants(source).filter((mutant) => isEquivalent(given, { file, ...mutant }, source));
    expect(found("a.ts").map((mutant) => mutated(source, mutant))).toEqual([
      "f(a < b); g(a <= b);",
    ]);
    expect(found("b.ts")).toEqual([]);
    expect(found("a.ts", { ...entry, from: "h(a < b)" })).toEqual([]);
  });
});
