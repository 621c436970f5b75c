import type { Awaitable } from "../../core/awaitable.ts";
import type { Task, TaskAnswer, TaskOp, TaskRefusal, TaskSender } from "../../tasks/model.ts";
import type { TaskStore } from "../../tasks/store.ts";

/** A task store under test. */
export interface OpenedTaskStore {
  readonly store: TaskStore;
  /** Closes the store and opens it again on the same place. */
  reopen?(): Awaitable<TaskStore>;
  /** A second store object on the same place, open beside the first. */
  another?(): Awaitable<TaskStore>;
  /** Closes whatever is open and takes the place away. */
  cleanup(): Awaitable<void>;
}

/** What a store can do beyond the least. A case that it cannot do is named as left out. */
export interface TaskCapabilities {
  /** What was done is there after closing and opening again. */
  readonly lasting: boolean;
  /** Several store objects, of one process or many, work on one place. */
  readonly shared: boolean;
}

export const PERSON: TaskSender = { by: "user", via: "suite" };
export const LEASE = 60_000;
export const SHORT = 40;

export function done(answer: TaskAnswer): readonly Task[] {
  if (!answer.ok) throw new Error(`refused: ${answer.refused.message}`);
  return answer.tasks;
}

export function only(answer: TaskAnswer): Task {
  const [task] = done(answer);
  if (!task) throw new Error("the answer shows no task");
  return task;
}

export function refusalOf(answer: TaskAnswer): TaskRefusal {
  if (answer.ok) throw new Error("it was not refused");
  return answer.refused;
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function until(ready: () => boolean): Promise<void> {
  const limit = performance.now() + 10_000;
  while (!ready() && performance.now() < limit) await pause(5);
}

/** A store to be tried, and short words for what is done with it most. */
export interface Bench extends OpenedTaskStore {
  act(op: TaskOp, sender?: Partial<TaskSender>): Promise<TaskAnswer>;
  add(subject: string, more?: object): Promise<string>;
  claim(owner: string, id?: string, more?: object): Promise<Task>;
  finish(task: Task): Promise<Task>;
  ids(tasks: Awaitable<readonly Task[]>): Promise<string[]>;
}

/** Does the work on an empty store, and takes the store away afterwards. */
export type Using = (work: (bench: Bench) => Promise<void>) => Promise<void>;

export function benchOf(open: () => Awaitable<OpenedTaskStore>): Using {
  return async (work) => {
    const opened = await open();
    const { store } = opened;
    const act = async (op: TaskOp, sender: Partial<TaskSender> = {}) =>
      store.apply(op, { ...PERSON, ...sender });
    try {
      await work({
        ...opened,
        act,
        add: async (subject, more = {}) =>
          only(await act({ op: "add", tasks: [{ subject, ...more }] })).id,
        claim: async (owner, id, more = {}) =>
          only(await act({ op: "claim", owner, ...(id && { id }), lease: LEASE, ...more })),
        finish: async ({ id, epoch, owner = "" }) =>
          only(await act({ op: "finish", owner, held: [{ id, epoch }] })),
        ids: async (tasks) => (await tasks).map(({ id }) => id),
      });
    } finally {
      await opened.cleanup();
    }
  };
}
