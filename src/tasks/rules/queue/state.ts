import { argumentError } from "../../../core/argument.ts";
import { forbiddenCharacter, oneLine } from "../../../core/text/escape.ts";
import {
  LONGEST_DELAY,
  type QueueChange,
  type QueuePause,
  type QueueState,
  type Task,
  type TaskSender,
} from "../../model.ts";

const LONGEST_REASON = 500;
const WAY = 'Call store.setQueue({ paused: { reason: "…" } }, { by: "user", via: "my-program" }).';

function fail(what: string, expected: string, given: unknown): never {
  throw argumentError(`setQueue(change, sender): ${what}`, expected, given, WAY);
}

function checkedReason(given: unknown): string {
  if (typeof given !== "string") return fail("paused.reason", "text", given);
  const reason = oneLine(given);
  if (reason === "" || [...reason].length > LONGEST_REASON || forbiddenCharacter(reason))
    return fail("paused.reason", `plain text of 1 to ${LONGEST_REASON} characters`, given);
  return reason;
}

/** The queue after a change. Throws a TypeError for an invalid change. */
export function changedQueue(
  state: QueueState,
  change: QueueChange,
  { by, actor }: TaskSender,
  now: number,
): QueueState {
  if (typeof change !== "object" || change === null) return fail("change", "an object", change);
  const { paused = state.paused, aging = state.aging } = change;
  if (aging != null && !(Number.isSafeInteger(aging) && aging > 0 && aging <= LONGEST_DELAY))
    return fail("aging", `milliseconds from 1 to ${LONGEST_DELAY}`, aging);
  if (paused != null && typeof paused !== "object") return fail("paused", "an object", paused);
  return {
    ...(paused != null && { paused: pauseOf(state, change, actor ?? by, now) }),
    ...(aging != null && { aging }),
  };
}

/** Pausing a paused queue keeps the first pause; a new reason replaces the old one. */
function pauseOf(
  { paused: before }: QueueState,
  { paused: wanted }: QueueChange,
  by: string,
  now: number,
): QueuePause {
  const reason = wanted?.reason === undefined ? before?.reason : checkedReason(wanted.reason);
  const first = before ?? { at: now, by };
  return { at: first.at, by: first.by, ...(reason !== undefined && { reason }) };
}

/** True if the task cannot be claimed yet. */
export function isDelayed({ notBefore = 0 }: Pick<Task, "notBefore">, now: number): boolean {
  return notBefore > now;
}

/**
 * The value of the hidden column `delayed`: set while a task waits for its time, and cleared by the
 * first claim after it. Indexes of ready tasks leave delayed ones out, so that any number of them
 * costs a claim nothing.
 */
export function isStoredDelayed({ status, notBefore, updatedAt }: Task): boolean {
  return status === "open" && isDelayed({ notBefore: notBefore ?? 0 }, updatedAt);
}

/** True if the task was done or cancelled before a time. Failed tasks stay until a user handles them. */
export function isPrunable({ status, finishedAt = 0 }: Task, before: number): boolean {
  return (status === "done" || status === "cancelled") && finishedAt < before;
}
