/**
 * Durable tasks: units of team work, each with at most one owner at a time. Read this file first.
 *
 * An op is a request. The rules (`rules/decide.ts`) turn it into events or a refusal; folding the
 * events gives the task (`rules/fold.ts`). The epoch makes claims safe: it grows with every claim,
 * and each write of an owner carries the epoch of its claim. The lease only frees tasks of owners
 * that are inactive.
 */
import type { Author } from "../core/model.ts";
import type { ModelText } from "../core/text/model-text.ts";

export const TASK_STATUSES = ["open", "claimed", "done", "failed", "cancelled"] as const;
/** The status of a task. */
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** 0 is the most urgent. */
export const PRIORITIES = [0, 1, 2, 3, 4] as const;
/** The priority of a task: 0 is the most urgent. */
export type Priority = (typeof PRIORITIES)[number];

export const DEFAULT_PRIORITY: Priority = 2;
export const DEFAULT_LEASE = 5 * 60_000;
export const LONGEST_LEASE = 30 * 86_400_000;
export const DEFAULT_ATTEMPTS = 3;
/** The longest delay of a retry, and the most waiting time that counts as a step of priority. */
export const LONGEST_DELAY = 365 * 86_400_000;

/** ISO dates beyond the year 9999 do not sort as text. */
export const LATEST_TIME = 253_402_300_799_999;

/** A value that JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };
/** Fields of your own on a task. */
export type Metadata = Readonly<Record<string, Json>>;

/** A run of a check that passed. */
export interface PassedCheck {
  /** Name of the check. */
  readonly check: string;
  /** Hash of the git tree that was checked; empty outside git. */
  readonly tree: string;
  readonly exitCode: 0;
  readonly at: number;
  readonly machine: string;
}

/** A user finished the task although its check had not passed. */
export interface ForcedFinish {
  readonly check: string;
  readonly forced: true;
  readonly at: number;
}

/** How a task with a check was finished. */
export type TaskProof = PassedCheck | ForcedFinish;

/** A unit of team work that one agent at a time owns. */
export interface Task {
  /** `t1`, `t2`, … in order of creation, never reused. Users type it. */
  readonly id: string;
  readonly subject: string;
  readonly description?: string;
  /** Present continuous form of the subject, shown while the task is claimed. */
  readonly activeText?: string;
  readonly status: TaskStatus;
  readonly priority: Priority;
  readonly labels: readonly string[];
  readonly parent?: string;
  /** Tasks that must be done before this one can be claimed. */
  readonly blockedBy: readonly string[];
  /** Current owner, or the last one of a closed task. */
  readonly owner?: string;
  /** Number of claims so far. */
  readonly epoch: number;
  /** Lease duration in milliseconds. */
  readonly lease?: number;
  readonly leaseUntil?: number;
  /** Owner of an expired claim, until the next claim. */
  readonly lapsed?: { readonly owner: string; readonly at: number };
  /** Claims since the task was added or reopened, without released ones. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** The task cannot be claimed before this time. */
  readonly notBefore?: number;
  /** The task is overdue after this time. It can still be claimed. */
  readonly deadline?: number;
  readonly evidence: readonly string[];
  /** Name of the check that has to pass before the task can be finished. */
  readonly check?: string;
  /** How a task with a check was finished. */
  readonly proof?: TaskProof;
  /** Why it last failed, or was released or cancelled. */
  readonly reason?: string;
  readonly metadata: Metadata;
  /** External id, unique in the store. */
  readonly ref?: string;
  readonly author?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly claimedAt?: number;
  readonly finishedAt?: number;
}

/** A task to add. */
export interface TaskDraft {
  readonly subject: string;
  readonly description?: string;
  readonly activeText?: string;
  readonly priority?: Priority;
  readonly labels?: readonly string[];
  /** Ids or refs of existing tasks, or refs and names of drafts in the same op. */
  readonly parent?: string;
  readonly blockedBy?: readonly string[];
  readonly maxAttempts?: number;
  /** The task cannot be claimed before this time. */
  readonly notBefore?: number;
  readonly deadline?: number;
  readonly metadata?: Metadata;
  readonly ref?: string;
  /** Name for references from other drafts of the same op; not stored. */
  readonly name?: string;
  readonly author?: string;
  /** For imported tasks; a claim cannot be imported. */
  readonly status?: Exclude<TaskStatus, "claimed">;
  readonly owner?: string;
  readonly evidence?: readonly string[];
  /** Name of the check that has to pass before the task can be finished. */
  readonly check?: string;
  readonly reason?: string;
  readonly createdAt?: number;
  readonly finishedAt?: number;
}

