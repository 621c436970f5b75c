// A separate process that writes lists under the shim and prints each key when its write is
// acknowledged. With a control file it makes one sync of every write fail, the first, the second,
// and so on, and ends when that happened: another process retries.
import { writeSync } from "node:fs";
import { snapshotStore } from "../../src/stores/snapshot-store.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { trackerOn } from "../../src/tracker.ts";
import { openControl } from "./shim.ts";

export interface PowerOrders {
  readonly store: "sqlite" | "snapshots";
  readonly path: string;
  /** The number of the first write, and the number after the last. */
  readonly from: number;
  readonly to: number;
  /** Control file that makes syncs fail. */
  readonly control?: string;
}

export const TRACK = { session: "s", agent: "main" };
const SYNCS_OF_A_WRITE = 6;

const { store: kind, path, from, to, control }: PowerOrders = JSON.parse(process.argv[2] ?? "{}");
const shim = control === undefined ? undefined : openControl(control);
const options = { onWarning() {} };

const store =
  kind === "sqlite"
    ? await sqliteStore(path, { ...options, createDirectory: true })
    : snapshotStore(path, options);
const tracker = trackerOn(store);

for (let n = from; n < to; n++) {
  const key = `k${n}`;
  // The first write repeats the failed one.
  if (n > from) shim?.arm({ nth: 1 + (n % SYNCS_OF_A_WRITE), error: "EIO", calls: ["sync"] });
  // Short and long lists, so that there is something to tear.
  const todos = Array.from({ length: 1 + (n % 5) * 4 }, (_, place) => ({
    text: `${key} ${place} ${"long ".repeat((n * 7) % 60)}`,
  }));
  const { ok } = await tracker.list(TRACK).set(todos, { key, via: "test" });
  shim?.disarm();
  if (ok) writeSync(1, `${key}\n`);
}
await tracker.close();
