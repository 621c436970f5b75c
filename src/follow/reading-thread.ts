import { parentPort, workerData } from "node:worker_threads";
import { findDialect } from "../dialects/index.ts";
import { optimiseLess } from "./brief.ts";
import { pack } from "./index-file.ts";
import { readSource } from "./source.ts";
import { type Delivery, type Share, takeNext } from "./threads.ts";

/** What runs on a thread of its own: reads what nobody has taken until there is nothing left. */
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
