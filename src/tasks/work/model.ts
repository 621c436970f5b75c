import type { Awaitable } from "../../core/awaitable.ts";
import type { Task } from "../model.ts";
import type { TaskProving } from "../prove.ts";

/** The outcome of an attempt that succeeded. */
export interface WorkResult {
  /** Evidence that the task is done. Long texts are cut at their beginning. */
  readonly evidence?: readonly string[];
  /** Runs the check of the task, if it has one and the check has not passed yet. */
  readonly prove?: (task: Task) => Awaitable<TaskProving>;
}

/** The circumstances of an attempt. */
export interface WorkContext {
  /**
   * Aborts when the attempt is over for another reason: the time limit, a lost claim, or the end of
   * all work. The task is then not finished, whatever the handler returns.
   */
  readonly signal: AbortSignal;
  /** The number of the worker, from 1. */
  readonly worker: number;
}

/** Does a task. A returned value finishes it; a thrown error fails the attempt with its message. */
export type WorkHandler = (
  task: Task,
  context: WorkContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing.
) => Awaitable<WorkResult | void>;

/** A change of a task that one of the workers made. */
export type WorkEvent =
  | { readonly type: "claimed"; readonly task: Task; readonly worker: number }
  | {
      readonly type: "done" | "failed" | "released";
      /** The task after it. */
      readonly task: Task;
      readonly worker: number;
      /** Milliseconds since the claim. */
      readonly ms: number;
      /** Why an attempt failed. */
      readonly reason?: string;
    }
  | {
      /** The claim is no longer ours, so nothing was written. */
      readonly type: "lost";
      readonly task: Task;
      readonly worker: number;
      readonly ms: number;
      readonly reason: string;
    };

/** Options of `work`. */
export interface WorkOptions {
  /** Name of the owner. Several workers are named after it: `ann/1`, `ann/2`. */
  readonly owner: string;
  /** How many tasks run at the same time (default: 1). */
  readonly concurrency?: number;
  /** Only tasks with one of these labels (default: all tasks). */
  readonly labels?: readonly string[];
  /** Lease in milliseconds (default: 60,000). It is renewed while the handler runs. */
  readonly lease?: number;
  /** Milliseconds before an attempt is aborted and fails (default: no limit). */
  readonly timeout?: number;
  /**
   * Milliseconds before a failed task can be claimed again (default: 30 s, doubled by each attempt, up
   * to an hour, with jitter).
   */
  readonly retryIn?: (task: Task, error: unknown) => number;
  /** When to end: `stopped` (default), when no task is `left`, or after the `first` of each worker. */
  readonly until?: "stopped" | "left" | "first";
  /** Stops the work gracefully when it aborts, like `stop()`. */
  readonly signal?: AbortSignal;
  /** Milliseconds between two looks at an empty queue (default: 200 to 5,000). */
  readonly idle?: { readonly shortest: number; readonly longest: number };
  /** A call of the store failed, or `onEvent` threw. The work continues. */
  readonly onError?: (error: unknown, task?: Task) => void;
  readonly onEvent?: (event: WorkEvent) => void;
}

/** The outcomes of the tasks that the workers claimed. */
export interface WorkSummary {
  readonly done: number;
  /** Attempts that failed and will be retried. */
  readonly retried: number;
  /** Tasks whose last attempt failed: dead letters. */
  readonly failed: number;
  readonly released: number;
  /** Claims that another owner took over before the attempt ended. */
  readonly lost: number;
}

/** Running workers. */
export interface Work {
  /** Resolves when all workers have ended. It never rejects. */
  readonly ended: Promise<WorkSummary>;
  /** Claims nothing more and waits for the running tasks. */
  stop(): Promise<WorkSummary>;
  /** Aborts the running tasks and releases them. */
  abort(): Promise<WorkSummary>;
}
