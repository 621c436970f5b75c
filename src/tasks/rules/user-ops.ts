import type { ClaimRef, Priority, Task, TaskEdit } from "../model.ts";
import type { UserTaskOp } from "../wire.ts";

/** Owner of a task that a user finishes without a claim. */
export const USER = "user";

/**
 * Acts as the owner, with the claim that the user saw: a newer claim is refused. Tasks without an
 * owner are left to the rules.
 */
function asOwner({ id, status, owner, epoch }: Task): {
  readonly owner: string;
  readonly held: readonly ClaimRef[];
} {
  return status === "claimed" && owner !== undefined
    ? { owner, held: [{ id, epoch }] }
    : { owner: USER, held: [{ id }] };
}

/** The objection to finishing a task, e.g. `t4 is not claimed`; undefined without one. */
export function finishObjection(
  { id, status }: Task,
  waitsFor: readonly string[],
): string | undefined {
  if (waitsFor.length > 0) return `${id} is blocked by ${waitsFor.join(", ")}`;
  return status === "claimed" ? undefined : `${id} is not claimed`;
}

/** The ops of a user on a board or page. */
export const userOps = {
  /** Show `finishObjection` to the user before. A check is never skipped this way. */
  finish: (task: Task, evidence = "", waitsFor: readonly string[] = []): UserTaskOp => ({
    op: "finish",
    ...asOwner(task),
    ...(evidence !== "" && { evidence: [evidence] }),
    ...(task.check === undefined &&
      finishObjection(task, waitsFor) !== undefined && { force: true }),
  }),
  release: (task: Task): UserTaskOp => ({ op: "release", ...asOwner(task) }),
  renew: (task: Task): UserTaskOp => ({ op: "renew", ...asOwner(task) }),
  cancel: ({ id }: Task, reason = ""): UserTaskOp => ({
    op: "cancel",
    id,
    ...(reason !== "" && { reason }),
  }),
  reopen: ({ id }: Task): UserTaskOp => ({ op: "reopen", id }),
  handOver: ({ id, status, owner: holder, epoch }: Task, owner: string): UserTaskOp => ({
    op: "assign",
    id,
    owner,
    ...(status === "claimed" && holder !== undefined && { from: { owner: holder, epoch } }),
  }),
  waitFor: ({ id }: Task, blocker: string): UserTaskOp => ({
    op: "edit",
    id,
    set: { addBlockedBy: [blocker] },
  }),
  rename: ({ id, subject: before }: Task, subject: string): UserTaskOp => ({
    op: "edit",
    id,
    set: { subject },
    base: { subject: before },
  }),
  describe: ({ id, description: before }: Task, description: string): UserTaskOp => ({
    op: "edit",
    id,
    set: { description: description.trim() === "" ? null : description },
    base: { description: before ?? null },
  }),
  setPriority: ({ id }: Task, priority: Priority): UserTaskOp => ({
    op: "edit",
    id,
    set: { priority },
  }),
};

/** The message after a successful op; `task` is the task after it. */
export function userOpResult(op: UserTaskOp, { id, evidence }: Task): string {
  switch (op.op) {
    case "add":
      return `Added ${id}.`;
    case "edit":
      return edited(id, op.set);
    case "finish": {
      const forced = forcedFacts(evidence);
      const against = forced.map((fact) => `, although ${fact}`).join("");
      return `Finished ${id}${evidence.length > forced.length ? "" : " without evidence"}${against}.`;
    }
    case "cancel":
      return `Cancelled ${id}.`;
    case "reopen":
      return `Reopened ${id}.`;
    case "release":
      return `Released ${id}. ${op.owner} can no longer update it.`;
    case "renew":
      return `Extended the lease of ${op.owner} on ${id}.`;
    case "assign":
      return `Assigned ${id} to ${op.owner}.`;
  }
}

function edited(id: string, { priority, addBlockedBy, removeBlockedBy }: TaskEdit): string {
  if (removeBlockedBy) return `${id} is no longer blocked by ${removeBlockedBy.join(", ")}.`;
  if (addBlockedBy) return `${id} is now blocked by ${addBlockedBy.join(", ")}.`;
  return priority === undefined ? `Updated ${id}.` : `Set the priority of ${id} to ${priority}.`;
}

/** Evidence that a finish was forced, so that it is in the history and on the task. */
const FORCED = "Forced: ";

/** The evidence of a finish that was forced against these facts, e.g. `it was not claimed`. */
export function forcedEvidence(facts: readonly string[]): readonly string[] {
  return facts.map((fact) => `${FORCED}${fact}`);
}

/** The facts that a finish was forced against. */
export function forcedFacts(evidence: readonly string[]): readonly string[] {
  return evidence
    .filter((each) => each.startsWith(FORCED))
    .map((each) => each.slice(FORCED.length));
}
