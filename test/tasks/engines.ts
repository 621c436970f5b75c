import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { postgresTaskStore } from "../../src/tasks/postgres.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { integrityOf } from "../concurrency/integrity.ts";
import { bundleWorker, removeBundle, startWorker, type Worker } from "../concurrency/processes.ts";
import { NO_POSTGRES, serverIfPossible } from "../postgres/server.ts";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import type { Call, TaskOrders } from "./worker.ts";

export type Engine = "sqlite" | "postgres";
export const ENGINES: readonly Engine[] = NO_POSTGRES === "" ? ["sqlite", "postgres"] : ["sqlite"];

/**
 * The engines that processes share, and processes that work on them. For the top level of a test
 * file.
 */
export interface Engines {
  /** Creates a new location. */
  place(engine: Engine): Promise<string>;
  /** Closed when the test has ended. */
  opened(engine: Engine, place: string): Promise<TaskStore>;
  workers(orders: readonly TaskOrders[]): Promise<Worker[]>;
  /** The engine's own integrity check. */
  check(engine: Engine, place: string): Promise<void>;
}

export function startEngines(prefix: string): Engines {
  let script: string;
  let databases = 0;
  // Detects deadlocks quickly: these tests are about the retry, not the wait.
  const server = serverIfPossible({ max_connections: "300", deadlock_timeout: "100ms" });
  beforeAll(async () => {
    script = await bundleWorker("test/tasks/worker.ts");
  }, 60_000);
  afterAll(() => removeBundle(script), 60_000);

  return {
    async place(engine) {
      if (engine === "sqlite") return join(temporaryDirectory(), "waymark.db");
      databases += 1;
      return server.database(`${prefix}${databases}`);
    },
    async opened(engine, place) {
      const store = await (engine === "sqlite"
        ? sqliteTaskStore(place, { createDirectory: true })
        : postgresTaskStore(place));
      onTestFinished(() => store.close());
      return store;
    },
    async workers(orders) {
      const started = orders.map((each) => startWorker(script, each));
      onTestFinished(() => {
        for (const worker of started) worker.kill();
      });
      await Promise.all(started.map((worker) => worker.ready));
      return started;
    },
    async check(engine, place) {
      if (engine === "sqlite") expect(await integrityOf(place)).toBe("ok");
    },
  };
}

export function team(store: string, processes: number, objects = 1): TaskOrders[] {
  return Array.from({ length: processes }, (_, n) => ({ name: `w${n}`, store, objects }));
}

export async function answers(worker: Worker, line: string): Promise<Call[]> {
  return [JSON.parse(await worker.ask(line))].flat();
}
