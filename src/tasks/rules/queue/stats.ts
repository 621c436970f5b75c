import { HOUR } from "../../../core/text/duration.ts";
import type {
  GroupStats,
  QueueCounts,
  QueueState,
  Spread,
  Task,
  TaskEvent,
  TaskEventType,
  TaskStats,
} from "../../model.ts";

/** How many of the newest events, and of the most urgent ready tasks, the figures are taken from. */
export const MOST_EVENTS = 50_000;
export const MOST_CLOSED = 5_000;
export const MOST_READY = 5_000;

/** An event that ended an attempt. */
export interface Outcome {
  readonly at: number;
  readonly isDone: boolean;
  readonly owner: string | undefined;
  readonly labels: readonly string[];
  readonly createdAt: number;
  readonly claimedAt: number | undefined;
}

const OUTCOMES: readonly TaskEventType[] = ["done", "failed", "retried"];

export function isOutcome({ type }: Pick<TaskEvent, "type">): boolean {
  return OUTCOMES.includes(type);
}

/** The types of outcomes, for SQL. */
export const OUTCOME_TYPES = OUTCOMES.map((type) => `'${type}'`).join(", ");

export function outcomeOf(
  { at, type, actor }: Pick<TaskEvent, "at" | "type" | "actor">,
  {
    owner,
    labels,
    createdAt,
    claimedAt,
  }: Pick<Task, "owner" | "labels" | "createdAt" | "claimedAt">,
): Outcome {
  // A failed attempt frees the task: its event names the owner.
  const by = type === "retried" ? actor : (owner ?? actor);
  return { at, isDone: type === "done", owner: by, labels, createdAt, claimedAt };
}

export interface WaitingTask {
  readonly labels: readonly string[];
  readonly createdAt: number;
}

export interface ClaimedTask {
  readonly labels: readonly string[];
  readonly owner: string;
}

export interface StatsInput {
  readonly at: number;
  readonly since: number;
  readonly queue: QueueState;
  readonly counts: QueueCounts;
  /** Creation time of the oldest ready task. */
  readonly oldestAt: number | undefined;
  readonly outcomes: readonly Outcome[];
  readonly ready: readonly WaitingTask[];
  readonly claimed: readonly ClaimedTask[];
}

/** The first time of the window that the newest events cover completely. */
export function windowStart(
  asked: number,
  events: { readonly count: number; readonly firstAt: number | undefined },
  closed: { readonly count: number; readonly firstAt: number | undefined },
): number {
  const starts = [
    asked,
    ...(events.count >= MOST_EVENTS ? [events.firstAt ?? asked] : []),
    ...(closed.count >= MOST_CLOSED ? [closed.firstAt ?? asked] : []),
  ];
  return Math.max(...starts);
}

function spreadOf(times: readonly number[]): Spread | undefined {
  if (times.length === 0) return undefined;
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { median: at(0.5), p95: at(0.95), longest: at(1) };
}

type Group = { -readonly [F in keyof GroupStats]: GroupStats[F] };

function grouping() {
  const groups = new Map<string, Group>();
  return {
    of(name: string): Group {
      const known = groups.get(name) ?? { name, ready: 0, claimed: 0, done: 0, failed: 0 };
      groups.set(name, known);
      return known;
    },
    sorted: (): readonly GroupStats[] =>
      [...groups.values()].sort(
        (a, b) =>
          b.ready - a.ready ||
          b.claimed - a.claimed ||
          b.done - a.done ||
          (a.name < b.name ? -1 : 1),
      ),
  };
}

/** Computes the figures. Pure, so that all stores give the same ones. */
export function statsOf(input: StatsInput): TaskStats {
  const { at, since, queue, counts, oldestAt } = input;
  const labels = grouping();
  const owners = grouping();
  for (const task of input.ready)
    for (const label of task.labels) {
      const group = labels.of(label);
      group.ready += 1;
      group.oldest = Math.max(group.oldest ?? 0, at - task.createdAt);
    }
  for (const task of input.claimed) {
    owners.of(task.owner).claimed += 1;
    for (const label of task.labels) labels.of(label).claimed += 1;
  }
  const outcomes = input.outcomes.filter((outcome) => outcome.at >= since);
  for (const { isDone, owner, labels: names } of outcomes) {
    const field = isDone ? "done" : "failed";
    if (owner !== undefined) owners.of(owner)[field] += 1;
    for (const label of names) labels.of(label)[field] += 1;
  }
  const done = outcomes.filter(({ isDone }) => isDone);
  const claims = done.flatMap(({ claimedAt, createdAt, at: end }) =>
    claimedAt === undefined ? [] : [{ waited: claimedAt - createdAt, ran: end - claimedAt }],
  );
  const waiting = spreadOf(claims.map(({ waited }) => Math.max(0, waited)));
  const running = spreadOf(claims.map(({ ran }) => Math.max(0, ran)));
  return {
    at,
    since,
    queue,
    counts,
    ...(oldestAt !== undefined && { oldest: Math.max(0, at - oldestAt) }),
    done: done.length,
    failed: outcomes.length - done.length,
    perHour: at > since ? (done.length * HOUR) / (at - since) : 0,
    ...(waiting && { waiting }),
    ...(running && { running }),
    labels: labels.sorted(),
    owners: owners.sorted(),
  };
}
