import { same } from "../../core/values.ts";
import type { Metadata, Task, TaskFields, TaskOp, TaskSender } from "../model.ts";
import { type EventDraft, refuse, type TaskDecision } from "./decision.ts";
import { findCycle } from "./graph.ts";
import { canonical, type Slice } from "./needs.ts";
import { checkFixed, conflict, cycleOf, notFound } from "./refusals.ts";

export function decideEdit(
  op: TaskOp & { op: "edit" },
  { by }: Pick<TaskSender, "by">,
  slice: Slice,
): TaskDecision {
  const { set } = op;
  const find = (name: string) => slice.byId.get(canonical(name)) ?? slice.byRef.get(name);
  const task = find(op.id);
  if (!task) return refuse(notFound(op.id));
  const clash = clashOf(task, op);
  if (clash !== undefined) return refuse(conflict(task, clash));
  // Otherwise an agent could finish a task by removing its check.
  const isFixed = by !== "user" && task.check !== undefined && set.check !== undefined;
  if (isFixed && set.check !== task.check) return refuse(checkFixed(task));
  const named = [
    ...(set.parent == null ? [] : [set.parent]),
    ...(set.addBlockedBy ?? []),
    ...(set.addBlocks ?? []),
  ];
  const missing = named.find((name) => !find(name));
  if (missing !== undefined) return refuse(notFound(missing));
  const idsOf = (names: readonly string[] = []) => names.map((name) => find(name)?.id ?? name);

  const removed = new Set(set.removeBlockedBy?.map(canonical));
  const blockedBy = [
    ...new Set([...task.blockedBy, ...idsOf(set.addBlockedBy)].filter((id) => !removed.has(id))),
  ];
  const parent = set.parent == null ? set.parent : find(set.parent)?.id;
  const wanted: TaskFields = {
    ...(set.subject !== undefined && { subject: set.subject }),
    ...(set.description !== undefined && { description: set.description }),
    ...(set.activeText !== undefined && { activeText: set.activeText }),
    ...(set.priority !== undefined && { priority: set.priority }),
    ...(set.maxAttempts !== undefined && { maxAttempts: set.maxAttempts }),
    ...(set.notBefore !== undefined && { notBefore: set.notBefore }),
    ...(set.deadline !== undefined && { deadline: set.deadline }),
    ...(set.check !== undefined && { check: set.check }),
    ...(parent !== undefined && { parent }),
    labels: labelsAfter(task, set),
    blockedBy,
    ...(set.metadata !== undefined && { metadata: merged(task.metadata, set.metadata) }),
  };
  const events = changed(task, wanted);
  for (const id of new Set(idsOf(set.addBlocks))) {
    const other = id === task.id ? task : slice.byId.get(id);
    if (!other) continue;
    const known = id === task.id ? blockedBy : other.blockedBy;
    events.push(...changed(other, { blockedBy: [...new Set([...known, task.id])] }));
  }

  const blockers = new Map(slice.blockers);
  const parents = new Map(slice.parents);
  for (const event of events) {
    if (event.set.blockedBy) blockers.set(event.task, event.set.blockedBy);
    if (event.set.parent) parents.set(event.task, [event.set.parent]);
  }
  const touched = events.map((event) => event.task);
  const cycle = findCycle(blockers, touched);
  if (cycle) return refuse(cycleOf(cycle, "blockers"));
  const loop = findCycle(parents, touched);
  if (loop) return refuse(cycleOf(loop, "parents"));
  return { ok: true, events, about: [task.id] };
}

/**
 * True if another sender changed the text to something else. Two senders that write the same text
 * do not conflict.
 */
function clashOf(
  task: Task,
  { set, base = {} }: TaskOp & { op: "edit" },
): "subject" | "description" | undefined {
  return (["subject", "description"] as const).find((field) => {
    const now = task[field] ?? null;
    if (set[field] === undefined || base[field] === undefined) return false;
    return now !== base[field] && now !== set[field];
  });
}

function labelsAfter(task: Task, set: (TaskOp & { op: "edit" })["set"]): readonly string[] {
  const removed = new Set(set.removeLabels);
  const all = [...(set.labels ?? task.labels), ...(set.addLabels ?? [])];
  return [...new Set(all)].filter((label) => !removed.has(label));
}

function merged(before: Metadata, patch: Metadata): Metadata {
  const kept = Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(kept);
}

/** One event with the fields that really change, or none. */
function changed(task: Task, wanted: TaskFields): EventDraft[] {
  const set = Object.fromEntries(
    Object.entries(wanted).filter(
      ([field, value]) => !same(task[field as keyof Task] ?? null, value),
    ),
  );
  return Object.keys(set).length === 0 ? [] : [{ type: "edited", task: task.id, set }];
}
