import { cutGraphemes } from "../../../core/text/escape.ts";
import { same } from "../../../core/values.ts";
import { type QueueState, TASK_STATUSES, type Task } from "../../../tasks/model.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import type { TasksUpdate } from "../../../tasks/wire.ts";

/** The tasks that a board shows, kept up to date with changes of all processes. */
export interface TaskFeed {
  readonly store: TaskStore;
  tasks(): readonly Task[];
  queue(): QueueState;
  /** Reads the queue now. */
  showQueue(): Promise<void>;
  /** How many tasks are left out because there are too many. */
  left(): Promise<number>;
  /** Reads these tasks now, so that a client sees its own change without waiting for the subscription. */
  show(ids: readonly string[]): Promise<void>;
  stop(): void;
}

export interface TaskFeedOptions {
  onUpdate(news: TasksUpdate): void;
  onError(error: unknown): void;
  /** Called when the store was replaced; `tasks` then returns the tasks of the new one. */
  onReplaced?(): void;
  /** Milliseconds for which changes are batched. */
  readonly every?: number;
}

/** Bounds of the tasks in memory. The tasks that were done first are dropped first. */
const MAX_OPEN = 10_000;
const MAX_DONE = 1_000;
/** Concurrent reads. */
const AT_ONCE = 16;

/** Events name the changed tasks, which are then read from the store. */
export async function openTaskFeed(store: TaskStore, options: TaskFeedOptions): Promise<TaskFeed> {
  const { onUpdate, onError, onReplaced, every = 40 } = options;
  const known = new Map<string, Task>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  let reading = Promise.resolve();
  let isStopped = false;
  let isCut = false;
  let queue: QueueState = {};

  const read = async (): Promise<void> => {
    timer = undefined;
    isReading = true;
    const ids = [...changed];
    changed.clear();
    try {
      const tasks: Task[] = [];
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const some = ids.slice(at, at + AT_ONCE).map((id) => store.get(id));
        for (const task of await Promise.all(some)) if (task) tasks.push(task);
      }
      const now = await store.now();
      const shown = tasks.map(forBoard);
      for (const task of shown) known.set(task.id, task);
      trim();
      if (!isStopped) onUpdate({ now, tasks: shown });
    } catch (error) {
      // The next change or retry reads them.
      for (const id of ids) changed.add(id);
      onError(error);
      timer ??= setTimeout(begin, RETRY).unref();
    }
    isReading = false;
    if (changed.size > 0) soon();
  };
  const soon = (): void => {
    if (isStopped || isReading || timer) return;
    timer = setTimeout(begin, every).unref();
  };
  const begin = (): void => {
    clearTimeout(timer);
    reading = read();
  };
  const trim = (): void => {
    const done: Task[] = [];
    const open: Task[] = [];
    for (const task of known.values()) (task.status === "done" ? done : open).push(task);
    const newest = (a: Task, b: Task) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0);
    const over = [...done.sort(newest).slice(MAX_DONE), ...open.slice(MAX_OPEN)];
    for (const { id } of over) known.delete(id);
    isCut ||= over.length > 0;
  };

  const showQueue = async (): Promise<void> => {
    const before = queue;
    queue = await store.queue();
    if (!isStopped && !same(before, queue)) onUpdate({ now: await store.now(), tasks: [], queue });
  };

  const stopWatching = store.watch(
    ({ task }) => {
      changed.add(task);
      soon();
    },
    () => {
      readAll().then(() => onReplaced?.(), onError);
    },
  );
  const readAll = async (): Promise<void> => {
    const tasks = await store.list();
    known.clear();
    // Tasks that changed in the meantime are read again, so that no older state replaces a newer one.
    for (const task of tasks) if (!changed.has(task.id)) known.set(task.id, forBoard(task));
    trim();
  };
  try {
    await readAll();
    queue = await store.queue();
  } catch (error) {
    stopWatching();
    throw error;
  }
  // No event reports a change of the queue.
  const poll = setInterval(() => {
    showQueue().catch(onError);
  }, QUEUE_EVERY);
  poll.unref();
  return {
    store,
    queue: () => queue,
    showQueue,
    tasks: () => [...known.values()],
    // Counted in the store: dropped tasks may return and be dropped again.
    async left() {
      if (!isCut) return 0;
      const counts = await store.counts();
      const total = TASK_STATUSES.reduce((sum, status) => sum + counts[status], 0);
      return Math.max(0, total - known.size);
    },
    async show(ids) {
      for (const id of ids) changed.add(id);
      while (isReading) await reading;
      // Another caller may already have started a read that includes these tasks.
      if (ids.some((id) => changed.has(id))) begin();
      await reading;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      clearInterval(poll);
      stopWatching();
    },
  };
}

const RETRY = 1_000;
/** Milliseconds between two reads of the queue. */
const QUEUE_EVERY = 2_000;

const MAX_TEXT = 400;
const MAX_PROOFS = 4;

/** The part of a task that cards show and search uses. `/api/tasks/:id` returns the whole task. */
function forBoard(task: Task): Task {
  const { description, reason, evidence } = task;
  return {
    ...task,
    ...(description !== undefined && { description: cutGraphemes(description, MAX_TEXT) }),
    ...(reason !== undefined && { reason: cutGraphemes(reason, MAX_TEXT) }),
    evidence: evidence.slice(0, MAX_PROOFS).map((proof) => cutGraphemes(proof, MAX_TEXT)),
    metadata: {},
  };
}
