import type { Needle } from "../../../agents/agent.ts";
import {
  createFinder,
  type Finder,
  matchesAt,
  type NeedleTexts,
  type PiecedNeedle,
  rankOf,
  textsOf,
  unescaped,
  withPiece,
} from "./needles.ts";
import { SIEVE_CODE } from "./sieve-code.ts";

/** A buffer, and a search for all needles in it at once. */
export interface Sieve {
  readonly buffer: Buffer;
  finder(needles: readonly Needle[], wanted?: () => readonly string[]): BufferFinder;
}

export interface BufferFinder extends Finder {
  /** Starts a search of the first `length` bytes of the buffer, whose content has changed. */
  begin(length: number): void;
}

interface ScanModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  find(at: number, to: number): number;
  lines(at: number, to: number): number;
}

/** The part of WebAssembly that is used; Node's types do not include it. */
interface Assembly {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: ScanModule };
}

/** Layout of the module's memory. */
const TABLES = 96;
const GROUPS = 112;
const INPUT = 128;
const PIECE = 3;
const GROUP_COUNT = 8;
/** The group of the ids in `wanted`. */
const WANTED = GROUP_COUNT - 1;

export function openSieve(size: number): Sieve {
  const module = compileModule();
  return module ? simdSieve(module, size) : scalarSieve(size);
}

/** For processors without SIMD, and where WebAssembly is disabled. */
export function scalarSieve(size: number): Sieve {
  const buffer = Buffer.allocUnsafeSlow(size);
  return {
    buffer,
    finder(needles, wanted) {
      let finder = createFinder(buffer, needles, wanted);
      return {
        begin(length) {
          finder = createFinder(buffer.subarray(0, length), needles, wanted);
        },
        lines: (from, to) => finder.lines(from, to),
        next: (at, from) => finder.next(at, from),
        isLast: () => finder.isLast(),
        changed: () => finder.changed(),
      };
    },
  };
}

