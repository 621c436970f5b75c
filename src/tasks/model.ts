/**
 * Durable tasks: units of team work that one agent at a time holds. Read this file first.
 *
 * An op says what somebody wants. The rules (`rules/judge.ts`) turn it into events or into one
 * refusal. A task is what its events fold into (`rules/fold.ts`). Safety is the epoch: it grows with
 * every claim, and each write of a holder carries the one it was given. The lease is liveness only.
 */
import type { By } from "../core/model.ts";
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

/** Times beyond the year 9999 have texts that sort among the others. */
export const LAST_MOMENT = 253_402_300_799_999;

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

/** A unit of team work that one agent at a time owns. */
export interface Task {
  /** `t1`, `t2`, … in the order of making, never used twice. What people type. */
  readonly id: string;
  readonly subject: string;
  readonly description?: string;
  /** Present continuous form of the subject, shown while somebody works on it. */
  readonly activeText?: string;
  readonly status: TaskStatus;
  readonly priority: Priority;
  readonly labels: readonly string[];
  readonly parent?: string;
  /** All of them have to be done before it can be claimed. */
  readonly blockedBy: readonly string[];
  /** Who holds it, or who last did when it is closed. */
  readonly owner?: string;
  /** How often it was claimed. */
  readonly epoch: number;
  /** Milliseconds that a renewal is good for. */
  readonly lease?: number;
  readonly leaseUntil?: number;
  /** Who let the lease run out, when nobody has claimed it since. */
  readonly lapsed?: { readonly owner: string; readonly at: number };
  /** Claims since it was made or reopened that were not given back. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly evidence: readonly string[];
  /** Why it last failed, was released or cancelled. */
  readonly reason?: string;
  readonly metadata: Metadata;
  /** The id that it came with. No two tasks have the same. */
  readonly ref?: string;
  readonly author?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly claimedAt?: number;
  readonly finishedAt?: number;
}

/** A task as somebody sends it. */
export interface TaskDraft {
  readonly subject: string;
  readonly description?: string;
  readonly activeText?: string;
  readonly priority?: Priority;
  readonly labels?: readonly string[];
  /** Ids, or refs of tasks that are there, or refs and names of drafts of the same op. */
  readonly parent?: string;
  readonly blockedBy?: readonly string[];
  readonly maxAttempts?: number;
  readonly metadata?: Metadata;
  readonly ref?: string;
  /** What the other drafts of the same op call it; not kept. */
  readonly name?: string;
  readonly author?: string;
  /** For what was worked on elsewhere; a claim cannot be brought along. */
  readonly status?: Exclude<TaskStatus, "claimed">;
  readonly owner?: string;
  readonly evidence?: readonly string[];
  readonly reason?: string;
  readonly createdAt?: number;
  readonly finishedAt?: number;
}

/** Only what is given changes; `null` takes a field away, or a key of the metadata. */
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
  readonly metadata?: Metadata;
}

/** What a text said; `null` when it was not there. */
export type TaskBase = Pick<TaskEdit, "subject" | "description">;

/** A claim, as its holder names it. */
export interface Held {
  readonly id: string;
  /** Left out only to close a task that nobody holds. */
  readonly epoch?: number;
}

/** An operation on tasks, for `apply`. */
export type TaskOp =
  | { readonly op: "add"; readonly tasks: readonly TaskDraft[] }
  | {
      readonly op: "claim";
      readonly owner: string;
      /** Without it the most urgent that are ready. */
      readonly id?: string;
      readonly label?: string;
      readonly lease?: number;
      /** At most this many; 1 unless told. */
      readonly count?: number;
    }
  | {
      readonly op: "renew";
      readonly owner: string;
      readonly held: readonly Held[];
      readonly lease?: number;
    }
  | {
      readonly op: "release";
      readonly owner: string;
      readonly held: readonly Held[];
      readonly reason?: string;
    }
  | {
      readonly op: "finish";
      readonly owner: string;
      readonly held: readonly Held[];
      readonly evidence?: readonly string[];
    }
  | {
      readonly op: "fail";
      readonly owner: string;
      readonly held: readonly Held[];
      readonly reason: string;
    }
  | {
      readonly op: "edit";
      readonly id: string;
      readonly set: TaskEdit;
      /** What it said when whoever edits it began: what somebody else wrote since stays. */
      readonly base?: TaskBase;
    }
  | { readonly op: "cancel"; readonly id: string; readonly reason?: string }
  | { readonly op: "reopen"; readonly id: string }
  | {
      readonly op: "assign";
      readonly id: string;
      readonly owner: string;
      readonly lease?: number;
      /** The claim that it is taken from: a newer one is not touched. Without it any is. */
      readonly from?: { readonly owner: string; readonly epoch: number };
    };

/** Who wants an op, and through what. */
export interface TaskSender {
  readonly by: By;
  readonly via: string;
  /** What whoever sends it is called. */
  readonly actor?: string;
  /** The same key never acts twice and answers the same. */
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

/** Fields with their new values; `null` where one was taken away. */
export type TaskFields = { readonly [F in keyof Changeable]?: Changeable[F] | null };

/** One recorded change of a task. */
export interface TaskEvent {
  /** Grows with every event of the store; a number can be left out. */
  readonly seq: number;
  readonly at: number;
  readonly type: TaskEventType;
  readonly task: string;
  readonly by: By;
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
  | "cycle"
  | "not_found"
  | "closed"
  | "not_closed"
  | "conflict"
  | "key_used"
  | "invalid_input";

/** Why an op was refused, worded for whoever sent it. Nothing was changed. */
export interface TaskRefusal {
  readonly code: TaskRefusalCode;
  readonly message: ModelText;
  /** The message without the command that a person would type; absent where it names none. */
  readonly short?: ModelText;
  /** The task that it is about. */
  readonly id?: string;
  /** Who holds the task now; `null` when nobody does. */
  readonly holder?: string | null;
  readonly leaseUntil?: number;
  /** Each blocks the one before it; the last is the first. */
  readonly cycle?: readonly string[];
  /** Blockers that are not done. */
  readonly blockers?: readonly string[];
}

/** The answer to `apply`: the tasks as the operation left them, or why it was refused. */
export type TaskAnswer =
  | {
      readonly ok: true;
      /** The key was known: this is the answer of then. */
      readonly duplicate: boolean;
      /** The tasks that the op was about, as it left them. */
      readonly tasks: readonly Task[];
      /** Number of the last event that it made; absent when nothing changed. */
      readonly seq?: number;
    }
  | { readonly ok: false; readonly refused: TaskRefusal };

/** The number in an id; nothing for what is no id. People may leave the letter out. */
export function taskNumber(id: string): number | undefined {
  const found = /^t?([1-9]\d{0,14})$/i.exec(id);
  return found ? Number(found[1]) : undefined;
}

export function taskId(number: number): string {
  return `t${number}`;
}

/** A task with what else has to be known to draw it. */
export interface TaskRow extends Task {
  /** Blockers that are not done. */
  readonly waitsFor: readonly string[];
}

/** A task and those around it. */
export interface TaskDetail {
  readonly task: TaskRow;
  /** Tasks that wait for it. */
  readonly blocks: readonly string[];
  readonly children: readonly string[];
}
