import type { Task } from "../model.ts";

/** A task with its position. Blockers are in lower layers; no two tasks share a position. */
export interface GraphNode {
  readonly id: string;
  readonly layer: number;
  /** Position within the layer, from 0; two tasks of a layer are at least 1 apart. */
  readonly place: number;
}

/** An edge from a blocker to a task that it blocks. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Positions in the layers between. */
  readonly through: readonly number[];
}

export interface TaskGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly layers: number;
  /** Height of the drawing, in positions. */
  readonly places: number;
}

export type GraphTask = Pick<Task, "id" | "blockedBy">;

/** Limit of edge positions in between layers; edges beyond it are drawn straight. */
const MAX_PASSES = 2_000;
const SWEEPS = 8;

/**
 * Lays out dependencies from left to right. Each task is one layer behind its farthest blocker; the
 * order within layers keeps crossings few.
 */
export function layoutGraph(tasks: readonly GraphTask[]): TaskGraph {
  const ids = new Set(tasks.map(({ id }) => id));
  const wanted = tasks.flatMap(({ id, blockedBy }) =>
    [...new Set(blockedBy)].flatMap((from) =>
      ids.has(from) && from !== id ? [{ from, to: id }] : [],
    ),
  );
  const layerOf = layersOf(tasks, wanted);
  // Stores refuse cycles. If input has one, the edge that closes it is dropped.
  const ties = wanted.filter(({ from, to }) => (layerOf.get(from) ?? 0) < (layerOf.get(to) ?? 0));
  const drawing = passesOf(tasks, ties, layerOf);
  const order = ordered(drawing);
  const places = placed(order, drawing);
  const low = Math.min(0, ...places.values());
  const placeOf = (name: string) => (places.get(name) ?? 0) - low;
  const nodes = tasks.map(({ id }) => ({
    id,
    layer: layerOf.get(id) ?? 0,
    place: placeOf(nodeName(id)),
  }));
  return {
    nodes,
    edges: drawing.ties.map(({ from, to, passes }) => ({ from, to, through: passes.map(placeOf) })),
    layers: drawing.layers.length,
    places: nodes.reduce((most, { place }) => Math.max(most, place + 1), 0),
  };
}

interface Dependency {
  readonly from: string;
  readonly to: string;
}

/** The longest path to each task. Iterative: a chain can be deeper than the stack. */
function layersOf(
  tasks: readonly GraphTask[],
  ties: readonly Dependency[],
): ReadonlyMap<string, number> {
  const left = new Map(tasks.map(({ id }) => [id, 0]));
  const after = new Map<string, string[]>();
  for (const { from, to } of ties) {
    left.set(to, (left.get(to) ?? 0) + 1);
    const known = after.get(from);
    if (known) known.push(to);
    else after.set(from, [to]);
  }
  const layers = new Map(tasks.map(({ id }) => [id, 0]));
  const open = tasks.flatMap(({ id }) => (left.get(id) === 0 ? [id] : []));
  for (let place = 0; place < open.length; place++) {
    const id = open[place] ?? "";
    const next = (layers.get(id) ?? 0) + 1;
    for (const to of after.get(id) ?? []) {
      layers.set(to, Math.max(layers.get(to) ?? 0, next));
      const rest = (left.get(to) ?? 0) - 1;
      left.set(to, rest);
      if (rest === 0) open.push(to);
    }
  }
  return layers;
}

interface Drawing {
  /** Names of nodes and edge positions, by layer. */
  readonly layers: readonly (readonly string[])[];
  readonly ties: readonly (Dependency & { readonly passes: readonly string[] })[];
  readonly before: ReadonlyMap<string, readonly string[]>;
  readonly after: ReadonlyMap<string, readonly string[]>;
}

const nodeName = (id: string) => `n${id}`;

