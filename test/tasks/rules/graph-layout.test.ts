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

const STATIONS = ties({
  a: [],
  b: [],
  c: ["a"],
  d: ["b", "a"],
  e: ["c", "b"],
  f: ["a", "e"],
  g: ["d"],
  h: ["g", "b", "c"],
  i: ["f", "h", "a", "h"],
  j: [],
  k: ["j", "i", "d"],
});

test("lays out a plan the same way every time", () => {
  const round = (value: number) => Math.round(value * 100) / 100;
  const { nodes, edges, layers, places } = layoutGraph(STATIONS);
  expect(
    nodes.map(({ id, layer, place }) => `${id} ${layer} ${round(place)}`),
  ).toMatchInlineSnapshot(`
    [
      "a 0 3.28",
      "b 0 4.68",
      "c 1 2.85",
      "d 1 5.6",
      "e 2 2.1",
      "f 3 2.85",
      "g 2 5.1",
      "h 3 4.85",
      "i 4 4.25",
      "j 0 8.1",
      "k 5 5.25",
    ]
  `);
  expect(
    edges
      .filter(({ through }) => through.length > 0)
      .map(({ from, to, through }) => `${from}${to} ${through.map(round).join(" ")}`),
  ).toMatchInlineSnapshot(`
    [
      "be 1.85",
      "af 0.85 1.1",
      "bh 6.6 6.1",
      "ch 4.1",
      "ai 3.85 3.1 3.85",
      "jk 8.1 8.1 6.85 6.25",
      "dk 7.1 5.85 5.25",
    ]
  `);
  expect([layers, round(places)]).toMatchInlineSnapshot(`
    [
      6,
      9.1,
    ]
  `);
});

test("drops the edge that closes a cycle, and edges of a task to itself", () => {
  const { edges, layers } = layoutGraph(ties({ a: ["b", "a"], b: ["a"], c: ["c"], d: ["c"] }));
  expect(edges.map(({ from, to }) => from + to)).toEqual(["cd"]);
  expect(layers).toBe(2);
  expect(layoutGraph([])).toEqual({ nodes: [], edges: [], layers: 0, places: 0 });
});

test("never crosses more edges than the order in which the tasks were given", () => {
  const crossings = (
    of: ReadonlyMap<string, readonly [layer: number, place: number]>,
    edges: readonly string[],
  ) => {
    const ends = edges.map((edge) => edge.split(" ").map((id) => of.get(id) ?? [0, 0]));
    return ends.flatMap(([from = [0, 0], to = [0, 0]], index) =>
      ends.slice(index + 1).filter(([otherFrom = [0, 0], otherTo = [0, 0]]) => {
        const isSameLayer = from[0] === otherFrom[0];
        return isSameLayer && (from[1] - otherFrom[1]) * (to[1] - otherTo[1]) < 0;
      }),
    ).length;
  };
  const two = fc.array(fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1, maxLength: 3 }), {
    minLength: 2,
    maxLength: 6,
  });
  fc.assert(
    fc.property(two, (blockers) => {
      const tasks = ties({
        ...Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`a${n}`, []])),
        ...Object.fromEntries(blockers.map((each, n) => [`b${n}`, each.map((from) => `a${from}`)])),
      });
      const { nodes, edges } = layoutGraph(tasks);
      const named = edges.map(({ from, to }) => `${from} ${to}`);
      const given = new Map(
        tasks.map(({ id }) => [id, [id.startsWith("a") ? 0 : 1, Number(id.slice(1))] as const]),
      );
      const drawn = new Map(nodes.map(({ id, layer, place }) => [id, [layer, place] as const]));
      expect(crossings(drawn, named)).toBeLessThanOrEqual(crossings(given, named));
    }),
  );
});
