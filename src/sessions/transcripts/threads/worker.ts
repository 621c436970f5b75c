import { findDialect } from "../../../agents/index.ts";
import { pack } from "../index-file.ts";
import { readSource } from "../source.ts";
import { optimiseLess } from "./optimize.ts";
import { type Delivery, type Share, takeNext } from "./threads.ts";

/** What a thread of its own does: reads what nobody has taken until there is nothing left. */
export function readShare(): void {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { readings, isBrief, taken, awaited } = workerData as Share;
  // Not before all are there: it would hold up those that still start.
  if (Atomics.sub(awaited, 0, 1) === 1 && isBrief) optimiseLess();
  for (let place = takeNext(taken); place < readings.length; place = takeNext(taken)) {
    const reading = readings[place];
    const dialect = reading && findDialect(reading.source.dialect);
    if (!dialect) continue;
    const entry = readSource(reading.source, undefined, dialect, { tail: reading.tail });
    parentPort?.postMessage({ place, packed: pack(entry) } satisfies Delivery);
  }
}
