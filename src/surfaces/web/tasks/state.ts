import type { Task } from "../../../tasks/model.ts";
import type {
  PersonTaskOp,
  TaskDetailAnswer,
  TasksAnswer,
  TasksNews,
} from "../../../tasks/wire.ts";
import { fetchTask, fetchTasks, sendTask } from "../connection/api.ts";
import { openReadings } from "../connection/readings.ts";
import { without } from "../state/without.ts";

/** What the page knows of tasks; read when somebody first wants to see them. */
export interface TasksState {
  readonly state: "unread" | "reading" | "read" | "failed";
  /** Why they could not be read. */
  readonly why?: string;
  readonly tasks: ReadonlyMap<string, Task>;
  /** What is to be added to the clock of this machine to have that of the store. */
  readonly skew: number;
  readonly left: number;
  /** Everything of the tasks that somebody looks at; nothing for one that is not there. */
  readonly details: ReadonlyMap<string, TaskDetailAnswer | undefined>;
  /** Why one that somebody looks at cannot be read; it is tried again. */
  readonly troubles: ReadonlyMap<string, string>;
}

export interface TasksPart {
  read(): void;
  /** Reads again what was read before: the link was gone. */
  reread(): void;
  /** Takes what the server tells everybody. */
  take(news: TasksNews): void;
  /** Sends what a person wants; answers with the tasks as it left them, when they are shown. */
  send(op: PersonTaskOp): Promise<readonly Task[]>;
  look(id: string): void;
  forget(id: string): void;
}

export const NO_TASKS: TasksState = {
  state: "unread",
  tasks: new Map(),
  skew: 0,
  left: 0,
  details: new Map(),
  troubles: new Map(),
};

const ALL = "all";

export function openTasksPart(
  get: () => TasksState,
  set: (next: Partial<TasksState>) => void,
): TasksPart {
  const looked = new Set<string>();
  /** What was told while the whole was on its way: it may be newer. */
  let meanwhile: TasksNews[] = [];
  /** For everything that was sent and is not answered yet, the tasks that were told of since. */
  const underWay = new Set<Set<string>>();

  const whole = openReadings<TasksAnswer>({
    read() {
      meanwhile = [];
      set({ state: "reading" });
      return fetchTasks();
    },
    take(_, { now, tasks, left }) {
      const known = new Map(tasks.map((task) => [task.id, task]));
      for (const news of meanwhile) for (const task of news.tasks) known.set(task.id, task);
      for (const since of underWay) for (const id of known.keys()) since.add(id);
      set({ state: "read", tasks: known, left, skew: now - Date.now() });
      for (const id of looked) details.want(id);
    },
    refuse(_, { message }) {
      set({ state: "failed", why: message });
      return true;
    },
    isWanted: () => true,
  });
  const details = openReadings<TaskDetailAnswer>({
    read: fetchTask,
    take: (id, detail) => keep(id, detail),
    refuse(id, { code, message }) {
      const isGone = code === "not_found";
      if (isGone) keep(id, undefined);
      else if (looked.has(id)) set({ troubles: new Map(get().troubles).set(id, message) });
      return !isGone;
    },
    isWanted: (id) => looked.has(id),
  });
  const keep = (id: string, detail: TaskDetailAnswer | undefined): void => {
    if (!looked.has(id)) return;
    const { details: known, troubles } = get();
    set({ details: new Map(known).set(id, detail), troubles: without(troubles, id) });
  };
  const take = (news: TasksNews): void => {
    const { state } = get();
    if (state === "unread") return;
    if (state === "reading") meanwhile.push(news);
    const tasks = new Map(get().tasks);
    for (const task of news.tasks) tasks.set(task.id, task);
    set({ tasks, skew: news.now - Date.now() });
    for (const { id, blockedBy, parent } of news.tasks)
      for (const each of [id, ...blockedBy, parent])
        if (looked.has(each ?? "")) details.want(each ?? "");
  };

  return {
    read() {
      if (get().state === "unread") whole.want(ALL);
    },
    reread() {
      if (get().state !== "unread") whole.want(ALL);
    },
    take(news) {
      for (const since of underWay) for (const { id } of news.tasks) since.add(id);
      take(news);
    },
    async send(op) {
      const since = new Set<string>();
      underWay.add(since);
      try {
        const { now, tasks } = await sendTask(op);
        // What everybody was told since may be newer than the answer, and is never older for long.
        take({ now, tasks: tasks.filter(({ id }) => !since.has(id)) });
        // What came of it is said when it is shown: whoever acts on that acts on the task of now.
        await Promise.all(tasks.map(({ id }) => looked.has(id) && details.want(id)));
        return tasks;
      } finally {
        underWay.delete(since);
      }
    },
    look(id) {
      if (looked.has(id)) return;
      looked.add(id);
      details.want(id);
    },
    forget(id) {
      looked.delete(id);
      const { details: known, troubles } = get();
      set({ details: without(known, id), troubles: without(troubles, id) });
    },
  };
}
