import type { Task, TaskEvent } from "../model.ts";

/** A task and its event make the task after it. */
export function applyEvent(
  task: Task | undefined,
  { task: id, at, set }: Pick<TaskEvent, "task" | "at" | "set">,
): Task {
  const fields: Record<string, unknown> = { ...task, id };
  for (const [name, value] of Object.entries(set)) {
    if (value === null) delete fields[name];
    else fields[name] = value;
  }
  fields.updatedAt = at;
  // The event that adds a task sets every field that a task must have.
  return fields as unknown as Task;
}

export function foldTaskEvents(events: Iterable<TaskEvent>): ReadonlyMap<string, Task> {
  const tasks = new Map<string, Task>();
  for (const event of events) tasks.set(event.task, applyEvent(tasks.get(event.task), event));
  return tasks;
}
