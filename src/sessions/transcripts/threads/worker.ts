import { findDecoder } from "../../../agents/index.ts";
import { pack } from "../index-file.ts";
import { readSessionFile } from "../read-file.ts";
import { reduceOptimization } from "./optimize.ts";
import { claimNext, type WorkerInput, type WorkerResult } from "./pool.ts";

/** The main function of a thread: reads session files until none is left. */
export function runWorker(): void {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { readings, isBrief, claimed, starting } = workerData as WorkerInput;
  // By the last thread to start: it would slow down the start of the others.
  if (Atomics.sub(starting, 0, 1) === 1 && isBrief) reduceOptimization();
  for (
    let position = claimNext(claimed);
    position < readings.length;
    position = claimNext(claimed)
  ) {
    const reading = readings[position];
    const dialect = reading && findDecoder(reading.source.dialect);
    if (!dialect) continue;
    const entry = readSessionFile(reading.source, undefined, dialect, { tail: reading.tail });
    parentPort?.postMessage({ position, packed: pack(entry) } satisfies WorkerResult);
  }
}
