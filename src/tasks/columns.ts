import type { Row, Value } from "../sqlite/driver.ts";
import type { Task, TaskEvent } from "./model.ts";
import { taskId } from "./model.ts";
import { numberOf } from "./rules/standing.ts";

/** The columns of a task in the order that they are written in, without its number. */
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
  ];
}

const json = (column: unknown) => (typeof column === "string" ? JSON.parse(column) : column);

/** The same for both databases: PostgreSQL has JSON parsed already, or as text. */
export function taskOf(row: Row): Task {
  const optional = (field: string, column: string) =>
    row[column] === null ? undefined : { [field]: row[column] };
  return {
    id: taskId(Number(row.num)),
    subject: row.subject as string,
    ...optional("description", "description"),
    ...optional("activeText", "active_text"),
    status: row.status as Task["status"],
    priority: row.priority as Task["priority"],
    labels: json(row.labels),
    ...(row.parent !== null && { parent: taskId(Number(row.parent)) }),
    blockedBy: (json(row.blocked_by) as number[]).map(taskId),
    ...optional("owner", "owner"),
    epoch: Number(row.epoch),
    ...numeric(row, "lease", "lease"),
    ...numeric(row, "leaseUntil", "lease_until"),
    attempts: Number(row.attempts),
    maxAttempts: Number(row.max_attempts),
    evidence: json(row.evidence),
    ...optional("reason", "reason"),
    metadata: json(row.metadata),
    ...optional("ref", "ref"),
    ...optional("author", "author"),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    ...numeric(row, "claimedAt", "claimed_at"),
    ...numeric(row, "finishedAt", "finished_at"),
  };
}

function numeric(row: Row, field: string, column: string) {
  return row[column] === null ? undefined : { [field]: Number(row[column]) };
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
