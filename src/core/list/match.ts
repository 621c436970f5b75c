import type { Todo } from "../model.ts";

/** A known todo, with the text that the author of the list knows. */
export interface KnownTodo {
  readonly id: string;
  readonly text: string;
  readonly ref?: string;
  readonly status: Todo["status"];
  /** The user added or removed it unseen, so the author of the list cannot have renamed it. */
  readonly fixed?: boolean;
  /** The user added it: only a similar text renames it, not any text at its position. */
  readonly keepsPlace?: boolean;
}

/** A todo of the rewritten list. */
export interface IncomingTodo {
  readonly text: string;
  readonly ref?: string | null;
  readonly status?: Todo["status"];
}

/** Minimum similarity of two texts at different positions. */
const SIMILAR = 0.6;
/** Minimum similarity of two texts at the same position between the same neighbors. */
const SIMILAR_IN_PLACE = 0.35;
/** Lists with more pairs are not compared by similarity: it would take too long. */
const MAX_PAIRS = 250_000;

/** Normalizes white space, letter case and our escaping for models. */
export function normalizeText(text: string): string {
  return text.replaceAll("&lt;", "<").replace(/\s+/gu, " ").trim().toLowerCase();
}

/**
 * Pairs a rewritten list with the known todos: by `ref`, then by equal text, then by position and
 * similarity.
 *
 * @returns for each incoming todo, the id of its known todo, if any
 */
export function match(
  known: readonly KnownTodo[],
  incoming: readonly IncomingTodo[],
): readonly (string | undefined)[] {
  const pairs: (string | undefined)[] = new Array(incoming.length).fill(undefined);
  const free = new Map(known.map((todo, position) => [todo.id, { todo, position }]));
  const pair = (index: number, id: string) => {
    pairs[index] = id;
    free.delete(id);
  };
  const pairEqual = (keyOf: (entry: KnownTodo | IncomingTodo) => string | undefined) => {
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
  pairEqual((entry) => normalizeText(entry.text));
  if (free.size > 0) pairInPlace(known, incoming, pairs, pair);
  if (free.size > 0) pairAlike(incoming, pairs, free, pair);
  return pairs;
}

/**
 * Pairs todos that were renamed between the same neighbors. If a todo is the only one that changed
 * there, its new text may be entirely different.
 */
function pairInPlace(
  known: readonly KnownTodo[],
  incoming: readonly IncomingTodo[],
  pairs: readonly (string | undefined)[],
  pair: (index: number, id: string) => void,
): void {
  const positions = new Map(known.map((todo, position) => [todo.id, position]));
  const anchored = pairs.some((id) => id !== undefined);
  const taken = new Set(pairs.filter((id) => id !== undefined));
  let start = 0;
  let knownStart = 0;
  for (let index = 0; index <= incoming.length; index++) {
    const id = pairs[index];
    if (index < incoming.length && id === undefined) continue;
    const knownEnd = index < incoming.length ? positions.get(id ?? "") : known.length;
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
  incoming: readonly IncomingTodo[],
  pairs: readonly (string | undefined)[],
  free: ReadonlyMap<string, { readonly todo: KnownTodo; readonly position: number }>,
  pair: (index: number, id: string) => void,
): void {
  const open = incoming.map((_, index) => index).filter((index) => pairs[index] === undefined);
  if (open.length * free.size > MAX_PAIRS) return;
  const candidates = open.flatMap((index) => {
    const entry = incoming[index];
    if (!entry) return [];
    return [...free.values()]
      .filter(({ todo }) => mayBeRenamed(todo, entry))
      .map(({ todo, position }) => ({
        index,
        id: todo.id,
        likeness: similarity(todo.text, entry.text),
        distance: Math.abs(position - index),
      }));
  });
  candidates
    .filter(({ likeness }) => likeness >= SIMILAR)
    .sort((a, b) => b.likeness - a.likeness || a.distance - b.distance)
    .forEach(({ index, id }) => {
      if (pairs[index] === undefined && free.has(id)) pair(index, id);
    });
}

/** Whether an entry may be the renamed todo. Entries with different refs are different todos. */
function mayBeRenamed(todo: KnownTodo, entry: IncomingTodo): boolean {
  if (todo.fixed) return false;
  return todo.ref === undefined || entry.ref === undefined || entry.ref === null;
}

/** The share of common letter pairs, from 0 to 1 (Dice coefficient). */
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
  const folded = ` ${normalizeText(text)} `;
  const found = new Set<string>();
  for (let index = 0; index < folded.length - 1; index++) {
    found.add(folded.slice(index, index + 2));
  }
  return found;
}
