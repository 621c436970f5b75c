import type { Needle } from "../../../agents/agent.ts";
import {
  createFinder,
  type Finder,
  type PiecedNeedle,
  pieced,
  rankOf,
  standsAt,
  unescaped,
  type Words,
  wordsOf,
} from "./needles.ts";
import { SIEVE_CODE } from "./sieve-code.ts";

/** Room for bytes, and a way to look through them for all needles at once. */
export interface Sieve {
  readonly room: Buffer;
  finder(needles: readonly Needle[], wanted?: () => readonly string[]): RoomFinder;
}

export interface RoomFinder extends Finder {
  /** Looks through the first bytes of the room, which are others now. */
  begin(length: number): void;
}

interface Machine {
  readonly memory: { readonly buffer: ArrayBuffer };
  find(at: number, to: number): number;
  lines(at: number, to: number): number;
}

/** As much of it as is used; the types of Node leave it out. */
interface Assembly {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Machine };
}

/** Where things are in the memory of the machine. */
const TABLES = 96;
const GROUPS = 112;
const ROOM = 128;
const PIECE = 3;
const GROUP_COUNT = 8;
/** The group of what is waited for. */
const WAITING = GROUP_COUNT - 1;

export function openSieve(size: number): Sieve {
  const machine = startMachine();
  return machine ? swiftSieve(machine, size) : plainSieve(size);
}

/** For processors without vectors, and where WebAssembly is off. */
export function plainSieve(size: number): Sieve {
  const room = Buffer.allocUnsafeSlow(size);
  return {
    room,
    finder(needles, wanted) {
      let finder = createFinder(room, needles, wanted);
      return {
        begin(length) {
          finder = createFinder(room.subarray(0, length), needles, wanted);
        },
        lines: (from, to) => finder.lines(from, to),
        next: (from) => finder.next(from),
        changed: () => finder.changed(),
      };
    },
  };
}

function startMachine(): Machine | undefined {
  try {
    const { Module, Instance } = (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly;
    return new Instance(new Module(Buffer.from(SIEVE_CODE, "base64"))).exports;
  } catch {
    // No vectors here, or nothing may be compiled.
    return undefined;
  }
}

/** Everything in one pass, 16 bytes at a time. */
function swiftSieve({ memory, find, lines }: Machine, size: number): Sieve {
  const bytes = Buffer.from(memory.buffer);
  const room = bytes.subarray(ROOM, ROOM + size);
  return {
    room,
    finder(needles, wanted = () => []) {
      const plan = plannedFor(needles);
      let length = 0;
      let ids: readonly string[] = [];
      let waiting: readonly Piece[] = [];
      let stale = true;
      bytes.set(plan.tables);
      const ask = (): void => {
        stale = false;
        const now = wanted();
        if (now.length === ids.length && now.every((id, place) => id === ids[place])) return;
        ids = now;
        waiting = now.map(unescaped).flatMap((id) => (id === "" ? [] : [lastOf(id)]));
        bytes.set(plan.tables);
        enter(bytes, waiting, WAITING);
      };
      return {
        begin(now) {
          length = now;
        },
        lines: (from, to) => lines(ROOM + from, ROOM + to),
        next(from) {
          if (stale) ask();
          let at = find(ROOM + from, ROOM + length) - ROOM;
          for (; at < length; at = find(ROOM + at + 1, ROOM + length) - ROOM) {
            let left = bytes[GROUPS] ?? 0;
            for (let group = 0; left > 0; group++, left >>= 1) {
              if ((left & 1) === 0) continue;
              for (const { needle } of plan.groups[group] ?? [])
                if (standsAt(room, needle, at, from)) return at;
              if (group < WAITING) continue;
              for (const { needle } of waiting) if (standsAt(room, needle, at, from)) return at;
            }
          }
          return Number.POSITIVE_INFINITY;
        },
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
  readonly tables: Buffer;
  readonly groups: readonly (readonly Piece[])[];
}

const planned = new WeakMap<readonly Needle[], Plan>();

function plannedFor(needles: readonly Needle[]): Plan {
  const known = planned.get(needles);
  if (known) return known;
  const groups = dealt(pieces(needles.map(wordsOf)));
  const tables = Buffer.alloc(TABLES);
  for (const [place, group] of groups.entries()) enter(tables, group, place);
  const plan = { tables, groups };
  planned.set(needles, plan);
  return plan;
}

/** Ids come and go, so that which piece is rare is not worth much thought; most begin alike. */
function lastOf(id: string): Piece {
  const piece = id.slice(-PIECE);
  return { piece, needle: pieced([id], piece) };
}

function pieces(needles: readonly Words[]): readonly Piece[] {
  return needles.map((words) => {
    const piece = rarestOf(words[0]);
    return { piece, needle: pieced(words, piece) };
  });
}

/** The piece of a text that is found least often where the text is not. */
function rarestOf(text: string): string {
  let best = { piece: text.slice(0, PIECE), share: Number.POSITIVE_INFINITY };
  for (let start = 0; start + PIECE <= text.length; start++) {
    let share = 1;
    for (let index = start; index < start + PIECE; index++) share *= rankOf(text, index) + 2;
    // A capital inside of a word is rarer than either letter.
    if (/[a-z][A-Z]/.test(text.slice(start, start + PIECE))) share /= 10;
    if (share < best.share) best = { piece: text.slice(start, start + PIECE), share };
  }
  return best.piece;
}

/** Each piece goes where the group lets least through in vain; those that are the same, together. */
function dealt(all: readonly Piece[]): readonly (readonly Piece[])[] {
  const groups = Array.from({ length: GROUP_COUNT }, (): Piece[] => []);
  for (const each of all) {
    const added = groups.map((group) => passing([...group, each]) - passing(group));
    groups[added.indexOf(Math.min(...added))]?.push(each);
  }
  return groups;
}

/** How much a group lets through: halves of bytes are told apart, not bytes. */
function passing(group: readonly Piece[]): number {
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

/** Lets the bytes of the pieces through for their group; what a short piece lacks may be any byte. */
function enter(tables: Buffer, group: readonly Piece[], place: number): void {
  const allow = (entry: number): void => {
    tables[entry] = (tables[entry] ?? 0) | (1 << place);
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
