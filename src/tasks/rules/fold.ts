import type { Task, TaskEvent } from "../model.ts";

/** Every task has its fields in this order, so that the same task is printed the same everywhere. */
const ORDER: readonly (keyof Task)[] = [
  "id",
  "subject",
  "description",
  "activeText",
  "status",
  "priority",
  "labels",
  "parent",
  "blockedBy",
  "owner",
  "epoch",
  "lease",
  "leaseUntil",
  "attempts",
  "maxAttempts",
  "evidence",
  "reason",
  "metadata",
  "ref",
  "author",
  "createdAt",
  "updatedAt",
  "claimedAt",
  "finishedAt",
];

/** A task and its event make the task after it. */
export function applyEvent(
  task: Task | undefined,
  { task: id, at, set }: Pick<TaskEvent, "task" | "at" | "set">,
): Task {
  const fields: Record<string, unknown> = { ...task, ...set, id, updatedAt: at };
  const kept = ORDER.filter((name) => fields[name] !== undefined && fields[name] !== null);
  // The event that adds a task sets every field that a task must have.
  return Object.fromEntries(kept.map((name) => [name, fields[name]])) as unknown as Task;
}

export function foldTaskEvents(events: Iterable<TaskEvent>): ReadonlyMap<string, Task> {
  const tasks = new Map<string, Task>();
  for (const event of events) tasks.set(event.task, applyEvent(tasks.get(event.task), event));
  return tasks;
}
