import {
  type ClaimRef,
  DEFAULT_LEASE,
  type Task,
  type TaskFields,
  type TaskOp,
  type TaskProof,
  type TaskRefusal,
  type TaskSender,
} from "../model.ts";
import { decideAdd } from "./decide-add.ts";
import { decideEdit } from "./decide-edit.ts";
import { type EventDraft, refuse, type TaskDecision } from "./decision.ts";
import { canonical, type Slice } from "./needs.ts";
import { isDelayed } from "./queue/state.ts";
import {
  alreadyClaimed,
  blockedBy,
  closed,
  delayed,
  notClaimed,
  notClosed,
  notFound,
  queuePaused,
  staleEpoch,
  unproven,
} from "./refusals.ts";
import { isClosed, taskAt } from "./task-at.ts";
import { forcedEvidence } from "./user-ops.ts";

/** Every op except a claim without an id: only the store can choose a ready task. */
export type NamedOp = Exclude<TaskOp, { op: "claim" }> | (TaskOp & { op: "claim"; id: string });

/** Decides what an op changes in the tasks that it names, or why it is refused. */
export function decideTask(op: NamedOp, sender: TaskSender, slice: Slice): TaskDecision {
  switch (op.op) {
    case "add":
      return decideAdd(op.tasks, sender, slice);
    case "edit":
      return decideEdit(op, sender, slice);
    case "claim":
      return decideClaim(op, slice);
    case "assign":
      return decideAssign(op, slice);
    case "cancel":
    case "reopen":
      return decideClosing(op, slice);
    case "renew":
    case "release":
    case "finish":
    case "fail":
      return decideOwner(op, sender, slice);
  }
}

/** The fields that a claim sets. The SQL statements of the databases do the same. */
export function claimFields(
  task: Pick<Task, "epoch" | "attempts">,
  owner: string,
  lease: number,
  now: number,
): TaskFields {
  return {
    status: "claimed",
    owner,
    epoch: task.epoch + 1,
    lease,
    leaseUntil: now + lease,
    attempts: task.attempts + 1,
    claimedAt: now,
  };
}

export function openBlockers(task: Task, byId: ReadonlyMap<string, Task>): string[] {
  return task.blockedBy.filter((id) => byId.get(id)?.status !== "done");
}

function decideClaim(op: NamedOp & { op: "claim" }, slice: Slice): TaskDecision {
  const id = canonical(op.id);
  const task = slice.byId.get(id);
  if (!task) return refuse(notFound(op.id));
  const stands = taskAt(task, slice.now);
  if (stands.status === "claimed") return refuse(alreadyClaimed(task, op.owner));
  if (isClosed(stands)) return refuse(closed(stands));
  const waits = openBlockers(task, slice.byId);
  if (waits.length > 0) return refuse(blockedBy(task, waits));
  if (slice.queue.paused) return refuse(queuePaused(slice.queue.paused));
  if (isDelayed(task, slice.now)) return refuse(delayed(task));
  const set = claimFields(task, op.owner, op.lease ?? DEFAULT_LEASE, slice.now);
  return { ok: true, events: [{ type: "claimed", task: id, set }], about: [id] };
}

function decideAssign(op: NamedOp & { op: "assign" }, slice: Slice): TaskDecision {
  const id = canonical(op.id);
  const task = slice.byId.get(id);
  if (!task) return refuse(notFound(op.id));
  const { now } = slice;
  const { from } = op;
  if (from && (task.epoch !== from.epoch || task.owner !== from.owner))
    return refuse(staleEpoch(task, from.epoch, from.owner, now));
  const stands = taskAt(task, now);
  if (isClosed(stands)) return refuse(closed(stands));
  if (from && task.status !== "claimed") return refuse(notClaimed(task, "handed over"));
  const waits = openBlockers(task, slice.byId);
  if (waits.length > 0) return refuse(blockedBy(task, waits));
  const fields = claimFields(task, op.owner, op.lease ?? task.lease ?? DEFAULT_LEASE, now);
  // Assigning the task to another owner continues the same attempt.
  const attempts = stands.status === "claimed" ? task.attempts : fields.attempts;
  return {
    ok: true,
    events: [{ type: "assigned", task: id, set: { ...fields, attempts: attempts ?? 1 } }],
    about: [id],
  };
}

