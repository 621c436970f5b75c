import { describe, expect, it } from "vitest";
import { chanceFrom } from "../faults/power-cut.ts";
import { FULL, sized } from "../full.ts";
import { pause, until } from "../until.ts";
import { type Client, ENGINES, prepareClusters } from "./cluster.ts";
import { type History, historyOf, violationsOf } from "./history.ts";
import { listStateOf } from "./lists.ts";
import type { Operation } from "./search.ts";
import { MOST_ATTEMPTS } from "./tasks.ts";

const SEED = Number(process.env.WAYMARK_SEED ?? Date.now() % 100_000);
const ROUNDS = sized(1, 150);
/** Milliseconds after which no further round begins. */
const LIMIT = 900_000;
const CLIENTS = sized(3, 4);
const CALLS = sized(40, 60);
/** Most faults in a round. */
const FAULTS = sized(8, 30);
const LEASE = 150;
const DRAFTS = [1, 2, 3].map((n) => ({ subject: `task ${n}`, maxAttempts: MOST_ATTEMPTS }));
const USER = { by: "user", via: "test" } as const;

const openCluster = prepareClusters();
type Cluster = Awaited<ReturnType<typeof openCluster>>;

const ended = (clients: readonly Client[]) =>
  until(() => clients.every((client) => client.isDone()), "the end of a round", {
    timeout: 120_000,
  });

/** The history, with a read of everything at its end. */
async function withLastRead(
  { tasks, lists }: Cluster,
  { tasks: calls, list }: History,
  id: string,
) {
  const micros = () => Number(process.hrtime.bigint() / 1_000n);
  const [from, began] = [micros(), Date.now()];
  const found = await tasks.list();
  const state = listStateOf(await lists.list({ session: id, agent: "main" }).read());
  const last = { client: "last", from, to: micros() };
  const input = { op: "read", owner: "last", lease: LEASE, began } as const;
  return {
    tasks: [...calls, { ...last, input, output: { ended: Date.now(), tasks: found } }],
    list: [...list, { ...last, input: { op: "read" } as const, output: { list: state } }],
  };
}

describe.each(ENGINES)("on %s", { timeout: 3_600_000 }, (engine) => {
  it("explains every answer by one order of the calls, whatever fails", {
    tags: ["any-interleaving", "double-claim", "concurrent-writers"],
  }, async () => {
    const chance = chanceFrom(SEED);
    const cluster = await openCluster(engine, CLIENTS, LEASE, chance);
    const { tasks, clients } = cluster;
    const figures: Record<string, number> = {};
    const count = (name: string, by = 1) => {
      figures[name] = (figures[name] ?? 0) + by;
    };
    const start = performance.now();
    for (let round = 1; round <= ROUNDS && performance.now() - start < LIMIT; round++) {
      count("rounds");
      const added = await tasks.apply({ op: "add", tasks: DRAFTS }, USER);
      const ids = added.ok ? added.tasks.map(({ id }) => id) : [];
      const list = `round ${round}`;
      for (const client of clients)
        client.begin({ lanes: 2, calls: CALLS, tasks: ids, lease: LEASE, list });
      let isOver = false;
      const harm = (async () => {
        for (let made = 0; made < FAULTS && !isOver; made++) {
          await pause(10 + chance.below(60), "faults at any moment");
          if (!isOver) count(await cluster.harm());
        }
      })();
      try {
        await ended(clients);
      } finally {
        isOver = true;
        await harm;
      }
      // A process that was killed at the end has begun again.
      await ended(clients);
      const lines = clients.flatMap((client) => client.lines());
      await cluster.settle();
      const history = await withLastRead(cluster, historyOf(lines), list);
      const all: Operation<unknown, unknown>[] = [...history.tasks, ...history.list];
      count("calls", all.length);
      count("unknown outcomes", all.filter(({ output }) => output === undefined).length);
      count("histories", ids.length + 1);
      const found = violationsOf(history, ids);
      if (found.length > 0)
        throw new Error([`Round ${round} of WAYMARK_SEED=${SEED}.`, ...found].join("\n\n"));
      for (const id of ids) await tasks.apply({ op: "cancel", id }, USER);
    }
    if (FULL) console.log(JSON.stringify({ engine, seed: SEED, ...figures }));
    // Clients that are stopped or killed make fewer than their two lanes of calls.
    expect(figures.calls).toBeGreaterThan(((figures.rounds ?? 1) * CLIENTS * CALLS) / 2);
    expect(figures["unknown outcomes"]).toBeLessThan((figures.calls ?? 0) / 10);
  });
});
