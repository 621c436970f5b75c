import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import type { FoundSource } from "../discover.ts";
import type { Indexed } from "../fold.ts";
import { type Packed, unpack } from "../index-file.ts";

/** A session file that is not in the index yet. */
export interface FirstReading {
  readonly source: FoundSource;
  /** Bytes at its end that are read line by line. */
  readonly tail: number;
}

export interface Readings {
  readonly readings: readonly FirstReading[];
  /** The program ends after reading. */
  readonly isBrief: boolean;
}

/** `workerData` of a thread. */
export interface WorkerInput extends Readings {
  /** Shared counter: a free thread claims the next reading by incrementing it. */
  readonly claimed: Int32Array;
  /** Number of threads that have not started yet. */
  readonly starting: Int32Array;
}

/** A message of a thread: a completed reading and its result. */
export interface WorkerResult {
  readonly position: number;
  readonly packed: Packed;
}

/** Threads that read session files together with the one that started them. */
export interface WorkerPool {
  /** Claims the next reading; past the end if none is left. */
  take(): number;
  /** Waits for the threads; returns the readings that a thread claimed but did not deliver. */
  finish(): Promise<readonly number[]>;
  stop(): void;
}

/** The bundle of the thread is beside that of the program, or one folder above the library's chunks. */
export function threadFile(): string | undefined {
  return ["./reading-thread.cjs", "../reading-thread.cjs"]
    .map((name) => fileURLToPath(new URL(name, import.meta.url)))
    .find((path) => existsSync(path));
}

export function startPool(
  { readings, isBrief }: Readings,
  file: string,
  count: number,
  deliver: (position: number, entry: Indexed) => void,
): WorkerPool {
  const [claimed, starting] = [sharedNumber(0), sharedNumber(count)];
  /** Readings that were neither claimed here nor delivered by a thread. */
  const left = new Set(readings.keys());
  let onAllDelivered = (): void => undefined;
  const delivered = new Promise<void>((resolve) => {
    onAllDelivered = resolve;
  });
  const workerData: WorkerInput = { readings, isBrief, claimed, starting };
  const threads = Array.from({ length: count }).flatMap(() => {
    const thread = startThread(file, workerData);
    if (!thread) return [];
    thread.on("message", ({ position, packed }: WorkerResult) => {
      left.delete(position);
      deliver(position, unpack(packed));
      if (left.size === 0) onAllDelivered();
    });
    // Ignored: readings that a thread does not deliver are done by the caller.
    thread.on("error", () => undefined);
    const ended = new Promise<void>((resolve) => thread.on("exit", () => resolve()));
    return [{ thread, ended }];
  });
  return {
    take() {
      const position = claimNext(claimed);
      left.delete(position);
      return position;
    },
    async finish() {
      const ended = Promise.all(threads.map(({ ended }) => ended));
      // A thread that delivered everything takes a while to exit: that is not waited for.
      if (left.size > 0) await Promise.race([delivered, ended]);
      return [...left];
    },
    stop() {
      for (const { thread } of threads) thread.terminate();
    },
  };
}

function startThread(file: string, workerData: WorkerInput): Worker | undefined {
  try {
    // Loaded late: most runs have little to read.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    return new Worker(file, { workerData });
  } catch {
    // Out of resources: the caller reads alone.
    return undefined;
  }
}

function sharedNumber(value: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(value);
}

export function claimNext(claimed: Int32Array): number {
  return Atomics.add(claimed, 0, 1);
}
