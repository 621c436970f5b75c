import { statSync } from "node:fs";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { peakMemory } from "../peak-memory.ts";

/** A store with very many tasks and events, and the times of common operations on it. */
export interface Many {
  readonly tasks: number;
  readonly events: number;
  /** Milliseconds, median of several runs. */
  readonly claim: number;
  readonly finish: number;
  readonly page: number;
  readonly catchUp: number;
  /** Megabytes. */
  readonly memory: number;
  readonly file: number;
}

const [path = "", tasksWanted = "", eventsWanted = ""] = process.argv.slice(2);
const TASKS = Number(tasksWanted);
const EVENTS = Number(eventsWanted);
const BATCH = 500;
const ROUNDS = 31;
const sender = { by: "agent", via: "test" } as const;

const store = await sqliteTaskStore(path, { createDirectory: true });
for (let from = 0; from < TASKS; from += BATCH)
  await store.apply(
    {
      op: "add",
      tasks: Array.from({ length: Math.min(BATCH, TASKS - from) }, (_, n) => ({
        subject: `Task ${from + n}`,
        description: "What is to be done, in some words that nobody reads here.",
        labels: [`label-${(from + n) % 50}`],
      })),
    },
    sender,
  );
let events = TASKS;
// Typical work of owners: a claim of many tasks, and renewals of all of them.
while (events < EVENTS) {
  const claimed = await store.apply({ op: "claim", owner: "busy", count: 50 }, sender);
  if (!claimed.ok) throw new Error(claimed.refused.message);
  const held = claimed.tasks.map(({ id, epoch }) => ({ id, epoch }));
  events += held.length;
  for (let n = 0; n < 20 && events < EVENTS; n++) {
    await store.apply({ op: "renew", owner: "busy", held, lease: 60_000 + n }, sender);
    events += held.length;
  }
  await store.apply({ op: "release", owner: "busy", held }, sender);
  events += held.length;
}

async function median(work: (n: number) => unknown): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const began = performance.now();
    await work(n);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0;
}

const held: { id: string; epoch: number }[] = [];
const claim = await median(async () => {
  const answer = await store.apply({ op: "claim", owner: "me" }, sender);
  if (!answer.ok) throw new Error(answer.refused.message);
  for (const { id, epoch } of answer.tasks) held.push({ id, epoch });
});
const finish = await median(async (n) => {
  const mine = held[n];
  if (mine) await store.apply({ op: "finish", owner: "me", held: [mine] }, sender);
});
const page = await median(() => store.list({ limit: 100 }));
const catchUp = await median((n) => store.events({ after: events - 200 - n, limit: 100 }));
const counts = await store.counts();
const counted = Object.entries(counts).reduce(
  (sum, [name, n]) => sum + (name === "ready" ? 0 : n),
  0,
);
const many: Many = {
  tasks: counted,
  events,
  claim,
  finish,
  page,
  catchUp,
  memory: peakMemory(),
  file: statSync(path).size / 1024 / 1024,
};
await store.close();
console.log(JSON.stringify(many));