/** Changes to a task. Absent fields stay; `null` removes a field, or a key of the metadata. */
export interface TaskEdit {
  readonly subject?: string;
  readonly description?: string | null;
  readonly activeText?: string | null;
  readonly priority?: Priority;
  readonly labels?: readonly string[];
  readonly addLabels?: readonly string[];
  readonly removeLabels?: readonly string[];
  readonly parent?: string | null;
  readonly addBlockedBy?: readonly string[];
  readonly removeBlockedBy?: readonly string[];
  /** Tasks that this one now blocks. */
  readonly addBlocks?: readonly string[];
  readonly maxAttempts?: number;
  readonly notBefore?: number | null;
  readonly deadline?: number | null;
  /** Once set, only a user may change or remove it. */
  readonly check?: string | null;
  readonly metadata?: Metadata;
}

/** Texts as the editor saw them; `null`: absent. */
export type TaskBase = Pick<TaskEdit, "subject" | "description">;

/** Names a claim. */
export interface ClaimRef {
  readonly id: string;
  /** Omit only to close a task without an owner, which takes `force`. */
  readonly epoch?: number;
}

/** An operation on tasks, for `apply`. */
export type TaskOp =
  | { readonly op: "add"; readonly tasks: readonly TaskDraft[] }
  | {
      readonly op: "claim";
      readonly owner: string;
      /** A specific task (default: the most urgent ready ones). */
      readonly id?: string;
      readonly label?: string;
      readonly lease?: number;
      /** At most this many (default: 1). */
      readonly count?: number;
    }
  | {
      readonly op: "renew";
      readonly owner: string;
      readonly held: readonly ClaimRef[];
      readonly lease?: number;
    }
  | {
      readonly op: "release";
      readonly owner: string;
      readonly held: readonly ClaimRef[];
      readonly reason?: string;
    }
  | {
      readonly op: "finish";
      readonly owner: string;
      readonly held: readonly ClaimRef[];
      readonly evidence?: readonly string[];
      /**
       * The passed checks of tasks that have one. Attach only what this process ran or read from its
       * own records, never what a model sent.
       */
      readonly proofs?: readonly PassedCheck[];
      /**
       * Close tasks that are not claimed, are blocked, or whose check did not pass. Agents cannot;
       * the evidence records it.
       */
      readonly force?: boolean;
    }
  | {
      readonly op: "fail";
      readonly owner: string;
      readonly held: readonly ClaimRef[];
      readonly reason: string;
      /** Milliseconds before the task can be claimed again (default: 0). */
      readonly retryIn?: number;
    }
  | {
      readonly op: "edit";
      readonly id: string;
      readonly set: TaskEdit;
      /** Texts when the edit began: a newer text of another sender is not overwritten. */
      readonly base?: TaskBase;
    }
  | { readonly op: "cancel"; readonly id: string; readonly reason?: string }
  | { readonly op: "reopen"; readonly id: string }
  | {
      readonly op: "assign";
      readonly id: string;
      readonly owner: string;
      readonly lease?: number;
      /** The claim to take the task from: a newer claim is refused (default: any claim). */
      readonly from?: { readonly owner: string; readonly epoch: number };
    };

/** The sender of an op. */
export interface TaskSender {
  readonly by: Author;
  readonly via: string;
  /** Name of the sender. */
  readonly actor?: string;
  /** Idempotency key: repeating a call with the same key returns the first answer. */
  readonly key?: string;
}

/** The kind of a task event. */
export type TaskEventType =
  | "added"
  | "edited"
  | "claimed"
  | "renewed"
  | "released"
  | "done"
  | "retried"
  | "failed"
  | "cancelled"
  | "reopened"
  | "assigned";

type Changeable = Omit<Task, "id" | "updatedAt" | "lapsed">;

/** Fields with their new values; `null` where a field was removed. */
export type TaskFields = { readonly [F in keyof Changeable]?: Changeable[F] | null };

/** One recorded change of a task. */
export interface TaskEvent {
  /** Grows with every event of the store; may have gaps. */
  readonly seq: number;
  readonly at: number;
  readonly type: TaskEventType;
  readonly task: string;
  readonly by: Author;
  readonly via: string;
  readonly actor?: string;
  readonly key?: string;
  readonly set: TaskFields;
}

/** Why an operation was refused, for programs. */
export type TaskRefusalCode =
  | "none_ready"
  | "held"
  | "stale_epoch"
  | "blocked"
  | "delayed"
  | "paused"
  | "cycle"
  | "not_found"
  | "closed"
  | "not_closed"
  | "conflict"
  | "unproven"
  | "check_fixed"
  | "key_used"
  | "invalid_input";

