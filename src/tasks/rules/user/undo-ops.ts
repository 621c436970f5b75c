import type { Task, TaskEdit } from "../../model.ts";
import type { UserTaskOp } from "../../wire.ts";
import { USER, userOps } from "../user-ops.ts";

/**
 * The ops that take a user's change of a task back, in order; empty if nothing can. `before` is absent for a new task.
 * Each names the claim that the change left, so a newer claim refuses it.
 */
export function undoTaskOps(
  op: UserTaskOp,
  before: Task | undefined,
  after: Task,
): readonly UserTaskOp[] {
  if (op.op === "add") return [userOps.cancel(after, "undone")];
  if (!before) return [];
  switch (op.op) {
    case "edit": {
      const set = undoneEdit(before, after);
      return Object.keys(set).length === 0 ? [] : [{ op: "edit", id: after.id, set }];
    }
    case "assign":
    case "release":
      return ownerOps(before, after);
    case "finish":
    case "cancel":
      return [userOps.reopen(after), ...ownerOps(before, { ...after, status: "open" })];
    case "reopen":
      if (before.status === "cancelled") return [userOps.cancel(after, before.reason)];
      return before.status === "done" ? [finishedAgain(before, after)] : [];
    case "renew":
      return [];
  }
}

/** No owner has claimed the task since, so finishing it takes force; a check is not skipped. */
function finishedAgain({ evidence }: Task, { id, check }: Task): UserTaskOp {
  const finish = { op: "finish", owner: USER, held: [{ id }], evidence } as const;
  return check === undefined ? { ...finish, force: true } : finish;
}

function ownerOps(before: Task, after: Task): readonly UserTaskOp[] {
  if (before.status === "claimed" && before.owner !== undefined)
    return [userOps.handOver(after, before.owner)];
  return after.status === "claimed" ? [userOps.release(after)] : [];
}

function undoneEdit(before: Task, after: Task): TaskEdit {
  const addBlockedBy = before.blockedBy.filter((id) => !after.blockedBy.includes(id));
  const removeBlockedBy = after.blockedBy.filter((id) => !before.blockedBy.includes(id));
  return {
    ...(before.subject !== after.subject && { subject: before.subject }),
    ...(before.description !== after.description && { description: before.description ?? null }),
    ...(before.priority !== after.priority && { priority: before.priority }),
    ...(before.labels.join("\n") !== after.labels.join("\n") && { labels: before.labels }),
    ...(addBlockedBy.length > 0 && { addBlockedBy }),
    ...(removeBlockedBy.length > 0 && { removeBlockedBy }),
  };
}
