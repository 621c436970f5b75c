/** In place of `src/tasks/sqlite.ts`: the same contract, with the task store in memory as the file. */
import type { TaskStore } from "../../../src/tasks/store.ts";
import { connect } from "./shared-file.ts";

export async function sqliteTaskStore(
  name: string,
  { onWarning = () => undefined }: { readonly onWarning?: (message: string) => void } = {},
): Promise<TaskStore> {
  const file = await connect(name, onWarning);
  const { tasks, taskLog } = file.database;
  return {
    durable: true,
    apply: (op, sender) => file.write(`task ${op.op}`, () => tasks.apply(op, sender)),
    setQueue: (change, sender) => file.write("set the queue", () => tasks.setQueue(change, sender)),
    prune: (keep) => file.write("prune tasks", () => tasks.prune(keep)),
    renewByObservation: (owner, ago) =>
      file.write(`observe ${owner}`, () => tasks.renewByObservation(owner, ago)),
    get: (id) => file.read("read a task", () => tasks.get(id)),
    ready: (filter) => file.read("read ready tasks", () => tasks.ready(filter)),
    list: (filter) => file.read("list tasks", () => tasks.list(filter)),
    counts: () => file.read("count tasks", () => tasks.counts()),
    queue: () => file.read("read the queue", () => tasks.queue()),
    stats: (options) => file.read("read stats", () => tasks.stats(options)),
    events: (filter) => file.read("read task events", () => tasks.events(filter)),
    now: () => file.read("read the clock", () => tasks.now()),
    watch: (listener) => file.follow(taskLog, ({ seq }) => seq, listener),
    close: file.close,
  };
}
