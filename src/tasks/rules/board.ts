import { DAY } from "../../core/text/duration.ts";
import { isFound, searchWords } from "../../core/text/search.ts";
import type { Task } from "../model.ts";
import { compareUrgency, numberOf, standing } from "./standing.ts";

export const TASK_COLUMNS = ["ready", "waiting", "claimed", "done", "failed"] as const;
export type TaskColumn = (typeof TASK_COLUMNS)[number];

/** A task in its place on a board. */
export interface TaskCard {
  /** As it stands at the moment of the board. */
  readonly task: Task;
  /** Cancelled ones stand with those that are done. */
  readonly column: TaskColumn;
  /** Blockers that are not done. */
  readonly waitsFor: readonly string[];
  /** Of a ready one: the how manieth claim takes it, from 1. */
  readonly rank?: number;
  /** Of a claimed one. */
  readonly lease?: TaskLease;
}

export interface TaskLease {
  /** Milliseconds until it runs out. */
  readonly left: number;
  /** The part of it that is left, from 0 to 1. */
  readonly share: number;
  /** The holder has not been heard of for most of it. */
  readonly isLow: boolean;
  /** When the holder was last heard of. */
  readonly renewedAt: number;
}

/** A task that goes on for nobody, and those that cannot begin before it is done. */
export interface HoldUp {
  readonly id: string;
  readonly tasks: readonly string[];
}

export interface TaskBoard {
  readonly columns: Readonly<Record<TaskColumn, readonly TaskCard[]>>;
  /** Of what is shown; `done` without the cancelled ones. */
  readonly counts: Readonly<Record<TaskColumn | "cancelled", number>>;
  /** Closed too long ago to be shown. */
  readonly older: number;
  /** Who holds up the most, first. */
  readonly holdUps: readonly HoldUp[];
  /** Every label of what is not closed. */
  readonly labels: readonly string[];
}

export interface TaskBoardOptions {
  /** Words that must all be found in a task. */
  readonly search?: string;
  readonly label?: string | undefined;
  /** Milliseconds for which closed tasks stay; a search finds older ones too. */
  readonly keep?: number;
}

const LOW = 0.25;

/**
 * What a board shows of tasks. A blocker that is not among them counts as done: whoever has too many
 * leaves out those first.
 */
export function taskBoard(
  tasks: Iterable<Task>,
  now: number,
  { search = "", label, keep = DAY }: TaskBoardOptions = {},
): TaskBoard {
  const all = [...tasks].map((task) => standing(task, now));
  const byId = new Map(all.map((task) => [task.id, task]));
  const words = searchWords(search);
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
  columns.ready = columns.ready.map((card, place) => ({ ...card, rank: place + 1 }));
  // The holder that was silent longest is the one to look at.
  columns.claimed.sort((a, b) => Number(b.lease?.isLow) - Number(a.lease?.isLow));
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
    labels: [...new Set(all.flatMap((each) => (isOpen(each) ? each.labels : [])))].sort(),
  };
}

/** `3 ready, 4 claimed.` and what else there is: the first is what somebody looks for. */
export function taskHeadline({ counts }: TaskBoard): readonly [string, string] {
  const { ready, claimed, waiting, failed, done } = counts;
  const wait = waiting === 1 ? "waits for another" : "wait for others";
  const held = [
    ...(waiting > 0 ? [`${waiting} ${wait}`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(", ");
  return [
    `${ready} ready, ${claimed} claimed.`,
    [...(held === "" ? [] : [`${held}.`]), ...(done > 0 ? [`${done} done today.`] : [])].join(" "),
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

/** A failed one stays until somebody looked at it. */
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

/** Failed or cancelled ones, and those whose holder fell silent, that others wait for. */
function holdUpsOf(
  tasks: readonly Task[],
  byId: ReadonlyMap<string, Task>,
  now: number,
): readonly HoldUp[] {
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

/** Each is followed through all that wait for it: more than these nobody reads. */
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
