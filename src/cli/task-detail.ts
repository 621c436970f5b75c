import type { TaskDetail } from "../surfaces/text/tasks/index.ts";
import type { TaskRefusal } from "../tasks/model.ts";
import { notFound } from "../tasks/rules/refusals.ts";
import type { TaskStore } from "../tasks/store.ts";
import { taskRows } from "./task-rows.ts";

/** A task with those around it. */
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
