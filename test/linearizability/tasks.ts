import type { Task, TaskRefusal } from "../../src/tasks/model.ts";
import type { Model, Operation } from "./search.ts";

/** A call on a task store. `began` and `ended` are wall-clock times, which leases follow. */
export interface TaskInput {
  readonly op: "claim" | "renew" | "release" | "finish" | "fail" | "reopen" | "observe" | "read";
  readonly owner: string;
  /** Undefined for calls on any task: the whole store. */
  readonly id?: string;
  readonly epoch?: number;
  /** The same for all calls of a history. */
  readonly lease: number;
  readonly key?: string;
  readonly began: number;
}

type Shown = Pick<Task, "status" | "epoch" | "attempts" | "owner" | "leaseUntil" | "updatedAt">;
type Refused = Pick<TaskRefusal, "code" | "holder" | "epoch" | "leaseUntil">;

export interface TaskOutput {
  readonly ended: number;
  /** The tasks in the answer. */
  readonly tasks: readonly (Shown & { readonly id: string })[];
  readonly refused?: Refused;
}

/** The same for one task. */
export interface OneOutput {
  readonly ended: number;
  readonly task?: Shown;
  readonly refused?: Refused;
}

/** A task as the last write left it. A lease whose write has an unknown outcome is a range. */
export interface TaskState {
  readonly status: Task["status"];
  readonly owner: string | undefined;
  readonly epoch: number;
  readonly attempts: number;
  readonly lease: readonly [earliest: number, latest: number];
}

export const MOST_ATTEMPTS = 3;

/** Clocks of the processes and the store may differ by this much, in milliseconds. */
const SLACK = 100;
const NO_LEASE = [0, 0] as const;
const FOREVER = Number.POSITIVE_INFINITY;

type OneOperation = Operation<TaskInput, OneOutput>;

const isClosed = ({ status }: TaskState) => status === "done" || status === "failed";
const isSpent = ({ attempts }: TaskState) => attempts >= MOST_ATTEMPTS;

/** The state as a reader may see it at a time between `from` and `to`. */
function shownStates(state: TaskState, from: number, to: number): TaskState[] {
  if (state.status !== "claimed") return [state];
  const lapsed: TaskState = isSpent(state)
    ? { ...state, status: "failed", lease: NO_LEASE }
    : { ...state, status: "open", owner: undefined, lease: NO_LEASE };
  const [earliest, latest] = state.lease;
  return [...(latest > from ? [state] : []), ...(earliest <= to ? [lapsed] : [])];
}

/** The lease becomes exact once an answer has shown it; undefined if the answer contradicts it. */
function withLease(state: TaskState, until: number | undefined): TaskState | undefined {
  if (until === undefined || until < state.lease[0] || until > state.lease[1]) return undefined;
  return { ...state, lease: [until, until] };
}

/** The states after a write that takes effect, one for each way in which it can. */
function written(
  state: TaskState,
  { op, owner, epoch, lease }: TaskInput,
  from: number,
  to: number,
): TaskState[] {
  const renewed = [from + lease, to + lease] as const;
  const own = owner === state.owner && epoch === state.epoch;
  return shownStates(state, from, to).flatMap((shown): TaskState[] => {
    switch (op) {
      case "claim":
        if (shown.status !== "open") return [];
        return [
          {
            status: "claimed",
            owner,
            epoch: state.epoch + 1,
            attempts: state.attempts + 1,
            // An expired lease ends before the next one begins.
            lease: [Math.max(renewed[0], state.lease[0] + lease), renewed[1]],
          },
        ];
      case "observe":
        if (state.status !== "claimed" || state.owner !== owner || isClosed(shown)) return [];
        return [{ ...state, lease: renewed }];
      case "reopen":
        if (!isClosed(shown)) return [];
        return [{ ...state, status: "open", owner: undefined, attempts: 0, lease: NO_LEASE }];
      case "finish":
        if (own && state.status === "done") return [state];
    }
    // An owner may write after its lease expired, until the task is claimed again or has failed.
    if (!own || state.status !== "claimed" || isClosed(shown)) return [];
    const free = { ...state, owner: undefined, lease: NO_LEASE };
    switch (op) {
      case "renew":
        return [{ ...state, lease: renewed }];
      case "release":
        return [{ ...free, status: "open", attempts: state.attempts - 1 }];
      case "finish":
        return [{ ...state, status: "done", lease: NO_LEASE }];
      case "fail":
        return isSpent(state)
          ? [{ ...state, status: "failed", lease: NO_LEASE }]
          : [{ ...free, status: "open" }];
      default:
        return [];
    }
  });
}

