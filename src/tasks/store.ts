/**
 * Durable tasks that agents claim. `model` has the types (read it first), `store` the contract,
 * `rules/` the decisions, `formats/` import and export, `links/` the connection between tasks and
 * todos. SQLite and PostgreSQL implement the contract; a claim is one guarded statement.
 */
import type { Awaitable } from "../core/awaitable.ts";
import type {
  QueueChange,
  QueueState,
  Task,
  TaskAnswer,
  TaskEvent,
  TaskOp,
  TaskSender,
  TaskStats,
  TaskStatus,
} from "./model.ts";

/** Selects tasks. */
export interface TaskFilter {
  readonly status?: TaskStatus;
  readonly owner?: string;
  readonly label?: string;
  readonly parent?: string;
  /** Tasks that are, or were, blocked by this one. */
  readonly blockedBy?: string;
  readonly limit?: number;
  /** Only tasks with a higher number than this one: the next page. */
  readonly after?: string;
}

/** Selects events of tasks. */
export interface TaskEventFilter {
  /** Only events with a higher number. */
  readonly after?: number;
  readonly task?: string;
  /** At most this many, the oldest ones. */
  readonly limit?: number;
  /** At most this many, the newest ones. */
  readonly last?: number;
}

/** Number of tasks by status. */
export type TaskCounts = Readonly<Record<TaskStatus, number>> & {
  /** Open tasks without blockers whose time has come. */
  readonly ready: number;
  /** Open tasks without blockers whose time has not come yet. The other open tasks are blocked. */
  readonly delayed: number;
};

/**
 * Stores tasks and their events. The contract suite in `src/testing` specifies the behavior in
 * full. All times are those of the database, so the clocks of processes do not matter.
 */
export interface TaskStore {
  /** The data outlives the process. */
  readonly durable: boolean;

  /**
   * Applies an op in one step, or refuses it and changes nothing. The change is durable when this
   * returns. A known key returns the first answer.
   */
  apply(op: TaskOp, sender: TaskSender): Awaitable<TaskAnswer>;

  get(id: string): Awaitable<Task | undefined>;

  /**
   * Open tasks without an owner whose blockers are all done and whose time has come, by priority,
   * then age. They cannot be claimed while the queue is paused.
   */
  ready(filter?: Pick<TaskFilter, "label" | "limit">): Awaitable<readonly Task[]>;

  /** In the order of ids. */
  list(filter?: TaskFilter): Awaitable<readonly Task[]>;

  counts(): Awaitable<TaskCounts>;

  /** Whether the queue is paused, and its settings. */
  queue(): Awaitable<QueueState>;

  /** Pauses or resumes the queue, or changes its settings; returns the state after that. */
  setQueue(change: QueueChange, sender: TaskSender): Awaitable<QueueState>;

  /** Figures about the queue; finished tasks since a time (default: 24 hours ago). */
  stats(options?: { readonly since?: number }): Awaitable<TaskStats>;

  /**
   * Deletes done and cancelled tasks that were closed more than `keep` milliseconds ago, with their
   * events and idempotency keys. Tasks that others refer to stay, and so does the newest task.
   * Returns the number of deleted tasks.
   */
  prune(keep: number): Awaitable<number>;

  /** Oldest first. */
  events(filter?: TaskEventFilter): Awaitable<readonly TaskEvent[]>;

  /**
   * Renews the leases of an owner that was active `ago` milliseconds before now. Renewals that gain
   * little are skipped, so this may be called for every observed activity.
   */
  renewByObservation(owner: string, ago?: number): Awaitable<readonly Task[]>;

  /** The clock of leases, in milliseconds. */
  now(): Awaitable<number>;

  /**
   * Calls `listener` once for each event stored from now on, by any process, in order. Calls
   * `replaced` when another file or database took the place of this store, such as a restored
   * backup: read everything again then. Returns a function that unsubscribes.
   */
  watch(listener: (event: TaskEvent) => void, replaced?: () => void): () => void;

  close(): Awaitable<void>;
}
