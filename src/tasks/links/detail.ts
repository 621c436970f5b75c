import type { Task, TaskDetail, TaskRefusal, TaskRow } from "../model.ts";
import { notFound } from "../rules/refusals.ts";
import type { TaskStore } from "../store.ts";

/** Tasks with their open blockers. */
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

/** A task with its blocked tasks and children. */
export async function findTask(
  store: TaskStore,
  id: string,
): Promise<
  | { readonly ok: true; readonly detail: TaskDetail }
  | { readonly ok: false; readonly refused: TaskRefusal }
> {
  const found = await store.get(id);
  if (!found) return { ok: false, refused: notFound(id) };
  const [task] = await taskRows(store, [found]);
  if (!task) return { ok: false, refused: notFound(id) };
  const blocks = await store.list({ blockedBy: task.id });
  const children = await store.list({ parent: task.id });
  const ids = (tasks: readonly { readonly id: string }[]) => tasks.map((each) => each.id);
  return { ok: true, detail: { task, blocks: ids(blocks), children: ids(children) } };
}
