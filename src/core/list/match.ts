import type { Todo } from "../model.ts";

/** What matching looks at: the text as the author of the list may know it, and the foreign id. */
export interface Known {
  readonly id: string;
  readonly text: string;
  readonly ref?: string;
  readonly status: Todo["status"];
  /** The author of the list cannot have renamed it: a person added or removed it unseen. */
  readonly fixed?: boolean;
  /** A person added it: another text in its place is another todo, only one that is alike renames it. */
  readonly keepsPlace?: boolean;
}

export interface Incoming {
  readonly text: string;
  readonly ref?: string | null;
  readonly status?: Todo["status"];
}

/** Below this, two texts in different places are different todos. */
const SIMILAR = 0.6;
/** In the same place between the same neighbours, this is enough to call it a rename. */
const SIMILAR_IN_PLACE = 0.35;
/** Comparing every pair of two long lists is not worth the time. */
const MAX_PAIRS = 250_000;

/** White space and letter case do not make another todo; nor does our escaping for the model. */
export function foldText(text: string): string {
  return text.replaceAll("&lt;", "<").replace(/\s+/gu, " ").trim().toLowerCase();
}

/**
 * Pairs a whole list that was written anew with the todos that are known: by foreign id, then by
 * equal text, then by place and likeness. For each incoming entry the id of its todo, if any.
 */
export function match(
  known: readonly Known[],
  incoming: readonly Incoming[],
): readonly (string | undefined)[] {
  const pairs: (string | undefined)[] = new Array(incoming.length).fill(undefined);
  const free = new Map(known.map((todo, place) => [todo.id, { todo, place }]));
  const pair = (index: number, id: string) => {
    pairs[index] = id;
    free.delete(id);
  };
  const pairEqual = (keyOf: (entry: Known | Incoming) => string | undefined) => {
    const waiting = new Map<string, string[]>();
    for (const { todo } of free.values()) {
      const key = keyOf(todo);
      if (key === undefined) continue;
      const same = waiting.get(key);
      if (same) same.push(todo.id);
      else waiting.set(key, [todo.id]);
    }
    incoming.forEach((entry, index) => {
      const key = pairs[index] === undefined ? keyOf(entry) : undefined;
      const id = key === undefined ? undefined : waiting.get(key)?.shift();
      if (id !== undefined) pair(index, id);
    });
  };

  pairEqual((entry) => entry.ref ?? undefined);
  pairEqual((entry) => entry.text);
  pairEqual((entry) => foldText(entry.text));
  if (free.size > 0) pairInPlace(known, incoming, pairs, pair);
  if (free.size > 0) pairAlike(incoming, pairs, free, pair);
  return pairs;
}

/**
 * A todo renamed in place stands between the same neighbours as before. When it is the only one
 * that changed there, the text may differ altogether.
 */
function pairInPlace(
  known: readonly Known[],
  incoming: readonly Incoming[],
  pairs: readonly (string | undefined)[],
  pair: (index: number, id: string) => void,
): void {
  const places = new Map(known.map((todo, place) => [todo.id, place]));
  const anchored = pairs.some((id) => id !== undefined);
  const taken = new Set(pairs.filter((id) => id !== undefined));
  let start = 0;
  let knownStart = 0;
  for (let index = 0; index <= incoming.length; index++) {
    const id = pairs[index];
    if (index < incoming.length && id === undefined) continue;
    const knownEnd = index < incoming.length ? places.get(id ?? "") : known.length;
    if (knownEnd !== undefined && knownEnd >= knownStart) {
      const gap = known
        .slice(knownStart, knownEnd)
        .filter((todo) => !taken.has(todo.id) && !todo.fixed && !todo.keepsPlace);
      if (gap.length === index - start) {
        gap.forEach((todo, offset) => {
          const entry = incoming[start + offset];
          if (!entry || !mayBeRenamed(todo, entry)) return;
          const alone = gap.length === 1 && anchored && todo.status !== "completed";
          if (alone || similarity(todo.text, entry.text) >= SIMILAR_IN_PLACE)
            pair(start + offset, todo.id);
        });
      }
      knownStart = knownEnd + 1;
    }
    start = index + 1;
  }
}

function pairAlike(
  incoming: readonly Incoming[],
  pairs: readonly (string | undefined)[],
  free: ReadonlyMap<string, { readonly todo: Known; readonly place: number }>,
  pair: (index: number, id: string) => void,
): void {
  const open = incoming.map((_, index) => index).filter((index) => pairs[index] === undefined);
  if (open.length * free.size > MAX_PAIRS) return;
  const candidates = open.flatMap((index) => {
    const entry = incoming[index];
    if (!entry) return [];
    return [...free.values()]
      .filter(({ todo }) => mayBeRenamed(todo, entry))
      .map(({ todo, place }) => ({
        index,
        id: todo.id,
        likeness: similarity(todo.text, entry.text),
        distance: Math.abs(place - index),
      }));
  });
  candidates
    .filter(({ likeness }) => likeness >= SIMILAR)
    .sort((a, b) => b.likeness - a.likeness || a.distance - b.distance)
    .forEach(({ index, id }) => {
      if (pairs[index] === undefined && free.has(id)) pair(index, id);
    });
}

/** Two entries with different foreign ids are two todos, however alike they read. */
function mayBeRenamed(todo: Known, entry: Incoming): boolean {
  if (todo.fixed) return false;
  return todo.ref === undefined || entry.ref === undefined || entry.ref === null;
}

/** Share of common letter pairs, from 0 to 1 (Dice's coefficient). */
export function similarity(a: string, b: string): number {
  const left = letterPairs(a);
  const right = letterPairs(b);
  const total = left.size + right.size;
  if (total === 0) return 0;
  let common = 0;
  for (const letters of left) if (right.has(letters)) common++;
  return (2 * common) / total;
}

function letterPairs(text: string): ReadonlySet<string> {
  const folded = ` ${foldText(text)} `;
  const found = new Set<string>();
  for (let index = 0; index < folded.length - 1; index++) {
    found.add(folded.slice(index, index + 2));
  }
  return found;
}
