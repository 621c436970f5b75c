import fc from "fast-check";
import { expect, test } from "vitest";
import { type GraphTask, layoutGraph } from "../../../src/tasks/rules/graph-layout.ts";
import { cpuTime } from "../../cpu-time.ts";

const ties = (shape: Readonly<Record<string, readonly string[]>>): readonly GraphTask[] =>
  Object.entries(shape).map(([id, blockedBy]) => ({ id, blockedBy }));

test("places a task behind its longest path, between its neighbors", () => {
  const tasks = ties({ t1: [], t2: [], t3: ["t1", "t2"], t4: ["t3", "t1"], t5: ["gone"] });
  expect(layoutGraph(tasks)).toEqual({
    nodes: [
      { id: "t1", layer: 0, place: 0.25 },
      { id: "t2", layer: 0, place: 1.25 },
      { id: "t3", layer: 1, place: 1 },
      { id: "t4", layer: 2, place: 0.5 },
      { id: "t5", layer: 0, place: 2.25 },
    ],
    edges: [
      { from: "t1", to: "t3", through: [] },
      { from: "t2", to: "t3", through: [] },
      { from: "t3", to: "t4", through: [] },
      { from: "t1", to: "t4", through: [0] },
    ],
    layers: 3,
    places: 3.25,
  });
});

test("reorders tasks so that edges do not cross", () => {
  const tasks = ties({ a: [], b: [], c: [], x: ["c"], y: ["b"], z: ["a"] });
  const { nodes } = layoutGraph(tasks);
  const places = Object.fromEntries(nodes.map(({ id, place }) => [id, place]));
  for (const [from, to] of [
    ["a", "z"],
    ["b", "y"],
    ["c", "x"],
  ] as const)
    expect(places[from]).toBe(places[to]);
});

test("points all edges in one direction and gives each task its own position", () => {
  const anyTasks = fc
    .array(fc.array(fc.nat({ max: 29 }), { maxLength: 4 }), { maxLength: 30 })
    .map((all) =>
      all.map((blockers, n) => ({ id: `t${n}`, blockedBy: blockers.map((each) => `t${each}`) })),
    );
  fc.assert(
    fc.property(anyTasks, (tasks) => {
      const { nodes, edges, layers, places } = layoutGraph(tasks);
      expect(nodes.map(({ id }) => id)).toEqual(tasks.map(({ id }) => id));
      const byId = new Map(nodes.map((node) => [node.id, node]));
      for (const { from, to, through } of edges) {
        const [begin, end] = [byId.get(from)?.layer ?? 0, byId.get(to)?.layer ?? 0];
        expect(begin).toBeLessThan(end);
        expect(through.length).toBe(end - begin - 1);
      }
      for (const { layer, place } of nodes) {
        expect(layer).toBeLessThan(layers);
        expect(place).toBeGreaterThanOrEqual(0);
        expect(place).toBeLessThan(places);
      }
      for (let layer = 0; layer < layers; layer++) {
        const here = nodes
          .flatMap((node) => (node.layer === layer ? [node.place] : []))
          .sort((a, b) => a - b);
        for (const [at, place] of here.entries())
          if (at > 0) expect(place - (here[at - 1] ?? 0)).toBeGreaterThan(0.999);
      }
    }),
    { numRuns: 300 },
  );
});

test("draws every dependency of an acyclic graph", () => {
  const acyclic = fc
    .array(fc.array(fc.nat({ max: 29 }), { maxLength: 4 }), { maxLength: 30 })
    .map((all) =>
      all.map((blockers, n) => ({
        id: `t${n}`,
        blockedBy: [...new Set(blockers.filter((each) => each < n))].map((each) => `t${each}`),
      })),
    );
  fc.assert(
    fc.property(acyclic, (tasks) => {
      const drawn = layoutGraph(tasks).edges.map(({ from, to }) => `${from} ${to}`);
      const wanted = tasks.flatMap(({ id, blockedBy }) => blockedBy.map((from) => `${from} ${id}`));
      expect(drawn.sort()).toEqual(wanted.sort());
    }),
    { numRuns: 200 },
  );
});

test("lays out five thousand tasks quickly", () => {
  const tasks = Array.from({ length: 5_000 }, (_, n) => ({
    id: `t${n}`,
    blockedBy: [n - 1, n - 7, n - 40].filter((at) => at >= 0 && n % 5 > 0).map((at) => `t${at}`),
  }));
  const began = cpuTime();
  const { nodes, edges } = layoutGraph(tasks);
  expect(cpuTime() - began).toBeLessThan(3_000);
  expect(nodes.length).toBe(5_000);
  expect(edges.length).toBeGreaterThan(9_000);
});
