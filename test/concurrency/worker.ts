// A process of its own that commits to a store. It is told what to do by its only argument, says
// "ready" when the store is open, begins on a line of input, and reports on its output.
import { writeSync } from "node:fs";
import type { DriverName } from "../../src/stores/driver.ts";
import { snapshotStore } from "../../src/stores/snapshot-store.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { adds, changesNothing } from "../../src/testing/judges.ts";

export interface Orders {
  readonly store: "sqlite" | "snapshots";
  readonly path: string;
  readonly driver?: DriverName;
  /** Begins the keys of this process. */
  readonly name: string;
  /** Open the store only when told to begin. */
  readonly late?: boolean;
  /** How many commits to make; without it until the process is killed, saying each one. */
  readonly commits?: number;
}

/** What a process says at its end. */
export interface Report {
  readonly name: string;
  readonly acknowledged: readonly string[];
  /** Milliseconds of the slowest commit. */
  readonly worstWait: number;
  /** Milliseconds for all commits. */
  readonly total: number;
}

const TRACK = { session: "shared", agent: "main" };

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

function openStore({ store, path, driver }: Orders): Promise<Store> | Store {
  return store === "sqlite" ? sqliteStore(path, driver ? { driver } : {}) : snapshotStore(path);
}

async function commitAll(store: Store, name: string, commits: number): Promise<Report> {
  const acknowledged: string[] = [];
  let worstWait = 0;
  const start = performance.now();
  for (let n = 0; n < commits; n++) {
    const key = `${name}:${n}`;
    const before = performance.now();
    const outcome = await store.commit(TRACK, key, changesNothing(key));
    worstWait = Math.max(worstWait, performance.now() - before);
    if (outcome.ok && !outcome.duplicate) acknowledged.push(key);
  }
  return { name, acknowledged, worstWait, total: performance.now() - start };
}

async function commitUntilKilled(store: Store, name: string): Promise<never> {
  for (let n = 0; ; n++) {
    const key = `${name}:${n}`;
    // Now and then a long text, so that there is something to tear.
    const judge = adds(key, n % 8 === 7 ? "long ".repeat(4_000) : key);
    await store.commit(TRACK, key, (track) => {
      const decision = judge(track);
      if (!decision.ok || track.todos.length < 20) return decision;
      const changes = [{ type: "list.started" as const, list: track.list + 1 }];
      return { ok: true, event: { ...decision.event, changes } };
    });
    say(key);
  }
}

const orders: Orders = JSON.parse(process.argv[2] ?? "{}");
const early = orders.late ? undefined : await openStore(orders);
say("ready");
process.stdin.once("data", async () => {
  const store = early ?? (await openStore(orders));
  if (orders.commits === undefined) await commitUntilKilled(store, orders.name);
  else say(JSON.stringify(await commitAll(store, orders.name, orders.commits)));
  await store.close();
  process.exit(0);
});
