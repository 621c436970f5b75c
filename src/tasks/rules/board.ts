import { DAY } from "../../core/text/duration.ts";
import { isFound, searchTerms } from "../../core/text/search.ts";
import type { QueuePause, Task } from "../model.ts";
import { isDelayed } from "./queue/state.ts";
import { compareUrgency, numberOf, taskAt } from "./task-at.ts";

export const TASK_COLUMNS = ["ready", "waiting", "claimed", "done", "failed"] as const;
export type TaskColumn = (typeof TASK_COLUMNS)[number];

/** A task as a board shows it. */
export interface TaskCard {
  /** The task at the time of the board. */
  readonly task: Task;
  /** Cancelled tasks are in the done column. */
  readonly column: TaskColumn;
  /** Blockers that are not done. */
  readonly waitsFor: readonly string[];
  /** Ready tasks only: position in the queue, from 1; absent while it is delayed. */
  readonly rank?: number;
  /** Claimed tasks only. */
  readonly lease?: TaskLease;
}

export interface TaskLease {
  /** Milliseconds until the lease expires. */
  readonly left: number;
  /** Remaining share of the lease, 0 to 1. */
  readonly share: number;
  /** The owner has been inactive for most of the lease. */
  readonly isLow: boolean;
  /** Last activity of the owner. */
  readonly renewedAt: number;
}

/** A task without progress, and the tasks that it blocks. */
export interface Bottleneck {
  readonly id: string;
  readonly tasks: readonly string[];
}

export interface TaskBoard {
  readonly columns: Readonly<Record<TaskColumn, readonly TaskCard[]>>;
  /** Counts of the tasks shown; `done` excludes cancelled tasks. */
  readonly counts: Readonly<Record<TaskColumn | "cancelled", number>>;
  /** Number of tasks closed too long ago to be shown. */
  readonly older: number;
  /** The one that blocks the most tasks first. */
  readonly holdUps: readonly Bottleneck[];
  /** Labels of all open tasks. */
  readonly labels: readonly string[];
  /** Present while the queue is paused. */
  readonly paused?: QueuePause;
}

export interface TaskBoardOptions {
  /** Words that a task must contain, all of them. */
  readonly search?: string;
  readonly label?: string | undefined;
  /** Milliseconds that closed tasks stay on the board; a search also finds older ones. */
  readonly keep?: number;
  readonly paused?: QueuePause | undefined;
}

const LOW = 0.25;

/**
 * The board of these tasks. A blocker that is not among them counts as done: callers that limit the
 * number of tasks leave out done ones first.
 */
export function taskBoard(
  tasks: Iterable<Task>,
  now: number,
  { search = "", label, keep = DAY, paused }: TaskBoardOptions = {},
): TaskBoard {
  const all = [...tasks].map((task) => taskAt(task, now));
  const byId = new Map(all.map((task) => [task.id, task]));
  const words = searchTerms(search);
  const isMeant = (task: Task) =>
    (label === undefined || task.labels.includes(label)) &&
    words.every((word) => isFound(word, textsOf(task)));
  const meant = all.filter(isMeant);
  const shown = meant.filter((task) => words.length > 0 || !isOld(task, now, keep));
  const columns: Record<TaskColumn, TaskCard[]> = {
    ready: [],
    waiting: [],
    claimed: [],
    done: [],
    failed: [],
  };
  for (const task of shown.sort(compareUrgency)) {
    const waitsFor = waitsForIn(task, byId);
    const column = columnOf(task, waitsFor);
    const lease = column === "claimed" ? leaseOf(task, now) : undefined;
    columns[column].push({ task, column, waitsFor, ...(lease && { lease }) });
  }
  // Delayed tasks come last, the next one first, and have no place in the queue yet.
  const delayed = columns.ready
    .filter(({ task }) => isDelayed(task, now))
    .sort(({ task: a }, { task: b }) => (a.notBefore ?? 0) - (b.notBefore ?? 0));
  const due = columns.ready.filter(({ task }) => !isDelayed(task, now));
  columns.ready = [...due.map((card, place) => ({ ...card, rank: place + 1 })), ...delayed];
  // The owner that was inactive longest comes first.
  columns.claimed.sort((a, b) => Number(isLow(b)) - Number(isLow(a)));
  columns.done.sort(newestFirst);
  columns.failed.sort(newestFirst);
  const cancelled = columns.done.filter(({ task }) => task.status === "cancelled").length;
  return {
    columns,
    counts: {
      ready: columns.ready.length,
      waiting: columns.waiting.length,
      claimed: columns.claimed.length,
      done: columns.done.length - cancelled,
      failed: columns.failed.length,
      cancelled,
    },
    older: meant.length - shown.length,
    holdUps: holdUpsOf(all, byId, now),
    ...(paused && { paused }),
    labels: [...new Set(all.flatMap((each) => (isOpen(each) ? each.labels : [])))].sort(),
  };
}

