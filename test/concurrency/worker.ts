// A separate process that writes a list through the public API. Its argument is its task. It prints "ready" when the
// store is open, starts on a line of input, and reports on its output.
import { writeSync } from "node:fs";
import type { Outcome } from "../../src/core/model.ts";
import type { DriverName } from "../../src/engines/sqlite/driver.ts";
import { createTracker, type Tracker } from "../../src/index.ts";
import { snapshotStore } from "../../src/stores/snapshot-store.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { pause } from "../until.ts";

export interface Orders {
  readonly store: "sqlite" | "snapshots";
  readonly path: string;
  readonly driver?: DriverName;
  /** Prefix of the keys of this process. */
  readonly name: string;
  /** Open the store only on the start signal. */
  readonly late?: boolean;
  /** Start a write, report it, and never finish it. */
  readonly stuck?: boolean;
  /** The kind of writes: the whole list as read before, or one todo with the known revision. */
  readonly mix?: "replace" | "patch";
  /** Number of writes (default: until the process is killed, reporting each one). */
  readonly commits?: number;
}

/** The final report of a process. */
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
  return store === "sqlite"
    ? sqliteStore(path, { createDirectory: true, ...(driver && { driver }) })
    : snapshotStore(path);
}

type Entry = ReturnType<Tracker["list"]>;

async function writeAll(list: Entry, name: string, writes: number): Promise<Report> {
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

async function writeUntilKilled(list: Entry, name: string): Promise<never> {
  for (let n = 0; ; n++) {
    const key = `${name}:${n}`;
    // Sometimes a long list, so that a kill can interrupt its write.
    const todos = Array.from({ length: n % 8 === 7 ? 20 : 1 }, (_, place) => ({
      text: `${key} ${place} ${"long ".repeat(n % 90)}`,
    }));
    const { ok } = await list.set(todos, { key, via: "test" });
    if (ok) say(key);
  }
}

async function stayInside(store: Store): Promise<never> {
  await store.commit(TRACK, "stuck", () => {
    say("inside");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    throw new Error("nobody ends this");
  });
  throw new Error("unreachable");
}

const MOST_KNOWN = 6;

/** An agent that writes its whole list as it read it, or a user who changes one todo. */
async function writeMixed(list: Entry, { name, mix, commits = 0 }: Orders): Promise<Report> {
  const acknowledged: string[] = [];
  const start = performance.now();
  let refused = false;
  for (let n = 0; n < commits; ) {
    const key = `${name}:${n}`;
    const { todos, revision } = await list.read();
    // Other writers get in between, so the read list is outdated when it is written.
    await pause(Math.random() * 4, "writers that come at any moment");
    // Removing one todo while adding another may count as a rename, so sometimes several are removed.
    const most = n % 4 === 3 ? 1 : MOST_KNOWN;
    const known = todos.slice(-most).map(({ text, status }) => ({ text, status }));
    const { ok, rejected }: Pick<Outcome, "ok" | "rejected"> =
      mix === "replace"
        ? await list.set([...known, { text: key }], { key, via: "test" })
        : await list.submit([{ op: "add", todos: [{ text: key }] }], {
            by: "user",
            key,
            via: "test",
            ...(!refused && { revision }),
          });
    // After a conflict, the user reads the list again and repeats the change. Nothing else is refused.
    refused = !ok;
    if (rejected.some(({ code }) => code !== "conflict")) throw new Error(JSON.stringify(rejected));
    if (refused) continue;
    acknowledged.push(key);
    n += 1;
  }
  return { name, acknowledged, worstWait: 0, total: performance.now() - start };
}

const orders: Orders = JSON.parse(process.argv[2] ?? "{}");
const early = orders.late ? undefined : await openStore(orders);
say("ready");
process.stdin.once("data", async () => {
  const store = early ?? (await openStore(orders));
  // Room for every write of the full size: a replaced list keeps what users added meanwhile.
  const policy = { maxTodos: 2_500 };
  const list = createTracker({ store, policy }).list(TRACK);
  if (orders.stuck) await stayInside(store);
  else if (orders.mix) say(JSON.stringify(await writeMixed(list, orders)));
  else if (orders.commits === undefined) await writeUntilKilled(list, orders.name);
  else say(JSON.stringify(await writeAll(list, orders.name, orders.commits)));
  await store.close();
  process.exit(0);
});
