import type { Needle } from "../../../agents/agent.ts";

/** A needle that is looked for by a piece of it. */
export interface PiecedNeedle {
  readonly bytes: Uint8Array;
  /** How much of it stands before the piece. */
  readonly before: number;
  /** What else must stand on the line. */
  readonly also: readonly string[];
}

interface Search {
  readonly first: string;
  /** What else must stand on the line. */
  readonly also: readonly string[];
  /** Where it was last found. */
  at: number;
}

export interface Finder {
  /** How many line feeds stand between two places. */
  lines(from: number, to: number): number;
  /** The first place at or after `from` where a needle stands; infinity where there is none. */
  next(from: number): number;
  /** What is waited for may have changed. */
  changed(): void;
}

/** From rare to common, as they are in what tools print; what is not listed is rare. */
const COMMON =
  "^YX#+JG&H!KWVqL'7@BM8UF|9?3DN5R6jACO][<PE$4zZI2-1w>S0kT_`}{xv=*b;/yg,h:()fm.p\"ludcioa\\srtne";
const NEWLINE = 0x0a;
const NOWHERE = Number.POSITIVE_INFINITY;

/** One search for each needle: simple, and slower than the vectors of the sieve. */
export function createFinder(
  block: Buffer,
  needles: readonly Needle[],
  wanted: () => readonly string[] = () => [],
): Finder {
  const fixed = needles.map(wordsOf).map(([first, ...also]): Search => ({ first, also, at: -1 }));
  const known = new Map<string, Search>();
  let waiting: Search[] = [];
  let stale = true;

  const ask = (): void => {
    stale = false;
    waiting = wanted().flatMap((id) => {
      const plain = unescaped(id);
      if (plain === "") return [];
      const search = known.get(plain) ?? { first: plain, also: [], at: -1 };
      known.set(plain, search);
      return [search];
    });
  };
  const nearest = (searches: readonly Search[], from: number): number => {
    let first = NOWHERE;
    for (const search of searches) {
      if (search.at < from) search.at = find(block, search, from);
      if (search.at < first) first = search.at;
    }
    return first;
  };
  return {
    lines(from, to) {
      let count = 0;
      for (let at = block.indexOf(NEWLINE, from); at !== -1 && at < to; count++)
        at = block.indexOf(NEWLINE, at + 1);
      return count;
    },
    next(from) {
      if (stale) ask();
      return Math.min(nearest(fixed, from), nearest(waiting, from));
    },
    changed() {
      stale = true;
    },
  };
}

function find(block: Buffer, { first, also }: Search, from: number): number {
  for (let at = block.indexOf(first, from, "latin1"); at !== -1; ) {
    if (also.length === 0 || lineHas(block, at, also)) return at;
    at = block.indexOf(first, at + 1, "latin1");
  }
  return NOWHERE;
}

/** Whether the needle stands, after `from`, where its piece was found. */
export function standsAt(
  block: Buffer,
  { bytes, before, also }: PiecedNeedle,
  at: number,
  from: number,
): boolean {
  if (at - before < from || !stands(block, bytes, at - before)) return false;
  return also.length === 0 || lineHas(block, at, also);
}

function stands(block: Buffer, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < bytes.length; index++)
    if (block[start + index] !== bytes[index]) return false;
  return true;
}

function lineHas(block: Buffer, at: number, texts: readonly string[]): boolean {
  const end = block.indexOf(NEWLINE, at);
  const line = block.subarray(block.lastIndexOf(NEWLINE, at) + 1, end === -1 ? block.length : end);
  return texts.every((text) => line.includes(text));
}

/** The part of an id that every writer of JSON writes as it is. */
export function unescaped(id: string): string {
  if (/^[!#-.0-[\]-~]+$/.test(id)) return id;
  const parts = id.match(/[!#-.0-[\]-~]+/g) ?? [];
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

export type Words = readonly [string, ...string[]];

export function wordsOf(needle: Needle): Words {
  return typeof needle === "string" ? [needle] : needle;
}

export function pieced([first, ...also]: Words, piece: string): PiecedNeedle {
  return { bytes: Buffer.from(first, "latin1"), before: first.indexOf(piece), also };
}

/** How common a byte is in what tools print. */
export function rankOf(text: string, index: number): number {
  return COMMON.indexOf(text.charAt(index));
}
