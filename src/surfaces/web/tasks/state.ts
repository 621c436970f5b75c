import type { Task } from "../../../tasks/model.ts";
import type { TaskDetailAnswer, TasksNews } from "../../../tasks/wire.ts";
import { fetchTask, fetchTasks, Refused } from "../api.ts";

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
}

export interface TasksPart {
  read(): void;
  /** Reads again what was read before: the link was gone. */
  reread(): void;
  take(news: TasksNews): void;
  look(id: string): void;
  forget(id: string): void;
}

export const NO_TASKS: TasksState = {
  state: "unread",
  tasks: new Map(),
  skew: 0,
  left: 0,
  details: new Map(),
};

const TRY_AGAIN = 2_000;

export function openTasksPart(
  get: () => TasksState,
  set: (next: Partial<TasksState>) => void,
): TasksPart {
  const looked = new Set<string>();
  /** What was told while the whole was on its way: it may be newer. */
  let meanwhile: TasksNews[] = [];

  const load = async (): Promise<void> => {
    if (get().state === "reading") return;
    set({ state: "reading" });
    meanwhile = [];
    try {
      const { now, tasks, left } = await fetchTasks();
      const known = new Map(tasks.map((task) => [task.id, task]));
      for (const news of meanwhile) for (const task of news.tasks) known.set(task.id, task);
      set({ state: "read", tasks: known, left, skew: now - Date.now() });
      for (const id of looked) readDetail(id);
    } catch (error) {
      const why = error instanceof Refused ? error.message : "The server cannot be understood.";
      set({ state: "failed", why });
      setTimeout(() => {
        if (get().state === "failed") void load();
      }, TRY_AGAIN);
    }
  };
  const readDetail = (id: string): void => {
    fetchTask(id)
      .then((detail) => {
        if (looked.has(id)) set({ details: new Map(get().details).set(id, detail) });
      })
      .catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        if (error.code === "not_found") set({ details: new Map(get().details).set(id, undefined) });
      });
  };

  return {
    read() {
      if (get().state === "unread") void load();
    },
    reread() {
      if (get().state !== "unread") void load();
    },
    take(news) {
      const { state } = get();
      if (state === "unread") return;
      if (state === "reading") meanwhile.push(news);
      const tasks = new Map(get().tasks);
      for (const task of news.tasks) tasks.set(task.id, task);
      set({ tasks, skew: news.now - Date.now() });
      for (const { id, blockedBy, parent } of news.tasks)
        for (const each of [id, ...blockedBy, parent])
          if (looked.has(each ?? "")) readDetail(each ?? "");
    },
    look(id) {
      if (looked.has(id)) return;
      looked.add(id);
      readDetail(id);
    },
    forget(id) {
      looked.delete(id);
      const details = new Map(get().details);
      details.delete(id);
      set({ details });
    },
  };
}
