// A separate process with several workers. Its only argument names the store. It prints "ready" when
// the store is open, works until no task is left, and then prints its summary.
import { writeSync } from "node:fs";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { work } from "../../src/tasks/work/index.ts";
import { pause } from "../until.ts";

export interface WorkOrders {
  readonly name: string;
  /** A file, or the URL of a server. */
  readonly store: string;
  readonly concurrency: number;
  readonly lease: number;
  /** Longest duration of a task in milliseconds. */
  readonly takes: number;
}

const {
  name,
  store: place,
  concurrency,
  lease,
  takes,
}: WorkOrders = JSON.parse(process.argv[2] ?? "{}");
const store = await (place.startsWith("postgres:")
  ? postgresTaskStore(place, { connections: 4 })
  : sqliteTaskStore(place, { createDirectory: true }));
writeSync(1, "ready\n");
const idle = { shortest: 20, longest: 200 };
const workers = work(
  store,
  { owner: name, concurrency, lease, idle, until: "left", retryIn: () => 5 },
  async () => {
    await pause(Math.random() * takes, "the duration of a task");
    if (Math.random() < 0.1) throw new Error("bad luck");
  },
);
writeSync(1, `${JSON.stringify(await workers.ended)}\n`);
await store.close();
process.exit(0);
