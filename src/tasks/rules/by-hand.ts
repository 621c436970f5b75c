import type { Held, Priority, Task, TaskEdit } from "../model.ts";
import type { PersonTaskOp } from "../wire.ts";

/** What a person who finishes a task that nobody held is called. */
const PERSON = "user";

/**
 * As the holder would, with the claim that the person saw: a newer one is not touched. Of what
 * nobody holds the rules say what can be done to it.
 */
function asHolder({ id, status, owner, epoch }: Task): {
  readonly owner: string;
  readonly held: readonly Held[];
} {
  return status === "claimed" && owner !== undefined
    ? { owner, held: [{ id, epoch }] }
    : { owner: PERSON, held: [{ id }] };
}

/** The ops of a person who looks at a task and wants something of it. */
export const byHand = {
  finish: (task: Task, evidence = ""): PersonTaskOp => ({
    op: "finish",
    ...asHolder(task),
    ...(evidence !== "" && { evidence: [evidence] }),
  }),
  release: (task: Task): PersonTaskOp => ({ op: "release", ...asHolder(task) }),
  renew: (task: Task): PersonTaskOp => ({ op: "renew", ...asHolder(task) }),
  cancel: ({ id }: Task, reason = ""): PersonTaskOp => ({
    op: "cancel",
    id,
    ...(reason !== "" && { reason }),
  }),
  reopen: ({ id }: Task): PersonTaskOp => ({ op: "reopen", id }),
  handOver: ({ id, status, owner: holder, epoch }: Task, owner: string): PersonTaskOp => ({
    op: "assign",
    id,
    owner,
    ...(status === "claimed" && holder !== undefined && { from: { owner: holder, epoch } }),
  }),
  waitFor: ({ id }: Task, blocker: string): PersonTaskOp => ({
    op: "edit",
    id,
    set: { addBlockedBy: [blocker] },
  }),
  rename: ({ id, subject: before }: Task, subject: string): PersonTaskOp => ({
    op: "edit",
    id,
    set: { subject },
    base: { subject: before },
  }),
  describe: ({ id, description: before }: Task, description: string): PersonTaskOp => ({
    op: "edit",
    id,
    set: { description: description.trim() === "" ? null : description },
    base: { description: before ?? null },
  }),
  setPriority: ({ id }: Task, priority: Priority): PersonTaskOp => ({
    op: "edit",
    id,
    set: { priority },
  }),
};

/** What is said to them when it is done; `task` is what the op left. */
export function doneByHand(op: PersonTaskOp, { id, evidence }: Task): string {
  switch (op.op) {
    case "add":
      return `Added ${id}.`;
    case "edit":
      return edited(id, op.set);
    case "finish":
      return `${id} is done${evidence.length > 0 ? "" : ", without evidence"}.`;
    case "cancel":
      return `Dropped ${id}.`;
    case "reopen":
      return `${id} is open again.`;
    case "release":
      return `${id} is free. ${op.owner} is refused when it writes to it.`;
    case "renew":
      return `${op.owner} keeps ${id} for another while.`;
    case "assign":
      return `${op.owner} has ${id} now.`;
  }
}

function edited(id: string, { priority, addBlockedBy, removeBlockedBy }: TaskEdit): string {
  if (removeBlockedBy) return `${id} no longer waits for ${removeBlockedBy.join(", ")}.`;
  if (addBlockedBy) return `${id} waits for ${addBlockedBy.join(", ")} now.`;
  return priority === undefined ? `Changed ${id}.` : `${id} has priority ${priority} now.`;
}