function compileModule(): ScanModule | undefined {
  try {
    const { Module, Instance } = (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly;
    return new Instance(new Module(Buffer.from(SIEVE_CODE, "base64"))).exports;
  } catch {
    // No SIMD, or compilation is not allowed.
    return undefined;
  }
}

/** Searches for all needles in one pass, 16 bytes at a time. */
function simdSieve({ memory, find, lines }: ScanModule, size: number): Sieve {
  const bytes = Buffer.from(memory.buffer);
  const buffer = bytes.subarray(INPUT, INPUT + size);
  return {
    buffer,
    finder(needles, wanted = () => []) {
      const plan = planFor(needles);
      let length = 0;
      let ids: readonly string[] = [];
      let wantedPieces: readonly Piece[] = [];
      let stale = true;
      let isLast = false;
      bytes.set(plan.tables);
      const ask = (): void => {
        stale = false;
        const now = wanted();
        if (now.length === ids.length && now.every((id, index) => id === ids[index])) return;
        ids = now;
        wantedPieces = now.map(unescaped).flatMap((id) => (id === "" ? [] : [endPiece(id)]));
        bytes.set(plan.tables);
        addToTables(bytes, wantedPieces, WANTED);
      };
      return {
        begin(now) {
          length = now;
        },
        lines: (from, to) => lines(INPUT + from, INPUT + to),
        next(begin, from = begin) {
          if (stale) ask();
          isLast = false;
          let at = find(INPUT + begin, INPUT + length) - INPUT;
          for (; at < length; at = find(INPUT + at + 1, INPUT + length) - INPUT) {
            let left = bytes[GROUPS] ?? 0;
            for (let group = 0; left > 0; group++, left >>= 1) {
              if ((left & 1) === 0) continue;
              for (const { needle } of plan.groups[group] ?? []) {
                if (!matchesAt(buffer, needle, at, from)) continue;
                isLast = needle === plan.last;
                if (!isLast) return at;
              }
              if (group < WANTED) continue;
              for (const { needle } of wantedPieces)
                if (matchesAt(buffer, needle, at, from)) {
                  isLast = false;
                  return at;
                }
            }
            if (isLast) return at;
          }
          return Number.POSITIVE_INFINITY;
        },
        isLast: () => isLast,
        changed() {
          stale = true;
        },
      };
    },
  };
}

interface Piece {
  readonly piece: string;
  readonly needle: PiecedNeedle;
}

interface Plan {
  /** The last needle. */
  readonly last: PiecedNeedle | undefined;
  readonly tables: Buffer;
  readonly groups: readonly (readonly Piece[])[];
}

const plans = new WeakMap<readonly Needle[], Plan>();

function planFor(needles: readonly Needle[]): Plan {
  const known = plans.get(needles);
  if (known) return known;
  const all = pieces(needles.map(textsOf));
  const groups = groupPieces(all);
  const tables = Buffer.alloc(TABLES);
  for (const [number, group] of groups.entries()) addToTables(tables, group, number);
  const plan = { tables, groups, last: all.at(-1)?.needle };
  plans.set(needles, plan);
  return plan;
}

/** The last characters of an id: most ids have the same beginning. */
function endPiece(id: string): Piece {
  const piece = id.slice(-PIECE);
  return { piece, needle: withPiece([id], piece) };
}

function pieces(needles: readonly NeedleTexts[]): readonly Piece[] {
  return needles.map((words) => {
    const piece = rarestPiece(words[0]);
    return { piece, needle: withPiece(words, piece) };
  });
}

/** The piece of a text with the fewest false matches. */
function rarestPiece(text: string): string {
  let best = { piece: text.slice(0, PIECE), share: Number.POSITIVE_INFINITY };
  for (let start = 0; start + PIECE <= text.length; start++) {
    let share = 1;
    for (let index = start; index < start + PIECE; index++) share *= rankOf(text, index) + 2;
    // A capital inside a word is rarer than either letter.
    if (/[a-z][A-Z]/.test(text.slice(start, start + PIECE))) share /= 10;
    if (share < best.share) best = { piece: text.slice(start, start + PIECE), share };
  }
  return best.piece;
}

/** Assigns each piece to the group whose false matches it increases least; equal pieces share a group. */
function groupPieces(all: readonly Piece[]): readonly (readonly Piece[])[] {
  const groups = Array.from({ length: GROUP_COUNT }, (): Piece[] => []);
  for (const each of all) {
    const added = groups.map((group) => matchRate([...group, each]) - matchRate(group));
    groups[added.indexOf(Math.min(...added))]?.push(each);
  }
  return groups;
}

/** Estimates how often a group matches. The tables compare halves of bytes, not bytes. */
function matchRate(group: readonly Piece[]): number {
  if (group.length === 0) return 0;
  let share = 1;
  for (let index = 0; index < PIECE; index++) {
    const codes = group.map(({ piece }) => piece.charCodeAt(index));
    const [low, high] = [
      new Set(codes.map((code) => code & 15)),
      new Set(codes.map((code) => code >> 4)),
    ];
    let passed = 0;
    for (const half of high)
      for (const other of low)
        passed += 2 ** (rankOf(String.fromCharCode(16 * half + other), 0) / 8);
    share *= passed;
  }
  return share;
}

/** Enters the pieces of a group into the tables. Bytes that a short piece lacks match anything. */
function addToTables(tables: Buffer, group: readonly Piece[], number: number): void {
  const allow = (entry: number): void => {
    tables[entry] = (tables[entry] ?? 0) | (1 << number);
  };
  for (const { piece } of group)
    for (let index = 0; index < PIECE; index++) {
      const table = 32 * index;
      if (index < piece.length) {
        allow(table + (piece.charCodeAt(index) & 15));
        allow(table + 16 + (piece.charCodeAt(index) >> 4));
      } else for (let entry = 0; entry < 32; entry++) allow(table + entry);
    }
}
