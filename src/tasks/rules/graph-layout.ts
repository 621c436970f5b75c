import type { Task } from "../model.ts";

/** A task in its place: blockers stand in lower layers, and no two tasks at the same place. */
export interface GraphNode {
  readonly id: string;
  readonly layer: number;
  /** Within its layer, from 0; two of one layer are at least 1 apart. */
  readonly place: number;
}

/** From a blocker to what waits for it. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Where it passes the layers in between. */
  readonly through: readonly number[];
}

export interface TaskGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly layers: number;
  /** The room that the places take. */
  readonly places: number;
}

export type Tied = Pick<Task, "id" | "blockedBy">;

/** More ways through a layer than this are not made out any more: such edges go straight. */
const MAX_PASSES = 2_000;
const SWEEPS = 8;

/**
 * Lays out which task waits for which, from the left to the right: each stands behind the longest
 * way that leads to it, in an order that lets few edges cross.
 */
export function layoutGraph(tasks: readonly Tied[]): TaskGraph {
  const ids = new Set(tasks.map(({ id }) => id));
  const wanted = tasks.flatMap(({ id, blockedBy }) =>
    [...new Set(blockedBy)].flatMap((from) =>
      ids.has(from) && from !== id ? [{ from, to: id }] : [],
    ),
  );
  const layerOf = layersOf(tasks, wanted);
  // A circle cannot be kept in a store; where somebody sends one, what closes it is left out.
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

interface Tie {
  readonly from: string;
  readonly to: string;
}

/** The longest way to each task. Not by recursion: a chain can be longer than the stack is deep. */
function layersOf(tasks: readonly Tied[], ties: readonly Tie[]): ReadonlyMap<string, number> {
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
  /** Names of nodes and of passes, layer by layer. */
  readonly layers: readonly (readonly string[])[];
  readonly ties: readonly (Tie & { readonly passes: readonly string[] })[];
  readonly before: ReadonlyMap<string, readonly string[]>;
  readonly after: ReadonlyMap<string, readonly string[]>;
}

const nodeName = (id: string) => `n${id}`;

/** An edge over several layers gets a place in each of them, so that it goes around what stands there. */
function passesOf(
  tasks: readonly Tied[],
  ties: readonly Tie[],
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

/** Each goes to the middle of its neighbours, forth and back; the order with the fewest crossings stays. */
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

/** Two edges cross when they end in the other order than they begin: inversions, counted by a tree. */
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

/** Puts everything as near to its neighbours as the order and a distance of 1 let it. */
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

/** The numbers nearest to the given ones that never fall: neighbours that would are joined at their mean. */
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
