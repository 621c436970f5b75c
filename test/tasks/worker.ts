// A process of its own that works on tasks. Its only argument says which store and what is wrong with its clock; it
// says "ready" when the store is open, then does what each line of its input tells, and answers with one line.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { TaskOp } from "../../src/tasks/model.ts";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import type { TaskStore } from "../../src/tasks/store.ts";

export interface TaskOrders {
  readonly name: string;
  /** A file, or the URL of a server. */
  readonly store: string;
  /** Store objects, each as if it were a process. */
  readonly objects?: number;
  /** Milliseconds that the process believes to be ahead. */
  readonly clock?: number;
}

/** One call: when it began and ended, by the clock that all processes share, and what it came to. */
export interface Call {
  readonly op: TaskOp["op"];
  readonly from: number;
  readonly to: number;
  readonly id?: string;
  readonly epoch?: number;
  readonly seq?: number;
  readonly code?: string;
  readonly holder?: string | null;
}

const orders: TaskOrders = JSON.parse(process.argv[2] ?? "{}");
if (orders.clock !== undefined) {
  const { now } = Date;
  const ahead = orders.clock;
  Date.now = () => now() + ahead;
}

function open(): Promise<TaskStore> {
  return orders.store.startsWith("postgres:")
    ? postgresTaskStore(orders.store, { connections: 2 })
    : sqliteTaskStore(orders.store);
}

const stores = await Promise.all(Array.from({ length: orders.objects ?? 1 }, open));
const clock = () => Number(process.hrtime.bigint() / 1_000n);
const say = (value: unknown) =>
  writeSync(1, `${typeof value === "string" ? value : JSON.stringify(value)}\n`);

async function call(store: TaskStore, op: TaskOp, actor: string): Promise<Call> {
  const from = clock();
  const answer = await store.apply(op, { by: "agent", via: "test", actor });
  const to = clock();
  if (!answer.ok) {
    const { code, holder } = answer.refused;
    return { op: op.op, from, to, code, ...(holder !== undefined && { holder }) };
  }
  const [task] = answer.tasks;
  return {
    op: op.op,
    from,
    to,
    ...(task && { id: task.id, epoch: task.epoch }),
    ...(answer.seq !== undefined && { seq: answer.seq }),
  };
}

/** Claims and finishes until nothing is left. */
async function work(store: TaskStore, owner: string): Promise<Call[]> {
  const calls: Call[] = [];
  for (;;) {
    const claimed = await call(store, { op: "claim", owner, lease: 600_000 }, owner);
    calls.push(claimed);
    const { id, epoch } = claimed;
    if (id === undefined || epoch === undefined) return calls;
    calls.push(await call(store, { op: "finish", owner, held: [{ id, epoch }] }, owner));
  }
}

const [first] = stores;
if (!first) throw new Error("no store");
const input = createInterface({ input: process.stdin });
say("ready");
for await (const line of input) {
  const [verb = "", ...rest] = line.split(" ");
  const owner = (n: number) => `${orders.name}.${n}`;
  if (verb === "work") {
    say((await Promise.all(stores.map((store, n) => work(store, owner(n))))).flat());
  } else if (verb === "apply") {
    say(await call(first, JSON.parse(rest.join(" ")), orders.name));
  } else if (verb === "claim") {
    const [id = ""] = rest;
    say(
      await Promise.all(
        stores.map((store, n) =>
          call(store, { op: "claim", id, owner: owner(n), lease: 600_000 }, owner(n)),
        ),
      ),
    );
  } else if (verb === "end") break;
}
for (const store of stores) await store.close();
process.exit(0);
