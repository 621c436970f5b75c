import type { TaskRow } from "../surfaces/text/tasks/index.ts";
import type { Task } from "../tasks/model.ts";
import type { TaskStore } from "../tasks/store.ts";

/** The tasks with what they still wait for. */
export async function taskRows(store: TaskStore, tasks: readonly Task[]): Promise<TaskRow[]> {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const rows: TaskRow[] = [];
  for (const task of tasks) {
    const waitsFor: string[] = [];
    for (const id of task.blockedBy) {
      const blocker = known.get(id) ?? (await store.get(id));
      if (blocker) known.set(id, blocker);
      if (blocker?.status !== "done") waitsFor.push(id);
    }
    rows.push({ ...task, waitsFor });
  }
  return rows;
}
