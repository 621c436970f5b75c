import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** One changing call, as recorded by the shim. */
export interface Call {
  readonly what: string;
  readonly path: string;
  readonly other: string;
  readonly inode: string;
  readonly offset: number;
  readonly data: Buffer;
}

const NEWLINE = 0x0a;

export function readLog(log: Buffer): Call[] {
  const calls: Call[] = [];
  for (let place = 0; place < log.length; ) {
    const end = log.indexOf(NEWLINE, place);
    const [what = "", path = "", other = "", inode = "", offset = "0", size = "0"] = log
      .toString("utf8", place, end)
      .split("\t");
    const from = end + 1;
    const data = log.subarray(from, from + Number(size));
    calls.push({ what, path, other, inode, offset: Number(offset), data });
    place = from + data.length + 1;
  }
  return calls;
}

/** `lost`: the sync that should have made it durable failed, and no later one repeats it. */
type Fate = "kept" | "waiting" | "lost";

interface Piece {
  readonly offset: number;
  /** Undefined for a truncation to `offset`. */
  readonly data?: Buffer;
  fate: Fate;
}

interface Inode {
  readonly pieces: Piece[];
}

type Naming =
  | { readonly dir: string; readonly put: string; readonly inode: Inode | "directory" }
  | { readonly dir: string; readonly drop: string }
  | { readonly dir: string; readonly from: string; readonly to: string };

const dirOf = (path: string) => (dirname(path) === "." ? "" : dirname(path));

export interface Chance {
  /** A number from 0 to below `most`. */
  below(most: number): number;
}

/** The same numbers for the same seed. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  return {
    below(most) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * most);
    },
  };
}

/** The unsynced pieces that reach the disk. */
export const LOSSES = ["all kept", "none kept", "a prefix", "any of them", "torn"] as const;
export type Loss = (typeof LOSSES)[number];

const SECTORS = [512, 4096] as const;

export interface Disk {
  play(call: Call): void;
  /** Writes one of the states that a power cut could leave now. */
  writeImage(dir: string, loss: Loss, chance: Chance): void;
}

/**
 * The possible contents of a disk after a power cut: everything that was synced, and any part of
 * the rest. Only syncing a directory makes its names durable.
 */
export function createDisk(failedSync: "waits" | "loses"): Disk {
  const names = new Map<string, Inode | "directory">();
  const named = new Map<string, Inode>();
  const directories = new Set([""]);
  const kept = new Map<string, Inode | "directory">();
  let waiting: Naming[] = [];

  function carryOut(map: Map<string, Inode | "directory">, naming: Naming): void {
    if ("put" in naming) map.set(naming.put, naming.inode);
    else if ("drop" in naming) map.delete(naming.drop);
    else {
      const moved = map.get(naming.from);
      map.delete(naming.from);
      if (moved) map.set(naming.to, moved);
    }
  }

  function rename(naming: Naming): void {
    carryOut(names, naming);
    waiting.push(naming);
  }

  function inodeOf({ inode, path }: Call): Inode {
    const known = named.get(inode);
    if (!known) throw new Error(`nothing is known of ${path}`);
    return known;
  }

  function sync(call: Call): void {
    if (directories.has(call.path)) {
      for (const naming of waiting) if (naming.dir === call.path) carryOut(kept, naming);
      waiting = waiting.filter((naming) => naming.dir !== call.path);
      return;
    }
    for (const piece of inodeOf(call).pieces) if (piece.fate === "waiting") piece.fate = "kept";
  }

  function write(call: Call, piece: Omit<Piece, "fate">): void {
    inodeOf(call).pieces.push({ ...piece, fate: "waiting" });
  }

  function failSync(call: Call): void {
    if (failedSync === "waits" || directories.has(call.path)) return;
    for (const piece of inodeOf(call).pieces) if (piece.fate === "waiting") piece.fate = "lost";
  }

  const acts: Readonly<Record<string, (call: Call) => void>> = {
    create({ path, inode }) {
      const made: Inode = { pieces: [] };
      named.set(inode, made);
      rename({ dir: dirOf(path), put: path, inode: made });
    },
    mkdir({ path }) {
      directories.add(path);
      rename({ dir: dirOf(path), put: path, inode: "directory" });
    },
    unlink: ({ path }) => rename({ dir: dirOf(path), drop: path }),
    rmdir({ path }) {
      directories.delete(path);
      rename({ dir: dirOf(path), drop: path });
    },
    rename: ({ path, other }) => rename({ dir: dirOf(other), from: path, to: other }),
    write: (call) => write(call, { offset: call.offset, data: call.data }),
    truncate: (call) => write(call, { offset: call.offset }),
    sync,
    unsynced: failSync,
    say() {},
  };

  function play(call: Call): void {
    const act = acts[call.what];
    if (!act) throw new Error(`the shim says ${call.what}`);
    act(call);
  }

  function contentOf({ pieces }: Inode, loss: Loss, chance: Chance): Buffer {
    const loose = pieces.filter(({ fate }) => fate !== "kept");
    const prefix = new Set(loose.slice(0, chance.below(loose.length + 1)));
    const survives = (piece: Piece) => {
      if (piece.fate === "kept" || loss === "all kept") return true;
      if (loss === "none kept") return false;
      return loss === "a prefix" ? prefix.has(piece) : chance.below(2) === 0;
    };
    let content: Buffer = Buffer.alloc(0);
    for (const piece of pieces) {
      const { offset, data, fate } = piece;
      if (!data) {
        if (survives(piece)) content = resized(content, offset);
      } else if (loss === "torn" && fate !== "kept") {
        const sector = SECTORS[chance.below(SECTORS.length)] ?? 512;
        for (const part of sectorsOf(offset, data, sector))
          if (chance.below(2) === 0) content = put(content, part.offset, part.data);
      } else if (survives(piece)) content = put(content, offset, data);
    }
    return content;
  }

  return {
    play,
    writeImage(dir, loss, chance) {
      const image = new Map(kept);
      const survivors =
        loss === "all kept"
          ? waiting.length
          : loss === "none kept"
            ? 0
            : chance.below(waiting.length + 1);
      for (const naming of waiting.slice(0, survivors)) carryOut(image, naming);
      const reached = (path: string): boolean =>
        path === "" || (image.has(path) && reached(dirOf(path)));
      for (const [path, inode] of image) {
        if (!reached(path)) continue;
        if (inode === "directory") mkdirSync(join(dir, path), { recursive: true });
        else {
          mkdirSync(join(dir, dirOf(path)), { recursive: true });
          writeFileSync(join(dir, path), contentOf(inode, loss, chance));
        }
      }
    },
  };
}

function resized(content: Buffer, size: number): Buffer {
  if (size <= content.length) return content.subarray(0, size);
  return Buffer.concat([content, Buffer.alloc(size - content.length)]);
}

function put(content: Buffer, offset: number, data: Buffer): Buffer {
  const whole = Buffer.from(resized(content, Math.max(content.length, offset + data.length)));
  data.copy(whole, offset);
  return whole;
}

function* sectorsOf(offset: number, data: Buffer, size: number) {
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, from + size - ((offset + from) % size));
    yield { offset: offset + from, data: data.subarray(from, to) };
    from = to;
  }
}
