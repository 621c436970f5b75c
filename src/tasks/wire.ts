import type { Task, TaskEvent, TaskOp } from "./model.ts";

/** What the page and the program say to each other about tasks. */

export interface TasksAnswer {
  /** Whoever has this goes on from here with `Last-Event-ID`. */
  readonly position: string;
  /** The time that leases are judged by. */
  readonly now: number;
  /** Every one that is not done, and those that were done last. */
  readonly tasks: readonly Task[];
  /** Those that are not among them. */
  readonly left: number;
}

/** The message `tasks`: these are so now. */
export interface TasksNews {
  readonly now: number;
  readonly tasks: readonly Task[];
}

export interface TaskDetailAnswer {
  readonly now: number;
  readonly task: Task;
  /** Tasks that wait for it. */
  readonly blocks: readonly string[];
  /** Its parts. */
  readonly children: readonly string[];
  /** The newest of what happened to it, oldest first. */
  readonly events: readonly TaskEvent[];
  /** Older ones that are not among them. */
  readonly left: number;
}

/** What a person may want of tasks who looks at a board: all but to hold one. */
export type PersonTaskOp = Extract<
  TaskOp,
  { op: "add" | "edit" | "assign" | "release" | "renew" | "finish" | "reopen" | "cancel" }
>;

export interface TaskRequest {
  readonly op: PersonTaskOp;
  /** The same key never acts twice. */
  readonly key: string;
}
