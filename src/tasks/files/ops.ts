import { joinSections, SECTION_NAMES } from "../formats/backlog/sections.ts";
import { present } from "../formats/fields.ts";
import { LONGEST_LEASE, type Task, type TaskEdit, type TaskOp } from "../model.ts";
import { userOps } from "../rules/user-ops.ts";
import { ownerIn, phaseIn, RANKS } from "./fields.ts";
import type { SharedFields, TextField } from "./merge.ts";

/** The edit that gives a task the merged fields; undefined if it has them. */
export function editOp(task: Task, from: SharedFields, to: SharedFields): TaskOp | undefined {
  const isNew = (field: TextField) => from.texts[field] !== to.texts[field];
  const hasNewText = SECTION_NAMES.some(isNew);
  const added = (field: "labels" | "dependencies") =>
    listed(to.sets[field].filter((each) => !from.sets[field].includes(each)));
  const removed = (field: "labels" | "dependencies") =>
    listed(from.sets[field].filter((each) => !to.sets[field].includes(each)));
  const description = hasNewText ? (joinSections(to.texts) ?? null) : undefined;
  const set = present<TaskEdit>({
    subject: isNew("title") ? to.texts.title : undefined,
    description,
    priority: isNew("priority") ? RANKS[to.texts.priority] : undefined,
    parent: isNew("parent") ? to.texts.parent || null : undefined,
    addLabels: added("labels"),
    removeLabels: removed("labels"),
    addBlockedBy: added("dependencies"),
    removeBlockedBy: removed("dependencies"),
  });
  if (Object.keys(set).length === 0) return undefined;
  // A change of another sender since the tasks were read is not overwritten.
  const base = { subject: task.subject, description: task.description ?? null };
  return { op: "edit", id: task.id, set, base };
}

function listed(items: readonly string[]): readonly string[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** The next op on the way to a state; undefined if the task is there. */
export function moveOp(task: Task, from: string, to: string): TaskOp | undefined {
  if (from === to) return undefined;
  const { id, status, owner = "", epoch } = task;
  const phase = phaseIn(to);
  if (phase === "cancelled") return status === "cancelled" ? undefined : userOps.cancel(task);
  const isClosed = status === "done" || status === "cancelled" || status === "failed";
  if (isClosed && !(phase === "done" && status === "done")) return userOps.reopen(task);
  switch (phase) {
    case "done":
      return status === "done" ? undefined : userOps.finish(task);
    case "claimed": {
      const next = ownerIn(to) ?? "";
      if (status === "claimed" && owner === next) return undefined;
      // No activity renews the claim of a file.
      return status === "claimed"
        ? { op: "assign", id, owner: next, lease: LONGEST_LEASE, from: { owner, epoch } }
        : { op: "claim", id, owner: next, lease: LONGEST_LEASE };
    }
    default:
      return status === "claimed" ? userOps.release(task) : undefined;
  }
}
