import type { Needle } from "../../../agents/agent.ts";

/** A needle that is searched for by a piece of it. */
export interface PiecedNeedle {
  readonly bytes: Uint8Array;
  /** Number of bytes before the piece. */
  readonly before: number;
  /** Other texts that the line must contain. */
  readonly also: readonly string[];
}

interface Search {
  readonly first: string;
  /** Other texts that the line must contain. */
  readonly also: readonly string[];
  /** Position of the last match. */
  at: number;
}

export interface Finder {
  /** Number of line feeds between two positions. */
  lines(from: number, to: number): number;
  /**
   * Position of the first match at or after `at` of a needle that begins at or after `from` (default: `at`); infinity
   * without one.
   */
  next(at: number, from?: number): number;
  /** Whether the last match is only of the last needle. */
  isLast(): boolean;
  /** `wanted` may have changed. */
  changed(): void;
}

/** Characters by frequency in tool output, rare to common. Others are rare. */
const COMMON =
  "^YX#+JG&H!KWVqL'7@BM8UF|9?3DN5R6jACO][<PE$4zZI2-1w>S0kT_`}{xv=*b;/yg,h:()fm.p\"ludcioa\\srtne";
const NEWLINE = 0x0a;
const NO_MATCH = Number.POSITIVE_INFINITY;

/** Searches for each needle separately: simpler and slower than the SIMD sieve. */
export function createFinder(
  block: Buffer,
  needles: readonly Needle[],
  wanted: () => readonly string[] = () => [],
): Finder {
  const fixed = needles.map(textsOf).map(([first, ...also]): Search => ({ first, also, at: -1 }));
  const known = new Map<string, Search>();
  let awaited: Search[] = [];
  let stale = true;
  let isLast = false;

  const ask = (): void => {
    stale = false;
    awaited = wanted().flatMap((id) => {
      const plain = unescaped(id);
      if (plain === "") return [];
      const search = known.get(plain) ?? { first: plain, also: [], at: -1 };
      known.set(plain, search);
      return [search];
    });
  };
  const nearest = (searches: readonly Search[], from: number): number => {
    let first = NO_MATCH;
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
      const found = Math.min(nearest(fixed, from), nearest(awaited, from));
      const last = fixed.at(-1);
      isLast = [...fixed, ...awaited].every((search) => search.at !== found || search === last);
      return found;
    },
    isLast: () => isLast,
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
  return NO_MATCH;
}

/** Whether the needle, whose piece was found at `at`, matches and begins at or after `from`. */
export function matchesAt(
  block: Buffer,
  { bytes, before, also }: PiecedNeedle,
  at: number,
  from: number,
): boolean {
  if (at - before < from || !bytesMatch(block, bytes, at - before)) return false;
  return also.length === 0 || lineHas(block, at, also);
}

function bytesMatch(block: Buffer, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < bytes.length; index++)
    if (block[start + index] !== bytes[index]) return false;
  return true;
}

function lineHas(block: Buffer, at: number, texts: readonly string[]): boolean {
  const end = block.indexOf(NEWLINE, at);
  const line = block.subarray(block.lastIndexOf(NEWLINE, at) + 1, end === -1 ? block.length : end);
  return texts.every((text) => line.includes(text));
}

/** The longest part of an id that no JSON encoder escapes. */
export function unescaped(id: string): string {
  if (/^[!#-.0-[\]-~]+$/.test(id)) return id;
  const parts = id.match(/[!#-.0-[\]-~]+/g) ?? [];
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

export type NeedleTexts = readonly [string, ...string[]];

export function textsOf(needle: Needle): NeedleTexts {
  return typeof needle === "string" ? [needle] : needle;
}

export function withPiece([first, ...also]: NeedleTexts, piece: string): PiecedNeedle {
  return { bytes: Buffer.from(first, "latin1"), before: first.indexOf(piece), also };
}

/** How common a character is in tool output. */
export function rankOf(text: string, index: number): number {
  return COMMON.indexOf(text.charAt(index));
}
