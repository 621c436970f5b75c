import {
  joinText,
  line,
  type ModelText,
  modelText,
  NO_TEXT,
  quote,
} from "../../core/text/model-text.ts";
import {
  type QueuePause,
  type Task,
  type TaskEvent,
  type TaskRefusal,
  taskNumber,
} from "../model.ts";
import { taskAt } from "./task-at.ts";

/** The current owner; null if the task is open. */
function ownerAt(task: Task, now: number): string | null {
  const current = taskAt(task, now);
  return current.status === "open" ? null : (current.owner ?? null);
}

const MAX_NAME = 60;

/** Ids as they are; other names are external text. */
function named(name: string, max = MAX_NAME): ModelText {
  return taskNumber(name) === undefined ? quote(name, max) : line(name);
}

const MAX_CHAIN = 8;

function severalOf(names: readonly string[], separator: ", " | " -> "): ModelText {
  const first = names.slice(0, MAX_CHAIN).map((name) => named(name, 24));
  return joinText([...first, ...(names.length > MAX_CHAIN ? [modelText`\u2026`] : [])], separator);
}

/** The message with a command for users; `short` without it. */
function withHint(short: ModelText, hint: ModelText): Pick<TaskRefusal, "message" | "short"> {
  return { message: modelText`${short} ${hint}`, short };
}

export function notFound(name: string): TaskRefusal {
  const short = modelText`No task has the id ${named(name)}.`;
  return { code: "not_found", id: name, ...withHint(short, modelText`See: waymark task list.`) };
}

export function noneReady(label?: string): TaskRefusal {
  const which =
    label === undefined ? NO_TEXT : modelText` with the label ${quote(label, MAX_NAME)}`;
  return {
    code: "none_ready",
    message: modelText`No task${which} is ready: all are closed, claimed, blocked or delayed.`,
  };
}

export function queuePaused({ at, by, reason }: QueuePause): TaskRefusal {
  const why = reason === undefined ? NO_TEXT : modelText` (${quote(reason)})`;
  const since = line(new Date(at).toISOString());
  const short = modelText`The queue has been paused by ${quote(by, MAX_NAME)} since ${since}${why}. Claimed tasks continue; nothing new can be claimed.`;
  return { code: "paused", ...withHint(short, modelText`To resume it: waymark task resume.`) };
}

export function delayed({ id, notBefore = 0 }: Task): TaskRefusal {
  const at = line(new Date(notBefore).toISOString());
  const short = modelText`${line(id)} cannot be claimed before ${at}.`;
  const hint = modelText`To make it ready now: waymark task edit ${line(id)} --not-before now.`;
  return { code: "delayed", id, notBefore, ...withHint(short, hint) };
}

/** `sender` is the owner in whose name the op was sent. */
export function alreadyClaimed(task: Task, sender: string): TaskRefusal {
  const { id, owner = "", epoch, leaseUntil } = task;
  const until =
    leaseUntil === undefined
      ? NO_TEXT
      : modelText` until ${line(new Date(leaseUntil).toISOString())}`;
  const own = modelText`You already own ${line(id)}${until}, with epoch ${epoch}.`;
  const other = modelText`${line(id)} is claimed by ${quote(owner, MAX_NAME)}${until}. Claim a different task.`;
  return {
    code: "held",
    id,
    holder: owner,
    epoch,
    ...(leaseUntil !== undefined && { leaseUntil }),
    message: owner === sender ? own : other,
  };
}

/** Does not suggest to claim the task again: that would take it from its new owner. */
export function staleEpoch(task: Task, epoch: number, owner: string, now: number): TaskRefusal {
  const { id } = task;
  const holder = ownerAt(task, now);
  const isOther = task.epoch === epoch && task.owner !== undefined && task.owner !== owner;
  const past = task.epoch < epoch ? "does not exist" : "expired";
  const what = isOther
    ? modelText`Epoch ${epoch} of ${line(id)} belongs to ${quote(task.owner ?? "", MAX_NAME)}, not to ${quote(owner, MAX_NAME)}`
    : modelText`Epoch ${epoch} of ${line(id)} ${past}`;
  const whose = holder === null ? modelText`nobody` : quote(holder, MAX_NAME);
  const current =
    task.status === "claimed"
      ? modelText`; ${whose} owns it now, with epoch ${task.epoch}`
      : modelText`; it is ${task.status} now`;
  return {
    code: "stale_epoch",
    id,
    holder,
    message: modelText`${what}${current}. Nothing was changed.`,
  };
}

export function closed(task: Task): TaskRefusal {
  const id = line(task.id);
  const why = task.reason === undefined ? NO_TEXT : modelText` (${quote(task.reason)})`;
  const short = modelText`${id} is already ${task.status}${why}.`;
  const hint = modelText`To work on it again: waymark task reopen ${id}.`;
  return { code: "closed", id: task.id, holder: task.owner ?? null, ...withHint(short, hint) };
}

export function notClosed(task: Task): TaskRefusal {
  return {
    code: "not_closed",
    id: task.id,
    message: modelText`${line(task.id)} is ${task.status}; only done, failed and cancelled tasks can be reopened.`,
  };
}

export function conflict({ id }: Task, field: "subject" | "description"): TaskRefusal {
  return {
    code: "conflict",
    id,
    message: modelText`The ${field} of ${line(id)} has changed since you read it, so your version was not written.`,
  };
}

type Act = "renewed" | "released" | "finished" | "failed" | "handed over";

export function notClaimed(task: Task, what: Act): TaskRefusal {
  const id = line(task.id);
  const first = modelText`${id} is not claimed, so it can't be ${what}. Claim it first`;
  return {
    code: "stale_epoch",
    id: task.id,
    holder: null,
    message: modelText`${first}: waymark task claim ${id} --as OWNER.`,
    short: modelText`${first}.`,
  };
}

export function unproven(task: Task): TaskRefusal {
  const id = line(task.id);
  const check = quote(task.check ?? "", MAX_NAME);
  const short = modelText`${id} can only be finished after its check ${check} has passed on the present files.`;
  const hint = modelText`Run: waymark verify --task ${id}.`;
  return { code: "unproven", id: task.id, check: task.check ?? "", ...withHint(short, hint) };
}

export function checkFixed(task: Task): TaskRefusal {
  const check = quote(task.check ?? "", MAX_NAME);
  return {
    code: "check_fixed",
    id: task.id,
    check: task.check ?? "",
    message: modelText`${line(task.id)} has to pass the check ${check}; only the user can change that.`,
  };
}

export function blockedBy(task: Task, blockers: readonly string[]): TaskRefusal {
  return {
    code: "blocked",
    id: task.id,
    blockers,
    message: modelText`${line(task.id)} is blocked by ${severalOf(blockers, ", ")}, not done yet.`,
  };
}

export function cycleOf(cycle: readonly string[], kind: "blockers" | "parents"): TaskRefusal {
  const what = kind === "blockers" ? "dependency" : "parent";
  return {
    code: "cycle",
    cycle,
    message: modelText`This would create a ${what} cycle: ${severalOf(cycle, " -> ")}. Nothing was changed.`,
  };
}

/** The problem names fields and numbers only. */
export function invalid(problem: string): TaskRefusal {
  return { code: "invalid_input", message: modelText`${line(problem)} Nothing was changed.` };
}

export function keyUsed(key: string, first: TaskEvent | undefined): TaskRefusal {
  const what = first ? modelText` (${line(first.task)} ${first.type})` : NO_TEXT;
  return {
    code: "key_used",
    message: modelText`The key ${quote(key, MAX_NAME)} was already used for another change${what}. Use a new key for each change.`,
  };
}
