import { dirname } from "node:path";
import { WaymarkError } from "../../../src/core/error.ts";
import { closedError } from "../../../src/engines/storage/failure.ts";
import { ensureDirectory } from "../../../src/engines/storage/files.ts";
import { createPoller, followEvents } from "../../../src/engines/storage/poller.ts";
import { context, currentProcess, operation } from "../context.ts";
import { appendFileSync, existsSync, writeFileSync } from "../platform/fs.ts";
import { type Database, databaseAt } from "./database.ts";

/** The connection of one process to a database: every call takes time, waits its turn, and may find the file busy. */
export interface Connection {
  readonly database: Database;
  read<T>(label: string, work: () => T): Promise<T>;
  /** Calls take effect in order. `settled` runs before any other process can write. */
  write<T>(label: string, work: () => T, settled?: (answer: T) => void): Promise<T>;
  /** Delivers what is appended to a log from now on, by polling. */
  follow<E>(
    log: readonly E[],
    positionOf: (event: E) => number,
    listener: (event: E) => void,
  ): () => void;
  close(): Promise<void>;
}

export async function connect(path: string, warn: (message: string) => void): Promise<Connection> {
  const owner = currentProcess();
  await operation("open the store");
  ensureDirectory(dirname(path));
  if (!existsSync(path)) writeFileSync(path, "SQLite", { mode: 0o600 });
  const database = databaseAt(path);
  const poller = createPoller(dirname(path), warn);
  let isClosed = false;
  let turn: Promise<unknown> = Promise.resolve();
  const assertUsable = (): void => {
    if (isClosed) throw closedError("The store");
    if (currentProcess() !== owner) throw new Error("A store is used by another process.");
    const { random, faults } = context();
    if (random.chance(faults.busy))
      throw new WaymarkError("store_busy", `The store ${path} was busy, so nothing was written.`);
  };
  return {
    database,
    async read(label, work) {
      await operation(label);
      assertUsable();
      return work();
    },
    write(label, work, settled) {
      const run = async () => {
        await operation(label);
        assertUsable();
        // Other processes notice by the time of the file. Nothing is stored if that fails.
        appendFileSync(path, ".");
        const answer = work();
        settled?.(answer);
        poller.now();
        await operation(`${label}: acknowledged`);
        return answer;
      };
      const answer = turn.then(run, run);
      turn = answer.catch(() => undefined);
      return answer;
    },
    follow(log, positionOf, listener) {
      let next = log.length;
      return followEvents(
        poller,
        function* () {
          while (next < log.length) {
            const event = log[next++] as (typeof log)[number];
            yield { position: positionOf(event), event };
          }
          return false;
        },
        listener,
        warn,
      );
    },
    async close() {
      await turn;
      isClosed = true;
      poller.close();
    },
  };
}
