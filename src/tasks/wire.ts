import type { QueueState, Task, TaskEvent, TaskOp } from "./model.ts";

/** Messages about tasks between the page and the server. */

export interface TasksAnswer {
  /** Position in the event stream, to continue from with `Last-Event-ID`. */
  readonly position: string;
  /** The clock of leases. */
  readonly now: number;
  /** Every open task, and the ones closed last. */
  readonly tasks: readonly Task[];
  /** Number of tasks left out. */
  readonly left: number;
  /** Absent if another home directory is shown. */
  readonly queue?: QueueState;
}

/** The message `tasks`: the current state of these tasks. */
export interface TasksUpdate {
  readonly now: number;
  readonly tasks: readonly Task[];
  /** The queue, if it changed. */
  readonly queue?: QueueState;
}

export interface TaskDetailAnswer {
  readonly now: number;
  readonly task: Task;
  /** Tasks that it blocks. */
  readonly blocks: readonly string[];
  /** Its subtasks. */
  readonly children: readonly string[];
  /** Its newest events, oldest first. */
  readonly events: readonly TaskEvent[];
  /** Number of older events left out. */
  readonly left: number;
}

/** The ops of a user on a board or page: all except a claim. */
export type UserTaskOp = Extract<
  TaskOp,
  { op: "add" | "edit" | "assign" | "release" | "renew" | "finish" | "reopen" | "cancel" }
>;

export interface TaskRequest {
  readonly op: UserTaskOp;
  /** Idempotency key. */
  readonly key: string;
}

/** Pauses or resumes the queue. */
export interface QueueRequest {
  readonly paused: boolean;
  /** Why it is paused. */
  readonly reason?: string;
}
