// A process of its own that writes a list through the front door. It is told what to do by its only argument, says
// "ready" when the store is open, begins on a line of input, and reports on its output.
import { writeSync } from "node:fs";
import { createTracker, type Tracker } from "../../src/index.ts";
import type { DriverName } from "../../src/sqlite/driver.ts";
import { snapshotStore } from "../../src/stores/snapshot-store.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";

export interface Orders {
  readonly store: "sqlite" | "snapshots";
  readonly path: string;
  readonly driver?: DriverName;
  /** Begins the keys of this process. */
  readonly name: string;
  /** Open the store only when told to begin. */
  readonly late?: boolean;
  /** How many writes to make; without it until the process is killed, saying each one. */
  readonly commits?: number;
}

/** What a process says at its end. */
export interface Report {
  readonly name: string;
  readonly acknowledged: readonly string[];
  /** Milliseconds of the slowest write. */
  readonly worstWait: number;
  /** Milliseconds for all writes. */
  readonly total: number;
}

const TRACK = { session: "shared", agent: "main" };

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

function openStore({ store, path, driver }: Orders): Promise<Store> | Store {
  return store === "sqlite" ? sqliteStore(path, driver ? { driver } : {}) : snapshotStore(path);
}

type Door = ReturnType<Tracker["list"]>;

async function writeAll(list: Door, name: string, writes: number): Promise<Report> {
  const acknowledged: string[] = [];
  let worstWait = 0;
  const start = performance.now();
  for (let n = 0; n < writes; n++) {
    const key = `${name}:${n}`;
    const before = performance.now();
    const outcome = await list.set([{ text: key }], { key, via: "test" });
    worstWait = Math.max(worstWait, performance.now() - before);
    if (outcome.ok && !outcome.duplicate) acknowledged.push(key);
  }
  return { name, acknowledged, worstWait, total: performance.now() - start };
}

async function writeUntilKilled(list: Door, name: string): Promise<never> {
  for (let n = 0; ; n++) {
    const key = `${name}:${n}`;
    // Now and then a long list, so that there is something to tear.
    const todos = Array.from({ length: n % 8 === 7 ? 20 : 1 }, (_, place) => ({
      text: `${key} ${place} ${"long ".repeat(n % 90)}`,
    }));
    const { ok } = await list.set(todos, { key, via: "test" });
    if (ok) say(key);
  }
}

const orders: Orders = JSON.parse(process.argv[2] ?? "{}");
const early = orders.late ? undefined : await openStore(orders);
say("ready");
process.stdin.once("data", async () => {
  const store = early ?? (await openStore(orders));
  const list = createTracker({ store }).list(TRACK);
  if (orders.commits === undefined) await writeUntilKilled(list, orders.name);
  else say(JSON.stringify(await writeAll(list, orders.name, orders.commits)));
  await store.close();
  process.exit(0);
});
