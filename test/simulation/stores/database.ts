import { memoryStore } from "../../../src/stores/memory.ts";
import type { RecordedEvent } from "../../../src/stores/store.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import type { TaskEvent } from "../../../src/tasks/model.ts";
import { context } from "../context.ts";

/** The durable content of a store file: the stores in memory of the library. It survives every process. */
export interface Database {
  readonly path: string;
  readonly lists: ReturnType<typeof memoryStore>;
  readonly tasks: ReturnType<typeof memoryTaskStore>;
  /** All events, in the order of their commits. */
  readonly listLog: RecordedEvent[];
  readonly taskLog: TaskEvent[];
}

let databases = new Map<string, Database>();

export function resetDatabases(): void {
  databases = new Map();
}

export function allDatabases(): readonly Database[] {
  return [...databases.values()];
}

/** Time that all processes agree on, as with the anchor of `src/engines/sqlite/clock.ts`. */
const START = 1_790_000_000_000;
export const storeTime = (): number => START + Math.floor(context().scheduler.now());

/** The database of a file: the same one for every process that opens it. */
export function databaseAt(path: string): Database {
  const known = databases.get(path);
  if (known) return known;
  const onWarning = (message: string): void => {
    throw new Error(message);
  };
  const database: Database = {
    path,
    lists: memoryStore({ onWarning }),
    tasks: memoryTaskStore({ now: storeTime, onWarning }),
    listLog: [],
    taskLog: [],
  };
  database.lists.watch((recorded) => database.listLog.push(recorded));
  database.tasks.watch((event) => database.taskLog.push(event));
  databases.set(path, database);
  return database;
}
