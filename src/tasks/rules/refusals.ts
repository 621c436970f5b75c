import {
  joinText,
  line,
  type ModelText,
  modelText,
  NO_TEXT,
  quote,
} from "../../core/text/model-text.ts";
import { type Task, type TaskEvent, type TaskRefusal, taskNumber } from "../model.ts";
import { standing } from "./standing.ts";

/** Who holds a task now; nobody when it is free. */
function holderOf(task: Task, now: number): string | null {
  const stands = standing(task, now);
  return stands.status === "open" ? null : (stands.owner ?? null);
}

const MAX_NAME = 60;

/** A task as it was named: most names are ids. */
function named(name: string, max = MAX_NAME): ModelText {
  return taskNumber(name) === undefined ? quote(name, max) : line(name);
}

const MAX_CHAIN = 8;

/** The first of several tasks, as they were named. */
function severalOf(
  names: readonly string[],
  separator: ", " | " waits for " | " is part of ",
): ModelText {
  const first = names.slice(0, MAX_CHAIN).map((name) => named(name, 24));
  return joinText([...first, ...(names.length > MAX_CHAIN ? [modelText`\u2026`] : [])], separator);
}

/** With the command that a person would type. */
function withHint(short: ModelText, hint: ModelText): Pick<TaskRefusal, "message" | "short"> {
  return { message: modelText`${short} ${hint}`, short };
}

export function notFound(name: string): TaskRefusal {
  const short = modelText`There is no task ${named(name)}.`;
  const hint = modelText`waymark task list shows which there are.`;
  return { code: "not_found", id: name, ...withHint(short, hint) };
}

export function noneReady(label?: string): TaskRefusal {
  const which =
    label === undefined ? NO_TEXT : modelText` with the label ${quote(label, MAX_NAME)}`;
  return {
    code: "none_ready",
    message: modelText`No task${which} is ready: all are closed, held, or blocked by another.`,
  };
}

export function held(task: Task): TaskRefusal {
  const { id, owner = "", leaseUntil } = task;
  const until =
    leaseUntil === undefined
      ? NO_TEXT
      : modelText` until ${line(new Date(leaseUntil).toISOString())}`;
  return {
    code: "held",
    id,
    holder: owner,
    ...(leaseUntil !== undefined && { leaseUntil }),
    message: modelText`${line(id)} is held by ${quote(owner, MAX_NAME)}${until} unless it is renewed. Claim another one.`,
  };
}

export function staleEpoch(task: Task, epoch: number, owner: string, now: number): TaskRefusal {
  const { id } = task;
  const holder = holderOf(task, now);
  const other = task.epoch === epoch && task.owner !== undefined && task.owner !== owner;
  const past = task.epoch < epoch ? "was never given" : "is over";
  const what = other
    ? modelText`Epoch ${epoch} of ${line(id)} was given to ${quote(task.owner ?? "", MAX_NAME)}, not to ${quote(owner, MAX_NAME)}`
    : modelText`Epoch ${epoch} of ${line(id)} ${past}`;
  const whose = holder === null ? modelText`nobody` : quote(holder, MAX_NAME);
  const then =
    task.status === "claimed"
      ? modelText`; ${whose} holds it now, with epoch ${task.epoch}`
      : modelText`; it is ${task.status} now`;
  return {
    code: "stale_epoch",
    id,
    holder,
    message: modelText`${what}${then}. Nothing was written; claim it again if it is still yours to do.`,
  };
}

export function closed(task: Task): TaskRefusal {
  const id = line(task.id);
  const why = task.reason === undefined ? NO_TEXT : modelText` (${quote(task.reason)})`;
  const short = modelText`${id} is ${task.status}${why}.`;
  const hint = modelText`To work on it again: waymark task reopen ${id}.`;
  return { code: "closed", id: task.id, holder: task.owner ?? null, ...withHint(short, hint) };
}

export function notClosed(task: Task): TaskRefusal {
  return {
    code: "not_closed",
    id: task.id,
    message: modelText`${line(task.id)} is ${task.status}; only what is done, failed or cancelled can be reopened.`,
  };
}

export function conflict({ id }: Task, field: "subject" | "description"): TaskRefusal {
  return {
    code: "conflict",
    id,
    message: modelText`Somebody else changed the ${field} of ${line(id)} in the meantime; yours was not written over it.`,
  };
}

type Act = "renewed" | "released" | "finished" | "failed" | "handed over";

export function notHeld(task: Task, what: Act): TaskRefusal {
  const id = line(task.id);
  const first = modelText`Nobody holds ${id}, so it cannot be ${what}. Claim it first`;
  return {
    code: "stale_epoch",
    id: task.id,
    holder: null,
    message: modelText`${first}: waymark task claim ${id} --as OWNER.`,
    short: modelText`${first}.`,
  };
}

export function blockedBy(task: Task, blockers: readonly string[]): TaskRefusal {
  return {
    code: "blocked",
    id: task.id,
    blockers,
    message: modelText`${line(task.id)} waits for ${severalOf(blockers, ", ")}, not done yet.`,
  };
}

export function cycleOf(cycle: readonly string[], kind: "blockers" | "parents"): TaskRefusal {
  const chain = severalOf(cycle, kind === "blockers" ? " waits for " : " is part of ");
  return {
    code: "cycle",
    cycle,
    message: modelText`That would be a cycle: ${chain}. Nothing was changed.`,
  };
}

/** The problem names fields and numbers only. */
export function invalid(problem: string): TaskRefusal {
  return { code: "invalid_input", message: modelText`${line(problem)} Nothing was changed.` };
}

export function keyUsed(key: string, first: TaskEvent | undefined): TaskRefusal {
  const what = first ? modelText`have ${line(first.task)} ${first.type}` : "do something else";
  return {
    code: "key_used",
    message: modelText`The key ${quote(key, MAX_NAME)} was used to ${what}. Give each change a key of its own.`,
  };
}