/** The state if this answer shows it. */
function matched(state: TaskState, shown: Shown): TaskState | undefined {
  const same =
    shown.status === state.status &&
    shown.owner === state.owner &&
    shown.epoch === state.epoch &&
    shown.attempts === state.attempts;
  if (!same) return undefined;
  return state.status === "claimed" ? withLease(state, shown.leaseUntil) : state;
}

function whenRefused(
  state: TaskState,
  { op, owner, epoch }: TaskInput,
  refused: Refused,
  from: number,
  to: number,
): TaskState | undefined {
  const own = owner === state.owner && epoch === state.epoch;
  const shown = shownStates(state, from, to);
  const may = (status: TaskState["status"]) => shown.some((each) => each.status === status);
  switch (refused.code) {
    case "held":
      if (op !== "claim" || !may("claimed") || refused.holder !== state.owner) return undefined;
      return refused.epoch === state.epoch ? withLease(state, refused.leaseUntil) : undefined;
    case "none_ready":
      return op === "claim" && shown.some(({ status }) => status !== "open") ? state : undefined;
    case "closed":
      return shown.some(isClosed) && (op === "claim" || own) ? state : undefined;
    case "not_closed":
      return op === "reopen" && shown.some((each) => !isClosed(each)) ? state : undefined;
    case "stale_epoch":
      if (op === "claim" || op === "reopen" || own) return undefined;
      return shown.some((each) => (each.owner ?? null) === refused.holder) ? state : undefined;
    default:
      return undefined;
  }
}

function step(state: TaskState, { input, output }: OneOperation): TaskState | undefined {
  const from = input.began - SLACK;
  if (!output) return written(state, input, from, FOREVER)[0];
  const to = output.ended + SLACK;
  if (output.refused) return whenRefused(state, input, output.refused, from, to);
  const { task } = output;
  if (!task) return undefined;
  if (input.op === "read") {
    for (const shown of shownStates(state, from, to)) {
      const found = matched(shown, task);
      if (found) return shown === state ? found : state;
    }
    return undefined;
  }
  // A finished task that its owner finishes again keeps its time.
  const isRepeated = input.op === "finish" && state.status === "done";
  const at = task.updatedAt;
  if (!isRepeated && (at < from || at > to)) return undefined;
  for (const after of written(state, input, at, at)) {
    const found = matched(after, task);
    if (found) return found;
  }
  return undefined;
}

export const TASK: Model<TaskState, TaskInput, OneOutput> = {
  initial: { status: "open", owner: undefined, epoch: 0, attempts: 0, lease: NO_LEASE },
  step,
  key: ({ status, owner, epoch, attempts, lease }) =>
    `${status} ${owner} ${epoch} ${attempts} ${lease}`,
};

/** The part of a history that concerns one task. */
export function operationsOn(
  id: string,
  operations: readonly Operation<TaskInput, TaskOutput>[],
): OneOperation[] {
  return operations.flatMap((each): OneOperation[] => {
    const { input, output } = each;
    if (input.id !== undefined && input.id !== id) return [];
    if (!output) return input.op === "read" ? [] : [{ ...each, output: undefined }];
    const { ended, refused } = output;
    if (refused) return [{ ...each, output: { ended, refused } }];
    // A call on any task says nothing about those that it did not choose.
    const task = output.tasks.find((one) => one.id === id);
    return task ? [{ ...each, output: { ended, task } }] : [];
  });
}
