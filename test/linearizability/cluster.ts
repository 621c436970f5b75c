import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { postgresStore } from "../../src/stores/postgres.ts";
import { sqliteStore } from "../../src/stores/sqlite.ts";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { trackerOn } from "../../src/tracker.ts";
import { bundleWorker, removeBundle, startWorker, type Worker } from "../concurrency/processes.ts";
import type { Chance } from "../faults/power-cut.ts";
import { type Proxy as Link, startProxy } from "../postgres/proxy.ts";
import { NO_POSTGRES, serverIfPossible } from "../postgres/server.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import { pause, until } from "../until.ts";
import type { ClientOrders, Line, Round } from "./worker.ts";

export type Engine = "sqlite" | "postgres";
export const ENGINES: readonly Engine[] = NO_POSTGRES === "" ? ["sqlite", "postgres"] : ["sqlite"];

/** A client process; on a server, with a network of its own. */
export interface Client {
  /** Starts the calls of a round, also in a process that replaces a killed one. */
  begin(round: Omit<Round, "seed">): void;
  isDone(): boolean;
  /** The output of its processes in this round. */
  lines(): Line[];
  endRound(): void;
}

/** Something that goes wrong for a client, or for the server. It is over when the promise resolves. */
type Fault = (chance: Chance) => Promise<void>;

type StartWorker = (place: string) => Promise<Worker>;

interface FaultyClient extends Client {
  readonly faults: Readonly<Record<string, Fault>>;
}

/** For the top level of a test file. */
export function prepareClusters() {
  let script: string;
  const server = serverIfPossible({ max_connections: "300", deadlock_timeout: "100ms" });
  beforeAll(async () => {
    script = await bundleWorker("test/linearizability/worker.ts");
  }, 60_000);
  afterAll(() => removeBundle(script), 60_000);
  let started = 0;

  /** Tries again: the server may be restarting. */
  const start: StartWorker = (store) =>
    until(async () => {
      const worker = startWorker(script, { name: `c${started++}`, store } satisfies ClientOrders);
      onTestFinished(() => worker.kill());
      await worker.ready;
      return worker;
    }, "a client with an open store");

  async function ask(sql: string) {
    const client = new pg.Client({ connectionString: server.url });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  const ofServer: Readonly<Record<string, Fault>> = {
    async "killed backends"() {
      await ask(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'waymark' ORDER BY random() LIMIT 2`,
      );
    },
    async restarts() {
      await server.crash();
      await server.start();
    },
  };

  return async function openCluster(
    engine: Engine,
    clients: number,
    lease: number,
    chance: Chance,
  ) {
    const place =
      engine === "sqlite"
        ? join(temporaryDirectory(), "waymark.db")
        : await server.database("linearizability");
    const tasks = await (engine === "sqlite" ? sqliteTaskStore(place) : postgresTaskStore(place));
    const lists = await (engine === "sqlite" ? sqliteStore(place) : postgresStore(place));
    onTestFinished(async () => {
      await tasks.close();
      await lists.close();
    });
    const crew = await Promise.all(
      Array.from({ length: clients }, () => startClient(engine, place, start, lease, chance)),
    );
    return {
      tasks,
      lists: trackerOn(lists),
      clients: crew as readonly Client[],
      /** Makes a random fault and returns its name. */
      async harm(): Promise<string> {
        const client = crew[chance.below(crew.length)];
        // A restart ends many calls, so it is rare.
        const faults = {
          ...client?.faults,
          ...(engine === "postgres" && chance.below(3) === 0 && ofServer),
        };
        const name = Object.keys(faults)[chance.below(Object.keys(faults).length)] ?? "";
        await faults[name]?.(chance);
        return name;
      },
      /** Waits until no call of a former process is left. */
      async settle(): Promise<void> {
        for (const client of crew) client.endRound();
        if (engine === "sqlite") return;
        const busy =
          "SELECT 1 FROM pg_stat_activity WHERE application_name = 'waymark' AND state <> 'idle'";
        await until(async () => (await ask(busy)).length === 0, "no statement in flight");
      },
    };
  };
}

async function startClient(
  engine: Engine,
  place: string,
  start: StartWorker,
  lease: number,
  chance: Chance,
): Promise<FaultyClient> {
  const link: Link | undefined = engine === "postgres" ? await startProxy(place) : undefined;
  if (link) onTestFinished(() => link.close());
  let worker = await start(link?.url ?? place);
  let former: string[] = [];
  let seen = 0;
  let current: Round | undefined;

  function begin(round: Omit<Round, "seed">): void {
    current = { ...round, seed: chance.below(2 ** 30) };
    worker.send(JSON.stringify(current));
  }

  const ofProcess: Readonly<Record<string, Fault>> = {
    async kills() {
      worker.kill();
      await worker.ended;
      former.push(...worker.lines.slice(seen));
      worker = await start(link?.url ?? place);
      seen = 0;
      if (current) begin({ ...current, calls: Math.ceil(current.calls / 2) });
    },
    async stops() {
      worker.signal("SIGSTOP");
      await pause(lease * 1.5, "stopped for longer than a lease");
      worker.signal("SIGCONT");
    },
  };
  const ofLink: Readonly<Record<string, Fault>> = {
    async partitions() {
      link?.swallow(true);
      await pause(lease, "a partition");
      link?.forsake();
      link?.swallow(false);
    },
    async "slow networks"({ below }) {
      link?.delay(20 + below(200));
      await pause(below(lease), "a slow network");
      link?.forsake();
      link?.delay(0);
    },
    async "cut connections"({ below }) {
      link?.cutNext((["before", "after", "late"] as const)[below(3)] ?? "late");
    },
  };

  return {
    begin,
    isDone: () => worker.lines.includes(`{"done":${current?.seed}}`),
    lines: () => [...former, ...worker.lines.slice(seen)].map((line) => JSON.parse(line) as Line),
    endRound() {
      link?.heal();
      former = [];
      seen = worker.lines.length;
    },
    faults: { ...ofProcess, ...(link && ofLink) },
  };
}
