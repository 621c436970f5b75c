/**
 * tasks: durable tasks that agents claim. `model` has the types (read it first), `store` the contract,
 * `rules/` the decisions, `formats/` import and export, `links/` connect tasks with todos. SQLite and
 * PostgreSQL implement the contract; a claim is one guarded statement.
 */
import type { Awaitable } from "../core/awaitable.ts";
import type { Task, TaskAnswer, TaskEvent, TaskOp, TaskSender, TaskStatus } from "./model.ts";

/** Selects tasks. */
export interface TaskFilter {
  readonly status?: TaskStatus;
  readonly owner?: string;
  readonly label?: string;
  readonly parent?: string;
  /** Those that wait, or waited, for this one. */
  readonly blockedBy?: string;
  readonly limit?: number;
}

/** Selects events of tasks. */
export interface TaskEventFilter {
  /** Only events with a higher number. */
  readonly after?: number;
  readonly task?: string;
  /** At most this many, the oldest of them. */
  readonly limit?: number;
  /** At most this many, the newest of them. */
  readonly last?: number;
}

/** The number of tasks by status, and of those that are ready. */
export type TaskCounts = Readonly<Record<TaskStatus, number>> & { readonly ready: number };

/**
 * Keeps tasks and their events. The suite in `src/testing` says in full what it owes; `apply` is
 * the heart of it. Times are those of the database: the clocks of processes do not matter.
 */
export interface TaskStore {
  /** What is kept outlives the process. */
  readonly durable: boolean;

  /**
   * Carries out an op in one step, or refuses it and changes nothing. When this returns, what it
   * did is durable. A key that is known is answered as it was then.
   */
  apply(op: TaskOp, sender: TaskSender): Awaitable<TaskAnswer>;

  get(id: string): Awaitable<Task | undefined>;

  /** Open, nobody holds them, every blocker done; by priority, then age. */
  ready(filter?: Pick<TaskFilter, "label" | "limit">): Awaitable<readonly Task[]>;

  /** In the order of their ids. */
  list(filter?: TaskFilter): Awaitable<readonly Task[]>;

  counts(): Awaitable<TaskCounts>;

  /** Oldest first. */
  events(filter?: TaskEventFilter): Awaitable<readonly TaskEvent[]>;

  /**
   * The holder was seen at work, `ago` milliseconds before now: its leases count from then. Renewals
   * that would win little are left out, so that it may be called for whatever is observed.
   */
  renewByObservation(owner: string, ago?: number): Awaitable<readonly Task[]>;

  /** The time that leases are judged by, in milliseconds. */
  now(): Awaitable<number>;

  /**
   * Calls back once for every event kept from now on, by this process or another, in order.
   * Calls `replaced` when another store took the place of this one, such as a backup: read
   * everything again then. Returns the function that ends it.
   */
  watch(listener: (event: TaskEvent) => void, replaced?: () => void): () => void;

  close(): Awaitable<void>;
}