const FREED: TaskFields = { owner: null, lease: null, leaseUntil: null, claimedAt: null };

function freed(task: Task): TaskFields {
  return Object.fromEntries(
    Object.entries(FREED).filter(([field]) => task[field as keyof Task] !== undefined),
  );
}

function decideClosing(op: NamedOp & { op: "cancel" | "reopen" }, slice: Slice): TaskDecision {
  const id = canonical(op.id);
  const task = slice.byId.get(id);
  if (!task) return refuse(notFound(op.id));
  const stands = taskAt(task, slice.now);
  if (op.op === "cancel") {
    if (stands.status === "cancelled") return { ok: true, events: [], about: [id] };
    if (stands.status === "done") return refuse(closed(stands));
    const set: TaskFields = {
      status: "cancelled",
      finishedAt: slice.now,
      ...(task.leaseUntil !== undefined && { leaseUntil: null }),
      ...(op.reason !== undefined
        ? { reason: op.reason }
        : task.reason !== undefined && { reason: null }),
    };
    return { ok: true, events: [{ type: "cancelled", task: id, set }], about: [id] };
  }
  if (!isClosed(stands)) return refuse(notClosed(stands));
  const set: TaskFields = {
    ...freed(task),
    status: "open",
    attempts: 0,
    ...(task.notBefore !== undefined && { notBefore: null }),
    ...(task.evidence.length > 0 && { evidence: [] }),
    ...(task.proof !== undefined && { proof: null }),
    ...(task.finishedAt !== undefined && { finishedAt: null }),
    ...(task.reason !== undefined && { reason: null }),
  };
  return { ok: true, events: [{ type: "reopened", task: id, set }], about: [id] };
}

type OwnerOp = TaskOp & { op: "renew" | "release" | "finish" | "fail" };

function decideOwner(op: OwnerOp, sender: TaskSender, slice: Slice): TaskDecision {
  const events: EventDraft[] = [];
  const about = op.held.map(({ id }) => canonical(id));
  for (const each of op.held) {
    const task = slice.byId.get(canonical(each.id));
    if (!task) return refuse(notFound(each.id));
    const refused = mayWrite(op, each, task, sender, slice.now);
    if (refused === "done before") continue;
    if (refused) return refuse(refused);
    if (op.op !== "finish") {
      events.push(ownerEvent(op, task, slice.now));
      continue;
    }
    const waits = openBlockers(task, slice.byId).filter((id) => !about.includes(id));
    if (waits.length > 0 && !isForced(op, sender)) return refuse(blockedBy(task, waits));
    const proof = proofOf(op, task, sender, slice.now);
    if (proof === "unproven") return refuse(unproven(task));
    const isFree = each.epoch === undefined;
    const overridden = forcedEvidence([
      ...(isFree && sender.by === "user" ? ["it was not claimed"] : []),
      ...(waits.length > 0 ? [`it was blocked by ${waits.slice(0, 8).join(", ")}`] : []),
    ]);
    events.push(finished(op, task, slice.now, { proof, overridden, isFree }));
  }
  return { ok: true, events, about };
}

const WORDS = {
  renew: "renewed",
  release: "released",
  finish: "finished",
  fail: "failed",
} as const;

/** Users decide; our own code closes a task whose todo or file was completed elsewhere. */
function isForced(op: OwnerOp, { by }: TaskSender): boolean {
  return op.op === "finish" && op.force === true && by !== "agent";
}

