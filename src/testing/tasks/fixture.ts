import type { Awaitable } from "../../core/awaitable.ts";
import type { Task, TaskAnswer, TaskOp, TaskRefusal, TaskSender } from "../../tasks/model.ts";
import type { TaskStore } from "../../tasks/store.ts";

/** A task store under test. */
export interface OpenedTaskStore {
  readonly store: TaskStore;
  /** Closes the store and opens it again at the same location. */
  reopen?(): Awaitable<TaskStore>;
  /** Opens a second store object at the same location beside the first. */
  another?(): Awaitable<TaskStore>;
  /** Closes everything and removes the data. */
  cleanup(): Awaitable<void>;
}

/** Optional capabilities. Cases that need a missing one are reported as skipped. */
export interface TaskCapabilities {
  /** Data survives closing and opening again. */
  readonly durable: boolean;
  /** Several store objects, in one process or many, share a location. */
  readonly shared: boolean;
}

export const USER: TaskSender = { by: "user", via: "suite" };
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

/** A store under test, with shortcuts for frequent calls. */
export interface Fixture extends OpenedTaskStore {
  act(op: TaskOp, sender?: Partial<TaskSender>): Promise<TaskAnswer>;
  add(subject: string, more?: object): Promise<string>;
  claim(owner: string, id?: string, more?: object): Promise<Task>;
  finish(task: Task): Promise<Task>;
  ids(tasks: Awaitable<readonly Task[]>): Promise<string[]>;
}

/** Runs the test on an empty store and removes the store afterwards. */
export type WithFixture = (work: (bench: Fixture) => Promise<void>) => Promise<void>;

export function fixtureFor(open: () => Awaitable<OpenedTaskStore>): WithFixture {
  return async (work) => {
    const opened = await open();
    const { store } = opened;
    const act = async (op: TaskOp, sender: Partial<TaskSender> = {}) =>
      store.apply(op, { ...USER, ...sender });
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
