// A separate process that works on tasks. Its only argument names the store and the error of its
// clock. It prints "ready" when the store is open, then executes each line of its input and answers
// with one line.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { TaskOp } from "../../src/tasks/model.ts";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { chanceFrom } from "../faults/power-cut.ts";

export interface TaskOrders {
  readonly name: string;
  /** A file, or the URL of a server. */
  readonly store: string;
  /** Store objects, each acting as a process. */
  readonly objects?: number;
  /** Milliseconds by which the process's clock is ahead. */
  readonly clock?: number;
  /** The process id that the process assumes, as in a container. */
  readonly pid?: number;
  /** Claiming a task with this subject kills the process. */
  readonly poison?: string;
}

/** One call: start and end by a clock that all processes share, and its result. */
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
if (orders.pid !== undefined) Object.defineProperty(process, "pid", { value: orders.pid });

function open(): Promise<TaskStore> {
  return orders.store.startsWith("postgres:")
    ? postgresTaskStore(orders.store, { connections: 2 })
    : sqliteTaskStore(orders.store, { createDirectory: true });
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
  if (op.op === "claim" && orders.poison !== undefined && task?.subject === orders.poison)
    process.kill(process.pid, "SIGKILL");
  return {
    op: op.op,
    from,
    to,
    ...(task && { id: task.id, epoch: task.epoch }),
    ...(answer.seq !== undefined && { seq: answer.seq }),
  };
}

/** Claims and finishes until no task is left. */
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

/** Claims a task and keeps it for two leases with one renewal in between, otherwise inactive. */
async function hold(store: TaskStore, owner: string, lease: number, share: number) {
  const claimed = await call(store, { op: "claim", owner, lease }, owner);
  const { id, epoch } = claimed;
  if (id === undefined || epoch === undefined) return [claimed];
  const held = [{ id, epoch }];
  const hearNothing = () =>
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lease * share);
  hearNothing();
  const renewed = await call(store, { op: "renew", owner, held }, owner);
  hearNothing();
  return [claimed, renewed, await call(store, { op: "finish", owner, held }, owner)];
}

/** Looks for work that does not exist, in every way. */
async function look(store: TaskStore, owner: string, ms: number): Promise<Call[]> {
  const calls: Call[] = [];
  for (const until = performance.now() + ms; performance.now() < until; ) {
    calls.push(await call(store, { op: "claim", owner }, owner));
    await store.ready();
    await store.list({ status: "open" });
    await store.counts();
    await store.renewByObservation(owner);
  }
  return calls;
}

/** Adds tasks, some with shared refs, then cancels and reopens them. */
async function churn(store: TaskStore, owner: string, seed: number, count: number) {
  const chance = chanceFrom(seed);
  const calls: Call[] = [];
  for (let n = 0; n < count; n++) {
    const id = `t${1 + chance.below(count)}`;
    const made = {
      subject: `${owner} ${n}`,
      ...(n % 2 === 0 && { ref: `r${chance.below(count)}` }),
    };
    const kinds: readonly TaskOp[] = [
      { op: "add", tasks: [made] },
      { op: "cancel", id },
      { op: "reopen", id },
    ];
    calls.push(await call(store, kinds[chance.below(kinds.length)] ?? { op: "reopen", id }, owner));
  }
  return calls;
}

/** Adds and removes dependencies, claims, finishes, releases and reopens at random. */
async function tangle(store: TaskStore, owner: string, seed: number, count: number, tasks: number) {
  const chance = chanceFrom(seed);
  const calls: Call[] = [];
  const any = () => `t${1 + chance.below(tasks)}`;
  let held: { id: string; epoch: number } | undefined;
  const act = async (op: TaskOp) => {
    const made = await call(store, op, owner);
    calls.push(made);
    return made;
  };
  for (let n = 0; n < count; n++) {
    const dice = chance.below(10);
    if (dice < 4) await act({ op: "edit", id: any(), set: { addBlockedBy: [any()] } });
    else if (dice < 6) {
      const id = any();
      const removeBlockedBy = (await store.get(id))?.blockedBy.slice(0, 1) ?? [];
      await act({ op: "edit", id, set: { removeBlockedBy } });
    } else if (dice < 9 && held) {
      const op = dice === 8 ? "release" : "finish";
      await act({ op, owner, held: [held] });
      held = undefined;
    } else if (dice < 9) {
      const { id, epoch } = await act({ op: "claim", owner, lease: 600_000 });
      if (id !== undefined && epoch !== undefined) held = { id, epoch };
    } else await act({ op: "reopen", id: any() });
  }
  return calls;
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
  } else if (verb === "hold") {
    const [lease, share] = rest.map(Number);
    say(await hold(first, orders.name, lease ?? 0, share ?? 0));
  } else if (verb === "look") {
    say(await look(first, orders.name, Number(rest[0])));
  } else if (verb === "churn") {
    const [seed = 0, count = 0] = rest.map(Number);
    say(await churn(first, orders.name, seed, count));
  } else if (verb === "tangle") {
    const [seed = 0, count = 0, tasks = 0] = rest.map(Number);
    say(await tangle(first, orders.name, seed, count, tasks));
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