/**
 * Only the epoch counts: an owner whose lease expired may still write, unless the task was claimed
 * again or has failed.
 */
function mayWrite(
  op: OwnerOp,
  { epoch }: ClaimRef,
  task: Task,
  sender: TaskSender,
  now: number,
): TaskRefusal | "done before" | undefined {
  const stands = taskAt(task, now);
  if (epoch === undefined) {
    if (stands.status === "claimed") return alreadyClaimed(task, op.owner);
    if (isClosed(stands)) return closed(stands);
    return isForced(op, sender) ? undefined : notClaimed(task, WORDS[op.op]);
  }
  if (task.epoch !== epoch || task.owner !== op.owner)
    return staleEpoch(task, epoch, op.owner, now);
  // The same write again: its first answer was lost.
  if (op.op === "finish" && task.status === "done") return "done before";
  return isClosed(stands) ? closed(stands) : undefined;
}

/** The proof that closes a task with a check; undefined for a task without one. */
function proofOf(
  op: TaskOp & { op: "finish" },
  { check }: Task,
  { by }: TaskSender,
  now: number,
): TaskProof | "unproven" | undefined {
  if (check === undefined) return undefined;
  const proof = op.proofs?.findLast((each) => each.check === check);
  if (proof) return proof;
  return op.force && by === "user" ? { check, forced: true, at: now } : "unproven";
}

/** The proof among the other evidence, for readers that know only texts. */
function evidenceOf(proof: TaskProof): string {
  const { check } = proof;
  if ("forced" in proof) return `Finished by the user without its check ${check}`;
  const where = proof.tree === "" ? "outside git" : `on tree ${proof.tree.slice(0, 12)}`;
  return `Check ${check} passed ${where} (${proof.machine})`;
}

interface Finish {
  readonly proof: TaskProof | undefined;
  /** The rules that the finish was forced against. */
  readonly overridden: readonly string[];
  /** No owner finished it. */
  readonly isFree: boolean;
}

function finished(
  op: TaskOp & { op: "finish" },
  task: Task,
  now: number,
  { proof, overridden, isFree }: Finish,
): EventDraft {
  const own = [...overridden, ...(proof ? [evidenceOf(proof)] : [])];
  const set: TaskFields = {
    status: "done",
    ...(!isFree && { owner: op.owner }),
    finishedAt: now,
    ...(task.leaseUntil !== undefined && { leaseUntil: null }),
    ...(own.length > 0
      ? { evidence: [...own, ...(op.evidence ?? [])] }
      : op.evidence !== undefined && { evidence: op.evidence }),
    ...(proof && { proof }),
    ...(task.reason !== undefined && { reason: null }),
  };
  return { type: "done", task: task.id, set };
}

function ownerEvent(op: Exclude<OwnerOp, { op: "finish" }>, task: Task, now: number): EventDraft {
  const { id } = task;
  switch (op.op) {
    case "renew": {
      const lease = op.lease ?? task.lease ?? DEFAULT_LEASE;
      return { type: "renewed", task: id, set: { lease, leaseUntil: now + lease } };
    }
    case "release": {
      const set: TaskFields = {
        ...freed(task),
        status: "open",
        attempts: Math.max(0, task.attempts - 1),
        ...(op.reason !== undefined && { reason: op.reason }),
      };
      return { type: "released", task: id, set };
    }
    case "fail": {
      if (task.attempts < task.maxAttempts) {
        const set: TaskFields = {
          ...freed(task),
          status: "open",
          reason: op.reason,
          ...(op.retryIn !== undefined && op.retryIn > 0 && { notBefore: now + op.retryIn }),
        };
        return { type: "retried", task: id, set };
      }
      const set: TaskFields = {
        status: "failed",
        reason: op.reason,
        finishedAt: now,
        ...(task.leaseUntil !== undefined && { leaseUntil: null }),
      };
      return { type: "failed", task: id, set };
    }
  }
}
