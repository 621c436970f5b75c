import type { Task, TaskRefusal } from "../model.ts";
import { standing } from "./standing.ts";

/** Who holds a task now; nobody when it is free. */
function holderOf(task: Task, now: number): string | null {
  const stands = standing(task, now);
  return stands.status === "open" ? null : (stands.owner ?? null);
}

export function notFound(name: string): TaskRefusal {
  return {
    code: "not_found",
    id: name,
    message: `There is no task ${name}. waymark task list shows which there are.`,
  };
}

export function noneReady(label?: string): TaskRefusal {
  const which = label === undefined ? "" : ` with the label ${label}`;
  return {
    code: "none_ready",
    message: `No task${which} is ready: all are closed, held, or blocked by another.`,
  };
}

export function held(task: Task): TaskRefusal {
  const { id, owner = "", leaseUntil } = task;
  const until = leaseUntil === undefined ? "" : ` until ${new Date(leaseUntil).toISOString()}`;
  return {
    code: "held",
    id,
    holder: owner,
    ...(leaseUntil !== undefined && { leaseUntil }),
    message: `${id} is held by ${owner}${until} unless it is renewed. Claim another one.`,
  };
}

export function staleEpoch(task: Task, epoch: number, owner: string, now: number): TaskRefusal {
  const { id } = task;
  const holder = holderOf(task, now);
  const other = task.epoch === epoch && task.owner !== undefined && task.owner !== owner;
  const past = task.epoch < epoch ? "was never given" : "is over";
  const what = other
    ? `Epoch ${epoch} of ${id} was given to ${task.owner}, not to ${owner}`
    : `Epoch ${epoch} of ${id} ${past}`;
  const then =
    task.status === "claimed"
      ? `; ${holder ?? "nobody"} holds it now, with epoch ${task.epoch}`
      : `; it is ${task.status} now`;
  return {
    code: "stale_epoch",
    id,
    holder,
    message: `${what}${then}. Nothing was written; claim it again if it is still yours to do.`,
  };
}

export function closed(task: Task): TaskRefusal {
  const why = task.reason === undefined ? "" : ` (${task.reason})`;
  return {
    code: "closed",
    id: task.id,
    holder: task.owner ?? null,
    message: `${task.id} is ${task.status}${why}. To work on it again: waymark task reopen ${task.id}.`,
  };
}

export function notClosed(task: Task): TaskRefusal {
  return {
    code: "not_closed",
    id: task.id,
    message: `${task.id} is ${task.status}; only what is done, failed or cancelled can be reopened.`,
  };
}

export function conflict({ id }: Task, field: string): TaskRefusal {
  return {
    code: "conflict",
    id,
    message: `Somebody else changed the ${field} of ${id} in the meantime; yours was not written over it.`,
  };
}

export function notHeld(task: Task, what: string): TaskRefusal {
  return {
    code: "stale_epoch",
    id: task.id,
    holder: null,
    message: `Nobody holds ${task.id}, so it cannot be ${what}. Claim it first: waymark task claim ${task.id} --as OWNER.`,
  };
}

export function blockedBy(task: Task, blockers: readonly string[]): TaskRefusal {
  return {
    code: "blocked",
    id: task.id,
    blockers,
    message: `${task.id} waits for ${blockers.join(", ")}, not done yet.`,
  };
}

export function cycleOf(cycle: readonly string[], kind: "blockers" | "parents"): TaskRefusal {
  const chain = cycle.join(kind === "blockers" ? " waits for " : " is part of ");
  return {
    code: "cycle",
    cycle,
    message: `That would be a cycle: ${chain}. Nothing was changed.`,
  };
}

export function invalid(problem: string): TaskRefusal {
  return { code: "invalid_input", message: `${problem} Nothing was changed.` };
}

export function keyUsed(key: string, what: string): TaskRefusal {
  return {
    code: "key_used",
    message: `The key "${key}" was used to ${what}. Give each change a key of its own.`,
  };
}
