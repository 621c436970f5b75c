import { formatTime } from "../../core/text/clock.ts";
import {
  joinText,
  line,
  type ModelText,
  modelText,
  NO_TEXT,
  quote,
} from "../../core/text/model-text.ts";
import { type Task, type TaskOp, type TaskRefusal, taskNumber } from "../../tasks/model.ts";
import type { TaskStore } from "../../tasks/store.ts";
import { quoteIn, quoteLines } from "./text.ts";

/** The calls that a refusal may suggest, in the terms of the tool that was called. */
export interface TaskHints {
  readonly list: ModelText;
  readonly claimNext: ModelText;
  readonly claim: (id: ModelText) => ModelText;
}

export const TASKS_HINTS: TaskHints = {
  list: modelText`Call tasks without arguments to see what is ready.`,
  claimNext: modelText`Claim a different task: {"claim":"next"}.`,
  claim: (id) => modelText`Claim it first: {"claim":"${id}"}.`,
};

export interface RefusalContext {
  /** The owner name of the agent that sent the op. */
  readonly owner: string;
  readonly op?: TaskOp;
  readonly store: TaskStore;
  readonly hints: TaskHints;
}

/** Why an op was refused, for the model that sent it: what is wrong, then what to do. */
export async function refusalText(
  refusal: TaskRefusal,
  { owner, op, store, hints }: RefusalContext,
): Promise<ModelText> {
  const { code, id = "", holder, message, short } = refusal;
  const name = line(id);
  switch (code) {
    case "not_found":
      return unknownTask(id, hints);
    case "none_ready":
      return noneReady(store);
    case "held": {
      if (holder === owner) return modelText`You already own ${name}. Continue with it.`;
      const until =
        refusal.leaseUntil === undefined
          ? undefined
          : formatTime(refusal.leaseUntil, await store.now(), undefined);
      const end = until === undefined ? NO_TEXT : modelText` until ${line(until)}`;
      return modelText`${name} is claimed by ${nameOf(holder)}${end}. ${hints.claimNext}`;
    }
    case "stale_epoch":
      return staleClaim(await store.get(id), refusal, op, owner, hints);
    case "blocked":
      return modelText`${name} is blocked by ${andList(refusal.blockers ?? [])}, not done yet. ${hints.claimNext}`;
    case "closed": {
      const task = await store.get(id);
      const why =
        task?.reason === undefined ? NO_TEXT : modelText`: ${quote(task.reason, MAX_WHY)}`;
      return modelText`${name} is already ${task?.status ?? "closed"}${why}.`;
    }
    case "cycle":
      return modelText`This would create a dependency cycle: ${chain(refusal.cycle ?? [])}.`;
    case "delayed": {
      const at = formatTime(refusal.notBefore ?? 0, await store.now(), undefined) ?? "later";
      return modelText`${name} cannot be claimed before ${line(at)}. ${hints.claimNext}`;
    }
    case "paused":
      return modelText`${short ?? message} Tell the user, or wait until it is resumed.`;
    case "key_used":
      return modelText`The idempotency key of this call was already used for another change. Use a new key for each call.`;
    case "unproven":
    case "check_fixed":
    case "not_closed":
    case "conflict":
    case "invalid_input":
      return short ?? message;
  }
}

/** The check of a task did not pass: the reason, and the last lines of its output. */
export function unprovenText(
  { id = "", check = "", short, message }: TaskRefusal,
  reason: string | undefined,
  lines: string,
): ModelText {
  if (reason === undefined) return short ?? message;
  const what = modelText`${line(id)} is not finished: its check ${quoteIn(check, MAX_NAME)} has not passed: ${quoteIn(reason, MAX_WHY)}`;
  return lines === "" ? what : modelText`${what}. Last lines: ${quoteLines(lines)}`;
}

export function unknownTask(id: string, { list }: TaskHints): ModelText {
  return modelText`No task has the id ${quote(id, MAX_NAME)}. ${list}`;
}

const MAX_NAME = 60;
const MAX_WHY = 160;

function nameOf(owner: string | null | undefined): ModelText {
  return owner == null ? modelText`no agent` : quote(owner, MAX_NAME);
}

const STOP = modelText`Stop working on it and tell the user what you changed.`;

/**
 * The op names a claim that is not the current one. The task may belong to another agent by now, so the model is not invited to
 * claim it again.
 */
function staleClaim(
  task: Task | undefined,
  { id = "", holder }: TaskRefusal,
  op: TaskOp | undefined,
  owner: string,
  hints: TaskHints,
): ModelText {
  const name = line(id);
  const sent = op && epochIn(op);
  if (op && op.op in DONE && sent === undefined)
    return modelText`${name} is not claimed, so it can't be ${DONE[op.op as keyof typeof DONE]}. ${hints.claim(name)}`;
  const epoch = sent ?? 0;
  if (task && (epoch > task.epoch || (holder === owner && epoch < task.epoch)))
    return modelText`Epoch ${epoch} is not the current claim on ${name}. Send the call without epoch.`;
  if (task?.status === "claimed" && task.epoch === epoch && task.owner !== owner)
    return modelText`${name} is claimed by ${nameOf(task.owner)}, not by you. ${hints.claimNext}`;
  const now =
    task && task.status !== "claimed" && task.status !== "open"
      ? modelText`it is ${task.status} now`
      : modelText`${nameOf(holder)} owns it now`;
  return modelText`Your claim on ${name} expired, and ${now}. ${STOP}`;
}

function epochIn(op: TaskOp): number | undefined {
  if ("held" in op) return op.held[0]?.epoch;
  return op.op === "assign" ? op.from?.epoch : undefined;
}

const DONE = {
  renew: "renewed",
  release: "released",
  finish: "finished",
  fail: "failed",
} as const;

/** Why there is nothing to claim. */
export async function noneReady(store: TaskStore): Promise<ModelText> {
  const { claimed, open, ready, delayed } = await store.counts();
  const facts = [
    count(claimed, "claimed"),
    count(open - ready - delayed, "blocked"),
    count(delayed, "delayed"),
  ].filter((each) => each !== "");
  return facts.length > 0
    ? modelText`No task is ready: ${joinText(facts, ", ")}. Add a task, or tell the user.`
    : modelText`There are no open tasks. Add a task, or tell the user.`;
}

function count(number: number, what: "claimed" | "blocked" | "delayed"): ModelText {
  return number <= 0 ? NO_TEXT : modelText`${number} ${number === 1 ? "is" : "are"} ${what}`;
}

const MAX_CHAIN = 8;

function ids(names: readonly string[]): readonly ModelText[] {
  const shown = names
    .slice(0, MAX_CHAIN)
    .map((name) => (taskNumber(name) === undefined ? quote(name, 24) : line(name)));
  return names.length > MAX_CHAIN ? [...shown, modelText`\u2026`] : shown;
}

function chain(names: readonly string[]): ModelText {
  return joinText(ids(names), " \u2192 ");
}

/** `t1`, `t1 and t2`, `t1, t2 and t3`. */
function andList(names: readonly string[]): ModelText {
  const all = ids(names);
  const last = all.at(-1) ?? NO_TEXT;
  return all.length < 2 ? last : modelText`${joinText(all.slice(0, -1), ", ")} and ${last}`;
}