/** Why an op was refused, worded for its sender. Nothing was changed. */
export interface TaskRefusal {
  readonly code: TaskRefusalCode;
  readonly message: ModelText;
  /** The message without the command that a user would type; absent if it has none. */
  readonly short?: ModelText;
  /** The task concerned. */
  readonly id?: string;
  /** Current owner; `null` without one. */
  readonly holder?: string | null;
  readonly leaseUntil?: number;
  /** When a delayed task can be claimed. */
  readonly notBefore?: number;
  /** Epoch of the current claim. */
  readonly epoch?: number;
  /** Each task is blocked by the next; the first is also the last. */
  readonly cycle?: readonly string[];
  /** Blockers that are not done. */
  readonly blockers?: readonly string[];
  /** The check that has to pass first. */
  readonly check?: string;
}

/** The answer to `apply`: the tasks as the operation left them, or why it was refused. */
export type TaskAnswer =
  | {
      readonly ok: true;
      /** The key was used before, and this is the answer of the first call. */
      readonly duplicate: boolean;
      /** The tasks of the op, as it left them. */
      readonly tasks: readonly Task[];
      /** Number of the last event; absent if nothing changed. */
      readonly seq?: number;
    }
  | { readonly ok: false; readonly refused: TaskRefusal };

/** The number in an id, with or without its letter; undefined for other text. */
export function taskNumber(id: string): number | undefined {
  const found = /^t?([1-9]\d{0,14})$/i.exec(id);
  return found ? Number(found[1]) : undefined;
}

export function taskId(number: number): string {
  return `t${number}`;
}

/** A task with its open blockers. */
export interface TaskRow extends Task {
  /** Blockers that are not done. */
  readonly waitsFor: readonly string[];
}

/** A task with its blocked tasks and children. */
export interface TaskDetail {
  readonly task: TaskRow;
  /** Tasks that it blocks. */
  readonly blocks: readonly string[];
  readonly children: readonly string[];
}

/** The state of the queue, which all owners share. */
export interface QueueState {
  /** While the queue is paused, no task can be claimed. Claimed tasks continue. */
  readonly paused?: QueuePause;
  /** Milliseconds of waiting that count as one step of priority. Absent: priorities do not age. */
  readonly aging?: number;
}

/** A pause of the queue. */
export interface QueuePause {
  readonly at: number;
  readonly by: string;
  readonly reason?: string;
}

/** Changes to the queue. Absent fields stay; `null` resumes the queue, or stops the aging. */
export interface QueueChange {
  readonly paused?: { readonly reason?: string } | null;
  readonly aging?: number | null;
}

/** Numbers of unfinished tasks. */
export interface QueueCounts {
  readonly ready: number;
  /** Open, not blocked, but not due yet. */
  readonly delayed: number;
  readonly blocked: number;
  readonly claimed: number;
  /** Failed tasks: dead letters. */
  readonly failed: number;
  /** Open or claimed after the deadline. */
  readonly overdue: number;
}

/** The distribution of durations, in milliseconds. */
export interface Spread {
  readonly median: number;
  readonly p95: number;
  readonly longest: number;
}

/** The same figures for one label or owner. */
export interface GroupStats {
  readonly name: string;
  readonly ready: number;
  readonly claimed: number;
  readonly done: number;
  /** Failed attempts. */
  readonly failed: number;
  /** Age of the oldest ready task, in milliseconds. */
  readonly oldest?: number;
}

/** Figures about the queue. */
export interface TaskStats {
  readonly at: number;
  /**
   * Begin of the window for finished tasks. Later than asked for if there were more than 5,000
   * outcomes in it, or more than 50,000 events since.
   */
  readonly since: number;
  readonly queue: QueueState;
  readonly counts: QueueCounts;
  /** Age of the oldest ready task, in milliseconds. */
  readonly oldest?: number;
  /** Tasks done in the window. */
  readonly done: number;
  /** Attempts that failed in the window. */
  readonly failed: number;
  /** Tasks done per hour of the window. */
  readonly perHour: number;
  /** From the creation of a task to the claim that finished it. */
  readonly waiting?: Spread;
  /** From that claim to the end. */
  readonly running?: Spread;
  /** By label, the most ready tasks first. Counts the 5,000 most urgent ready tasks. */
  readonly labels: readonly GroupStats[];
  readonly owners: readonly GroupStats[];
}
