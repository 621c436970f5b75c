import type { Row, Value } from "../engines/sqlite/driver.ts";
import type { QueueState, Task, TaskEvent } from "./model.ts";
import { taskId } from "./model.ts";
import { inOrder } from "./rules/fold.ts";
import { isStoredDelayed } from "./rules/queue/state.ts";
import {
  type ClaimedTask,
  type Outcome,
  outcomeOf,
  type WaitingTask,
} from "./rules/queue/stats.ts";
import { numberOf } from "./rules/task-at.ts";

/** The columns of a task in the order of writing, without its number. */
export const COLUMNS = [
  "subject",
  "description",
  "active_text",
  "status",
  "priority",
  "labels",
  "parent",
  "blocked_by",
  "owner",
  "epoch",
  "lease",
  "lease_until",
  "attempts",
  "max_attempts",
  "evidence",
  "reason",
  "metadata",
  "ref",
  "author",
  "created_at",
  "updated_at",
  "claimed_at",
  "finished_at",
  "check_name",
  "proof",
  "not_before",
  "deadline",
  "delayed",
] as const;

export function numberIn(id: string): number {
  return numberOf({ id });
}

export function valuesOf(task: Task): Value[] {
  return [
    task.subject,
    task.description ?? null,
    task.activeText ?? null,
    task.status,
    task.priority,
    JSON.stringify(task.labels),
    task.parent === undefined ? null : numberIn(task.parent),
    JSON.stringify(task.blockedBy.map(numberIn)),
    task.owner ?? null,
    task.epoch,
    task.lease ?? null,
    task.leaseUntil ?? null,
    task.attempts,
    task.maxAttempts,
    JSON.stringify(task.evidence),
    task.reason ?? null,
    JSON.stringify(task.metadata),
    task.ref ?? null,
    task.author ?? null,
    task.createdAt,
    task.updatedAt,
    task.claimedAt ?? null,
    task.finishedAt ?? null,
    task.check ?? null,
    task.proof === undefined ? null : JSON.stringify(task.proof),
    task.notBefore ?? null,
    task.deadline ?? null,
    isStoredDelayed(task) ? 1 : 0,
  ];
}

const json = (column: unknown) => (typeof column === "string" ? JSON.parse(column) : column);

export const number = (column: unknown) => (column == null ? null : Number(column));

/** Reads a row of either database: PostgreSQL returns JSON parsed or as text. */
export function taskOf(row: Row): Task {
  return inOrder({
    id: taskId(Number(row.num)),
    subject: row.subject as string,
    description: row.description as string | null,
    activeText: row.active_text as string | null,
    status: row.status as Task["status"],
    priority: row.priority as Task["priority"],
    labels: json(row.labels),
    parent: row.parent === null ? null : taskId(Number(row.parent)),
    blockedBy: (json(row.blocked_by) as number[]).map(taskId),
    owner: row.owner as string | null,
    epoch: Number(row.epoch),
    lease: number(row.lease),
    leaseUntil: number(row.lease_until),
    attempts: Number(row.attempts),
    maxAttempts: Number(row.max_attempts),
    notBefore: number(row.not_before),
    deadline: number(row.deadline),
    evidence: json(row.evidence),
    check: row.check_name as string | null,
    proof: json(row.proof),
    reason: row.reason as string | null,
    metadata: json(row.metadata),
    ref: row.ref as string | null,
    author: row.author as string | null,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    claimedAt: number(row.claimed_at),
    finishedAt: number(row.finished_at),
  });
}

export function eventOfRow(row: Row): TaskEvent {
  return {
    seq: Number(row.seq),
    at: Number(row.at),
    type: row.type as TaskEvent["type"],
    task: taskId(Number(row.task)),
    by: row.sent_by as TaskEvent["by"],
    via: row.via as string,
    ...(row.actor !== null && { actor: row.actor as string }),
    ...(row.key !== null && { key: row.key as string }),
    set: json(row.fields),
  };
}

/** The row of the queue in either database; a store that has none yet reads as running. */
export function queueOf(row: Row | undefined): QueueState {
  const at = number(row?.paused_at ?? null);
  const reason = row?.reason as string | null | undefined;
  const aging = number(row?.aging ?? null);
  return {
    ...(at !== null && {
      paused: { at, by: row?.paused_by as string, ...(reason != null && { reason }) },
    }),
    ...(aging !== null && { aging }),
  };
}

/** The values of the queue: time, sender and reason of the pause, and the aging. */
export function queueValues({ paused, aging }: QueueState): Value[] {
  return [paused?.at ?? null, paused?.by ?? null, paused?.reason ?? null, aging ?? null];
}

export function outcomeOfRow(row: Row): Outcome {
  const event = {
    at: Number(row.at),
    type: row.type as TaskEvent["type"],
    ...(row.actor !== null && { actor: row.actor as string }),
  };
  const claimedAt = number(row.claimed_at);
  return outcomeOf(event, {
    ...(row.owner !== null && { owner: row.owner as string }),
    labels: json(row.labels),
    createdAt: Number(row.created_at),
    ...(claimedAt !== null && { claimedAt }),
  });
}

export function waitingOfRow(row: Row): WaitingTask {
  return { labels: json(row.labels), createdAt: Number(row.created_at) };
}

export function claimedOfRow(row: Row): ClaimedTask {
  return { labels: json(row.labels), owner: row.owner as string };
}
