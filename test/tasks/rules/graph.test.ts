import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findCycle } from "../../../src/tasks/rules/graph.ts";

const edges = (given: Readonly<Record<string, readonly string[]>>) =>
  new Map(Object.entries(given));

describe("a cycle", () => {
  test("is named from a task back to itself, without the way there", () => {
    const graph = edges({ a: ["b"], b: ["c", "d"], c: [], d: ["e"], e: ["b"] });
    expect(findCycle(graph, ["a"])).toEqual(["b", "d", "e", "b"]);
    expect(findCycle(edges({ a: ["a"] }), ["a"])).toEqual(["a", "a"]);
  });

  test("is found only below the given tasks", () => {
    const graph = edges({ a: ["b"], b: ["a"], c: ["d"] });
    expect(findCycle(graph, [])).toBeUndefined();
    expect(findCycle(graph, ["c", "d"])).toBeUndefined();
    expect(findCycle(graph, ["c", "b"])).toEqual(["b", "a", "b"]);
  });

  test("is not two ways to one task", () => {
    const graph = edges({ a: ["b", "c"], b: ["d"], c: ["d"], d: ["e"] });
    expect(findCycle(graph, ["a", "b", "c", "d", "a"])).toBeUndefined();
  });

  test("is found at the end of a chain deeper than the stack", () => {
    const length = 50_000;
    const chain = new Map(
      Array.from({ length }, (_, place) => [`${place}`, [`${place + 1}`]] as const),
    );
    expect(findCycle(chain, ["0"])).toBeUndefined();
    chain.set(`${length}`, ["7"] as never);
    expect(findCycle(chain, ["0"])?.length).toBe(length - 7 + 2);
  });

  test("is found exactly if a task reaches itself", () => {
    const name = fc.constantFrom("a", "b", "c", "d", "e");
    const graphs = fc.dictionary(name, fc.uniqueArray(name, { maxLength: 3 }));
    fc.assert(
      fc.property(graphs, fc.array(name), (given, from) => {
        const graph = edges(given);
        const below = (id: string, seen = new Set<string>()): Set<string> => {
          for (const next of graph.get(id) ?? []) if (!seen.has(next)) below(next, seen.add(next));
          return seen;
        };
        const reached = from.flatMap((id) => [id, ...below(id)]);
        const cycle = findCycle(graph, from);
        expect(cycle !== undefined).toBe(reached.some((id) => below(id).has(id)));
        if (!cycle) return;
        expect(cycle.length).toBeGreaterThan(1);
        expect(cycle.at(-1)).toBe(cycle[0]);
        expect(new Set(cycle).size).toBe(cycle.length - 1);
        for (const [place, id] of cycle.slice(1).entries())
          expect(graph.get(cycle[place] ?? "")).toContain(id);
      }),
    );
  });
});