/** A summary such as `3 ready, 4 claimed.` */
export function taskHeadline({ counts }: TaskBoard): readonly [string, string] {
  const { ready, claimed, waiting, failed, done } = counts;
  const stopped = [
    ...(waiting > 0 ? [`${waiting} blocked`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(", ");
  return [
    `${ready} ready, ${claimed} claimed.`,
    [...(stopped === "" ? [] : [`${stopped}.`]), ...(done > 0 ? [`${done} done today.`] : [])].join(
      " ",
    ),
  ];
}

export function waitsForIn(task: Task, byId: ReadonlyMap<string, Task>): readonly string[] {
  return task.blockedBy.filter((id) => {
    const blocker = byId.get(id);
    return blocker !== undefined && blocker.status !== "done";
  });
}

export function leaseOf({ leaseUntil, lease = 0 }: Task, now: number): TaskLease | undefined {
  if (leaseUntil === undefined) return undefined;
  const left = Math.max(0, leaseUntil - now);
  const share = lease > 0 ? Math.min(1, left / lease) : 0;
  return { left, share, isLow: share < LOW, renewedAt: Math.min(now, leaseUntil - lease) };
}

function isLow({ lease }: Pick<TaskCard, "lease">): boolean {
  return lease?.isLow === true;
}

function columnOf({ status }: Task, waitsFor: readonly string[]): TaskColumn {
  switch (status) {
    case "open":
      return waitsFor.length > 0 ? "waiting" : "ready";
    case "claimed":
    case "failed":
    case "done":
      return status;
    case "cancelled":
      return "done";
  }
}

function isOpen({ status }: Task): boolean {
  return status === "open" || status === "claimed";
}

/** Failed tasks stay on the board until a user handles them. */
function isOld(task: Task, now: number, keep: number): boolean {
  const { status, finishedAt = task.updatedAt } = task;
  return (status === "done" || status === "cancelled") && now - finishedAt >= keep;
}

function newestFirst({ task: a }: TaskCard, { task: b }: TaskCard): number {
  return (b.finishedAt ?? 0) - (a.finishedAt ?? 0) || numberOf(b) - numberOf(a);
}

function* textsOf(task: Task): Generator<string> {
  yield task.id;
  yield task.subject;
  yield task.description ?? "";
  yield task.owner ?? "";
  yield task.reason ?? "";
  yield* task.labels;
  yield* task.evidence;
}

/** Failed and cancelled tasks, and tasks with an inactive owner, that block others. */
function holdUpsOf(
  tasks: readonly Task[],
  byId: ReadonlyMap<string, Task>,
  now: number,
): readonly Bottleneck[] {
  const waiting = new Map<string, string[]>();
  for (const task of tasks)
    if (isOpen(task))
      for (const id of waitsForIn(task, byId)) {
        const known = waiting.get(id);
        if (known) known.push(task.id);
        else waiting.set(id, [task.id]);
      }
  const isStuck = (task: Task) =>
    task.status === "failed" || task.status === "cancelled" || leaseOf(task, now)?.isLow === true;
  return tasks
    .filter((task) => waiting.has(task.id) && isStuck(task))
    .slice(0, MAX_HOLD_UPS)
    .map(({ id }) => ({ id, tasks: reachedFrom(id, waiting) }))
    .sort((a, b) => b.tasks.length - a.tasks.length);
}

/** Limits the work: each of these is followed through everything it blocks. */
const MAX_HOLD_UPS = 20;

function reachedFrom(id: string, waiting: ReadonlyMap<string, readonly string[]>): string[] {
  const reached = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const each of waiting.get(next) ?? [])
      if (!reached.has(each)) {
        reached.add(each);
        open.push(each);
      }
  reached.delete(id);
  return [...reached];
}
