import type { Task, TaskDraft, TaskEdit, TaskOp } from "../model.ts";
import { present } from "./fields.ts";

/**
 * The ops that make a task agree with the agent's file. `ids` has the tasks from the same folder.
 * Changes made by the team stay: claims, and dependencies on other tasks.
 */
export function mirrorOps(
  task: Task,
  draft: TaskDraft,
  list: string,
  ids: ReadonlyMap<string, string>,
): readonly TaskOp[] {
  const { id } = task;
  const set = editOf(task, draft, ids);
  const ops: TaskOp[] = Object.keys(set).length > 0 ? [{ op: "edit", id, set }] : [];
  const moved = moveOf(task, draft, list);
  return moved ? [...ops, moved] : ops;
}

function editOf(task: Task, draft: TaskDraft, ids: ReadonlyMap<string, string>): TaskEdit {
  const wanted = new Set((draft.blockedBy ?? []).flatMap((ref) => ids.get(ref) ?? []));
  const mirrored = new Set(ids.values());
  const added = [...wanted].filter((id) => !task.blockedBy.includes(id));
  const removed = task.blockedBy.filter((id) => mirrored.has(id) && !wanted.has(id));
  const { metadata = {} } = draft;
  // Fields that only the agent's file can hold are removed with it.
  const gone = ["owner", "status"].filter((key) => key in task.metadata && !(key in metadata));
  const changed = Object.entries(metadata).filter(
    ([key, value]) => JSON.stringify(task.metadata[key]) !== JSON.stringify(value),
  );
  const patch = Object.fromEntries([...changed, ...gone.map((key) => [key, null] as const)]);
  const text = (now: string | undefined, next: string | undefined) =>
    now === next ? undefined : (next ?? null);
  return present<TaskEdit>({
    subject: draft.subject === task.subject ? undefined : draft.subject,
    description: text(task.description, draft.description?.trimEnd()),
    activeText: text(task.activeText, draft.activeText),
    addBlockedBy: added.length > 0 ? added : undefined,
    removeBlockedBy: removed.length > 0 ? removed : undefined,
    metadata: Object.keys(patch).length > 0 ? patch : undefined,
  });
}

function moveOf(task: Task, draft: TaskDraft, list: string): TaskOp | undefined {
  const { id, epoch } = task;
  const named = draft.owner ?? draft.metadata?.owner;
  // The list has the name of the session that works on it, whose activity renews the lease.
  const owner = typeof named === "string" ? named : list;
  const isHeld =
    task.status === "claimed" && [owner, list, task.metadata.owner].includes(task.owner ?? "");
  const held = { owner: task.owner ?? owner, held: [{ id, epoch }] };
  switch (draft.status) {
    case "done":
      if (isHeld) return { op: "finish", ...held };
      return task.status === "open"
        ? { op: "finish", owner, held: [{ id }], force: true }
        : undefined;
    case "cancelled":
      return task.status === "open" || isHeld ? { op: "cancel", id } : undefined;
    default: {
      const isBegun = draft.metadata?.status === "in_progress";
      if (task.status === "done" || task.status === "cancelled") return { op: "reopen", id };
      if (isBegun && task.status === "open") return { op: "claim", id, owner };
      return !isBegun && isHeld ? { op: "release", ...held } : undefined;
    }
  }
}
