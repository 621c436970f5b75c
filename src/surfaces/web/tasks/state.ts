import type { QueueState, Task } from "../../../tasks/model.ts";
import type {
  TaskDetailAnswer,
  TasksAnswer,
  TasksUpdate,
  UserTaskOp,
} from "../../../tasks/wire.ts";
import { fetchTask, fetchTasks, sendTask } from "../connection/api.ts";
import { openLoader } from "../connection/loader.ts";
import { withoutKey } from "../state/without-key.ts";

/** The tasks of the page; loaded when first shown. */
export interface TasksState {
  readonly state: "initial" | "loading" | "loaded" | "failed";
  /** Why loading failed. */
  readonly why?: string;
  readonly tasks: ReadonlyMap<string, Task>;
  /** Difference of the store's clock to this machine's, in milliseconds. */
  readonly skew: number;
  readonly left: number;
  readonly queue: QueueState;
  /** The open tasks in full; undefined for a task that does not exist. */
  readonly details: ReadonlyMap<string, TaskDetailAnswer | undefined>;
  /** Errors of loading an open task; loading is retried. */
  readonly errors: ReadonlyMap<string, string>;
}

export interface TasksSlice {
  load(): void;
  /** Loads everything again after a lost connection. */
  reload(): void;
  /** Applies an update of the event stream. */
  apply(update: TasksUpdate): void;
  /** Sends an op; resolves with the changed tasks once the page shows them. */
  send(op: UserTaskOp): Promise<readonly Task[]>;
  watch(id: string): void;
  unwatch(id: string): void;
}

export const NO_TASKS: TasksState = {
  state: "initial",
  tasks: new Map(),
  skew: 0,
  left: 0,
  queue: {},
  details: new Map(),
  errors: new Map(),
};

const ALL = "all";

export function openTasksSlice(
  get: () => TasksState,
  set: (next: Partial<TasksState>) => void,
): TasksSlice {
  const watched = new Set<string>();
  /** Updates received while all tasks were loading, which may be newer than the response. */
  let received: TasksUpdate[] = [];
  /** For each request in progress, the ids of tasks that were updated since it was sent. */
  const inProgress = new Set<Set<string>>();

  const all = openLoader<TasksAnswer>({
    fetch() {
      received = [];
      set({ state: "loading" });
      return fetchTasks();
    },
    onLoaded(_, { now, tasks, left, queue = {} }) {
      const known = new Map(tasks.map((task) => [task.id, task]));
      for (const update of received) for (const task of update.tasks) known.set(task.id, task);
      for (const since of inProgress) for (const id of known.keys()) since.add(id);
      const newer = received.findLast((update) => update.queue)?.queue;
      set({
        state: "loaded",
        tasks: known,
        left,
        skew: now - Date.now(),
        queue: newer ?? queue,
      });
      for (const id of watched) details.load(id);
    },
    onError(_, { message }) {
      set({ state: "failed", why: message });
      return true;
    },
    isWanted: () => true,
  });
  const details = openLoader<TaskDetailAnswer>({
    fetch: fetchTask,
    onLoaded: (id, detail) => keep(id, detail),
    onError(id, { code, message }) {
      const isRemoved = code === "not_found";
      if (isRemoved) keep(id, undefined);
      else if (watched.has(id)) set({ errors: new Map(get().errors).set(id, message) });
      return !isRemoved;
    },
    isWanted: (id) => watched.has(id),
  });
  const keep = (id: string, detail: TaskDetailAnswer | undefined): void => {
    if (!watched.has(id)) return;
    const { details: known, errors } = get();
    set({ details: new Map(known).set(id, detail), errors: withoutKey(errors, id) });
  };
  const apply = (update: TasksUpdate): void => {
    const { state } = get();
    if (state === "initial") return;
    if (state === "loading") received.push(update);
    const tasks = new Map(get().tasks);
    for (const task of update.tasks) tasks.set(task.id, task);
    set({
      tasks,
      skew: update.now - Date.now(),
      ...(update.queue && { queue: update.queue }),
    });
    for (const { id, blockedBy, parent } of update.tasks)
      for (const each of [id, ...blockedBy, parent])
        if (watched.has(each ?? "")) details.load(each ?? "");
  };

  return {
    load() {
      if (get().state === "initial") all.load(ALL);
    },
    reload() {
      if (get().state !== "initial") all.load(ALL);
    },
    apply(update) {
      for (const since of inProgress) for (const { id } of update.tasks) since.add(id);
      apply(update);
    },
    async send(op) {
      const since = new Set<string>();
      inProgress.add(since);
      try {
        const { now, tasks } = await sendTask(op);
        // Updates received since the request may be newer than its response.
        apply({ now, tasks: tasks.filter(({ id }) => !since.has(id)) });
        // Resolve once the page shows the result, so that the next action applies to the current task.
        await Promise.all(tasks.map(({ id }) => watched.has(id) && details.load(id)));
        return tasks;
      } finally {
        inProgress.delete(since);
      }
    },
    watch(id) {
      if (watched.has(id)) return;
      watched.add(id);
      details.load(id);
    },
    unwatch(id) {
      watched.delete(id);
      const { details: known, errors } = get();
      set({ details: withoutKey(known, id), errors: withoutKey(errors, id) });
    },
  };
}
