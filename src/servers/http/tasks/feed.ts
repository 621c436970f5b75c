import { cutGraphemes } from "../../../core/text/escape.ts";
import { TASK_STATUSES, type Task } from "../../../tasks/model.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import type { TasksNews } from "../../../tasks/wire.ts";

/** The tasks that a board shows, kept true while any process changes them. */
export interface TaskFeed {
  readonly store: TaskStore;
  tasks(): readonly Task[];
  /** How many tasks a board is not given. */
  left(): Promise<number>;
  /** Reads these at once: whoever changed them need not wait until that is told. */
  show(ids: readonly string[]): Promise<void>;
  stop(): void;
}

export interface TaskFeedOptions {
  onNews(news: TasksNews): void;
  onProblem(error: unknown): void;
  /** The store was replaced: `tasks` answers with those of the new one. */
  onReplaced?(): void;
  /** Milliseconds for which changes are gathered. */
  readonly every?: number;
}

/** More than a person looks through; what is done goes first, the oldest before the others. */
const MAX_OPEN = 10_000;
const MAX_DONE = 1_000;
/** So many are read at a time. */
const AT_ONCE = 16;

/** Told by events which tasks changed, it reads them: what is shown is what the store has. */
export async function openTaskFeed(store: TaskStore, options: TaskFeedOptions): Promise<TaskFeed> {
  const { onNews, onProblem, onReplaced, every = 40 } = options;
  const known = new Map<string, Task>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  let reading = Promise.resolve();
  let isStopped = false;
  let isCut = false;

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
      if (!isStopped) onNews({ now, tasks: shown });
    } catch (error) {
      // They are still to be read; the next change, or the next try, does it.
      for (const id of ids) changed.add(id);
      onProblem(error);
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

  const stopWatching = store.watch(
    ({ task }) => {
      changed.add(task);
      soon();
    },
    () => {
      readAll().then(() => onReplaced?.(), onProblem);
    },
  );
  const readAll = async (): Promise<void> => {
    const tasks = await store.list();
    known.clear();
    // What happens meanwhile is read again: a task is never older here than the store had it.
    for (const task of tasks) if (!changed.has(task.id)) known.set(task.id, forBoard(task));
    trim();
  };
  try {
    await readAll();
  } catch (error) {
    stopWatching();
    throw error;
  }
  return {
    store,
    tasks: () => [...known.values()],
    // The store counts: what was cut off may come back and go again any number of times.
    async left() {
      if (!isCut) return 0;
      const counts = await store.counts();
      const total = TASK_STATUSES.reduce((sum, status) => sum + counts[status], 0);
      return Math.max(0, total - known.size);
    },
    async show(ids) {
      for (const id of ids) changed.add(id);
      while (isReading) await reading;
      // Somebody else who waited may have begun already, for all who wait.
      if (ids.some((id) => changed.has(id))) begin();
      await reading;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      stopWatching();
    },
  };
}

const RETRY = 1_000;

const MAX_TEXT = 400;
const MAX_PROOFS = 4;

/** What a card shows and a search looks at; whoever wants all of a task asks for it. */
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
