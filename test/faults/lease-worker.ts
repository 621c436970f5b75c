// A separate process that claims tasks and finishes them within their lease, or abandons them. The
// shim sets its wall clock. It prints every call with monotonic times and ends when all tasks are
// done.
import { writeSync } from "node:fs";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { pause } from "../until.ts";

export interface LeaseOrders {
  readonly path: string;
  readonly name: string;
  /** Milliseconds. */
  readonly lease: number;
}

export interface LeaseCall {
  readonly what: "claim" | "finish" | "forget";
  readonly task: string;
  readonly epoch: number;
  /** Milliseconds of the clock that all processes share. */
  readonly from: number;
  readonly to: number;
  readonly refused?: string;
}

const { path, name, lease }: LeaseOrders = JSON.parse(process.argv[2] ?? "{}");
const store = await sqliteTaskStore(path, { createDirectory: true });
const sender = { by: "agent", via: "test", actor: name } as const;
const clock = () => Number(process.hrtime.bigint()) / 1e6;
const calls: LeaseCall[] = [];
const walls = new Set<number>();
const GIVE_UP = clock() + 60_000;

async function work(): Promise<boolean> {
  const from = clock();
  walls.add(Math.round((Date.now() - from) / 1_000));
  const answer = await store.apply({ op: "claim", owner: name, lease }, sender);
  const to = clock();
  if (!answer.ok) {
    await pause(lease / 20, "work that takes time");
    return (await store.counts()).done < (await store.list({})).length;
  }
  const [task] = answer.tasks;
  if (!task) throw new Error("a claim without a task");
  const { id, epoch } = task;
  calls.push({ what: "claim", task: id, epoch, from, to });
  if (Math.random() < 0.15) {
    calls.push({ what: "forget", task: id, epoch, from: clock(), to: clock() });
    return true;
  }
  await pause(Math.random() * lease * 0.3, "work that takes time");
  const start = clock();
  const done = await store.apply({ op: "finish", owner: name, held: [{ id, epoch }] }, sender);
  const end = clock();
  const refused = done.ok ? {} : { refused: done.refused.code };
  calls.push({ what: "finish", task: id, epoch, from: start, to: end, ...refused });
  return true;
}

writeSync(1, "ready\n");
process.stdin.once("data", async () => {
  while (clock() < GIVE_UP && (await work()));
  writeSync(1, `${JSON.stringify({ calls, walls: walls.size })}\n`);
  await store.close();
  process.exit(0);
});