/** An edge over several layers gets a position in each, so that it avoids the tasks there. */
function passesOf(
  tasks: readonly GraphTask[],
  ties: readonly Dependency[],
  layerOf: ReadonlyMap<string, number>,
): Drawing {
  const layers: string[][] = [];
  const stand = (layer: number, name: string) => {
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(name);
  };
  for (const { id } of tasks) stand(layerOf.get(id) ?? 0, nodeName(id));
  const before = new Map<string, string[]>();
  const after = new Map<string, string[]>();
  const join = (to: Map<string, string[]>, name: string, other: string) => {
    const known = to.get(name);
    if (known) known.push(other);
    else to.set(name, [other]);
  };
  const tie = (from: string, to: string) => {
    join(before, to, from);
    join(after, from, to);
  };
  let passed = 0;
  const drawn = ties.map(({ from, to }, number) => {
    const first = (layerOf.get(from) ?? 0) + 1;
    const last = layerOf.get(to) ?? 0;
    const passes: string[] = [];
    for (let layer = first; layer < last && passed < MAX_PASSES; layer++) {
      passed++;
      const name = `p${number}.${layer}`;
      passes.push(name);
      stand(layer, name);
    }
    const way = [nodeName(from), ...passes, nodeName(to)];
    for (const [place, name] of way.entries()) if (place > 0) tie(way[place - 1] ?? "", name);
    return { from, to, passes };
  });
  return { layers, ties: drawn, before, after };
}

type Neighbours = ReadonlyMap<string, readonly string[]>;

/**
 * Moves each node to the middle of its neighbors, forward and backward, and keeps the order with
 * the fewest crossings.
 */
function ordered({ layers, before, after }: Drawing): readonly (readonly string[])[] {
  let best = layers;
  let fewest = crossingsOf(layers, after);
  let current = layers;
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    current = swept(current, sweep % 2 === 0 ? before : after, sweep % 2 === 0);
    const count = crossingsOf(current, after);
    if (count < fewest) {
      fewest = count;
      best = current;
    }
  }
  return best;
}

function swept(
  layers: readonly (readonly string[])[],
  neighbours: Neighbours,
  isForth: boolean,
): readonly (readonly string[])[] {
  const places = new Map(layers.flatMap((layer) => layer.map((name, place) => [name, place])));
  const next = layers.map((layer) => [...layer]);
  for (const layer of isForth ? next : next.toReversed()) {
    const wish = new Map(
      layer.map((name, place) => [name, middle(neighbours.get(name), places) ?? place]),
    );
    layer.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
    for (const [place, name] of layer.entries()) places.set(name, place);
  }
  return next;
}

function middle(
  names: readonly string[] | undefined,
  places: ReadonlyMap<string, number>,
): number | undefined {
  if (!names || names.length === 0) return undefined;
  return names.reduce((sum, name) => sum + (places.get(name) ?? 0), 0) / names.length;
}

/**
 * Two edges cross if their ends are in the opposite order of their starts: inversions, counted with
 * a Fenwick tree.
 */
function crossingsOf(layers: readonly (readonly string[])[], after: Neighbours): number {
  let crossings = 0;
  for (const [place, layer] of layers.entries()) {
    const below = new Map((layers[place + 1] ?? []).map((name, at) => [name, at]));
    const tree = new Int32Array(below.size + 1);
    let entered = 0;
    for (const name of layer) {
      const ends = (after.get(name) ?? []).flatMap((to) => below.get(to) ?? []);
      for (const end of ends) {
        let upTo = 0;
        for (let at = end + 1; at > 0; at -= at & -at) upTo += tree[at] ?? 0;
        crossings += entered - upTo;
      }
      for (const end of ends) {
        entered++;
        for (let at = end + 1; at < tree.length; at += at & -at) tree[at] = (tree[at] ?? 0) + 1;
      }
    }
  }
  return crossings;
}

/** Moves each node as close to its neighbors as the order and a distance of 1 allow. */
function placed(
  layers: readonly (readonly string[])[],
  { before, after }: Drawing,
): ReadonlyMap<string, number> {
  const places = new Map(layers.flatMap((layer) => layer.map((name, place) => [name, place])));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForth = sweep % 2 === 0;
    for (const layer of isForth ? layers : layers.toReversed()) {
      const wishes = layer.map(
        (name, place) =>
          (middle((isForth ? before : after).get(name), places) ?? places.get(name) ?? place) -
          place,
      );
      for (const [place, shift] of rising(wishes).entries())
        places.set(layer[place] ?? "", place + shift);
    }
  }
  return places;
}

/** The nearest sequence that never decreases: decreasing neighbors get their mean. */
function rising(wishes: readonly number[]): readonly number[] {
  const runs: { mean: number; count: number }[] = [];
  for (const wish of wishes) {
    let run = { mean: wish, count: 1 };
    for (let last = runs.at(-1); last && last.mean > run.mean; last = runs.at(-1)) {
      runs.pop();
      const count = last.count + run.count;
      run = { mean: (last.mean * last.count + run.mean * run.count) / count, count };
    }
    runs.push(run);
  }
  return runs.flatMap(({ mean, count }) => Array.from({ length: count }, () => mean));
}
