import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import type { FoundSource } from "../discover.ts";
import type { Indexed } from "../fold.ts";
import { type Packed, unpack } from "../index-file.ts";

/** A session file that nothing is known of yet. */
export interface FirstReading {
  readonly source: FoundSource;
  /** How much of its end is read line by line. */
  readonly tail: number;
}

export interface Readings {
  readonly readings: readonly FirstReading[];
  /** The program ends when it has read. */
  readonly isBrief: boolean;
}

/** What a thread is started with. */
export interface Share extends Readings {
  /** Whoever is free takes the next reading by counting on. */
  readonly taken: Int32Array;
  /** Threads that are not ready yet. */
  readonly awaited: Int32Array;
}

/** What a thread says: which reading it is done with, and what it learnt. */
export interface Delivery {
  readonly place: number;
  readonly packed: Packed;
}

/** Threads that read session files together with the one that started them. */
export interface Team {
  /** The next reading that nobody has taken; past the end where there is none. */
  take(): number;
  /** Waits for the others; the readings that a thread took and broke down over. */
  finish(): Promise<readonly number[]>;
  stop(): void;
}

/** The bundle of the thread lies beside that of the program, or above the library's pieces. */
export function threadFile(): string | undefined {
  return ["./reading-thread.cjs", "../reading-thread.cjs"]
    .map((name) => fileURLToPath(new URL(name, import.meta.url)))
    .find((path) => existsSync(path));
}

export function startTeam(
  { readings, isBrief }: Readings,
  file: string,
  count: number,
  deliver: (place: number, entry: Indexed) => void,
): Team {
  const [taken, awaited] = [sharedNumber(0), sharedNumber(count)];
  /** What nobody has taken here, and no thread has told of yet. */
  const left = new Set(readings.keys());
  let noneLeft = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    noneLeft = resolve;
  });
  const workerData: Share = { readings, isBrief, taken, awaited };
  const threads = Array.from({ length: count }).flatMap(() => {
    const thread = startThread(file, workerData);
    if (!thread) return [];
    thread.on("message", ({ place, packed }: Delivery) => {
      left.delete(place);
      deliver(place, unpack(packed));
      if (left.size === 0) noneLeft();
    });
    // However it ends: what it did not deliver is read without it.
    thread.on("error", () => undefined);
    const ended = new Promise<void>((resolve) => thread.on("exit", () => resolve()));
    return [{ thread, ended }];
  });
  return {
    take() {
      const place = takeNext(taken);
      left.delete(place);
      return place;
    },
    async finish() {
      const ended = Promise.all(threads.map(({ ended }) => ended));
      // Who has told everything still takes a while to end, and nobody need wait for that.
      if (left.size > 0) await Promise.race([told, ended]);
      return [...left];
    },
    stop() {
      for (const { thread } of threads) thread.terminate();
    },
  };
}

function startThread(file: string, workerData: Share): Worker | undefined {
  try {
    // Loaded when there is much to read: most starts never need it.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    return new Worker(file, { workerData });
  } catch {
    // The machine has no more to give; it goes without.
    return undefined;
  }
}

function sharedNumber(value: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(value);
}

export function takeNext(taken: Int32Array): number {
  return Atomics.add(taken, 0, 1);
}
