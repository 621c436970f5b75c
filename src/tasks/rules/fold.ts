import type { Task, TaskEvent } from "../model.ts";

/** The fields of a task in any order; `null` and `undefined` mean that a field is absent. */
export type LooseTask = { readonly [F in keyof Omit<Task, "lapsed">]: Task[F] | null | undefined };

/**
 * Puts the fields of a task in one fixed order, so that the same task prints the same everywhere.
 * Written out field by field: a loop over names takes several times as long, and every answer
 * contains tasks.
 */
export function inOrder(fields: LooseTask): Task {
  const task: { -readonly [F in keyof Task]?: LooseTask[F & keyof LooseTask] } = {
    id: fields.id,
    subject: fields.subject,
  };
  if (fields.description != null) task.description = fields.description;
  if (fields.activeText != null) task.activeText = fields.activeText;
  task.status = fields.status;
  task.priority = fields.priority;
  task.labels = fields.labels;
  if (fields.parent != null) task.parent = fields.parent;
  task.blockedBy = fields.blockedBy;
  if (fields.owner != null) task.owner = fields.owner;
  task.epoch = fields.epoch;
  if (fields.lease != null) task.lease = fields.lease;
  if (fields.leaseUntil != null) task.leaseUntil = fields.leaseUntil;
  task.attempts = fields.attempts;
  task.maxAttempts = fields.maxAttempts;
  if (fields.notBefore != null) task.notBefore = fields.notBefore;
  if (fields.deadline != null) task.deadline = fields.deadline;
  task.evidence = fields.evidence;
  if (fields.check != null) task.check = fields.check;
  if (fields.proof != null) task.proof = fields.proof;
  if (fields.reason != null) task.reason = fields.reason;
  task.metadata = fields.metadata;
  if (fields.ref != null) task.ref = fields.ref;
  if (fields.author != null) task.author = fields.author;
  task.createdAt = fields.createdAt;
  task.updatedAt = fields.updatedAt;
  if (fields.claimedAt != null) task.claimedAt = fields.claimedAt;
  if (fields.finishedAt != null) task.finishedAt = fields.finishedAt;
  // The event that adds a task sets every required field.
  return task as Task;
}

/** The task after an event. */
export function applyEvent(
  task: Task | undefined,
  { task: id, at, set }: Pick<TaskEvent, "task" | "at" | "set">,
): Task {
  return inOrder({ ...task, ...set, id, updatedAt: at } as LooseTask);
}

export function foldTaskEvents(events: Iterable<TaskEvent>): ReadonlyMap<string, Task> {
  const tasks = new Map<string, Task>();
  for (const event of events) tasks.set(event.task, applyEvent(tasks.get(event.task), event));
  return tasks;
}
