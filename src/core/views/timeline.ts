import { doneCount, type EvidenceState, evidenceStateOf } from "../checks/evidence-state.ts";
import { emptyTrack, evolve } from "../evolve.ts";
import type { Event, Status, Todo, TrackId } from "../model.ts";
import { evidenceLevelOf, isProven } from "./evidence.ts";
import { progressOf } from "./view.ts";

/** A period of work on a todo. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One todo on the timeline. */
export interface Lane {
  readonly id: string;
  readonly text: string;
  readonly spans: readonly Span[];
  /** Present if the todo is closed. */
  readonly closed?: { readonly at: number; readonly how: EvidenceState | "cancelled" };
}

interface Work {
  readonly spans: Span[];
  since?: number | undefined;
}

/** The todos that were worked on, in the order of their start. */
export function lanesOf(id: TrackId, events: Iterable<Event>, now: number): readonly Lane[] {
  const works = new Map<string, Work>();
  const known = new Map<string, Todo>();
  let track = emptyTrack(id);
  let list = track.list;
  let ended = 0;
  for (const event of events) {
    const before = new Map(track.todos.map((todo) => [todo.id, todo.status]));
    track = evolve(track, event);
    if (track.list !== list) {
      for (const work of works.values()) close(work, event.at);
      list = track.list;
    }
    for (const todo of track.todos) {
      known.set(todo.id, todo);
      note(works, todo, before.get(todo.id), event.at);
    }
    ended = event.at;
  }
  for (const [todo, work] of works) {
    const isListed = track.todos.some(({ id: here }) => here === todo);
    close(work, isListed ? Math.max(now, ended) : ended);
  }
  return [...works].flatMap(([todo, { spans }]) => {
    const latest = known.get(todo);
    return latest ? [laneOf(latest, spans)] : [];
  });
}

function note(works: Map<string, Work>, todo: Todo, before: Status | undefined, at: number): void {
  if (todo.status === before) return;
  const work = works.get(todo.id);
  if (todo.status === "in_progress") {
    if (work) work.since ??= at;
    else works.set(todo.id, { spans: [], since: at });
  } else if (work) close(work, at);
  // Completed without having been in progress.
  else if (todo.status === "completed") works.set(todo.id, { spans: [{ from: at, to: at }] });
}

function close(work: Work, at: number): void {
  if (work.since === undefined) return;
  work.spans.push({ from: work.since, to: Math.max(work.since, at) });
  work.since = undefined;
}

function laneOf(todo: Todo, spans: readonly Span[]): Lane {
  const { id, text, status, finishedAt } = todo;
  const isClosed = status === "completed" || status === "cancelled";
  if (!isClosed || finishedAt === undefined) return { id, text, spans };
  const how = status === "cancelled" ? "cancelled" : evidenceLevelOf(todo);
  return { id, text, spans, closed: { at: finishedAt, how } };
}

/** Lanes with the marks of their todos as they are now: runs of Waymark are not part of the events. */
export function withMarks(lanes: readonly Lane[], todos: readonly Todo[]): readonly Lane[] {
  const proven = new Map(todos.filter(({ proof }) => proof).map((todo) => [todo.id, todo]));
  return lanes.map((lane) => {
    const todo = proven.get(lane.id);
    if (todo?.status !== "completed" || !lane.closed) return lane;
    return { ...lane, closed: { ...lane.closed, how: evidenceStateOf(todo) } };
  });
}

/** The counts of a list at a time. */
export interface Level {
  readonly at: number;
  readonly total: number;
  readonly completed: number;
  readonly verified: number;
}

/** The counts after each change. */
export function burnUpOf(id: TrackId, events: Iterable<Event>): readonly Level[] {
  const levels: Level[] = [];
  let track = emptyTrack(id);
  for (const event of events) {
    track = evolve(track, event);
    const { total, completed, verified } = progressOf(track.todos);
    const last = levels.at(-1);
    if (last?.total === total && last.completed === completed && last.verified === verified)
      continue;
    levels.push({ at: event.at, total, completed, verified });
  }
  return levels;
}

/** Levels with the runs of Waymark: from the end of a run, its todo counts as it does now. */
export function withRuns(levels: readonly Level[], todos: readonly Todo[]): readonly Level[] {
  let all = levels;
  for (const { proof, ...todo } of todos) {
    if (!proof || todo.status !== "completed") continue;
    const proven = { ...todo, proof };
    const verified = Number(isProven(proven)) - Number(isProven(todo));
    const completed = doneCount([proven]) - 1;
    if (verified === 0 && completed === 0) continue;
    const at = Math.max(proof.at + proof.durationMs, todo.finishedAt ?? 0);
    const before = all.filter((level) => level.at < at);
    const last = before.at(-1);
    const after = all.filter((level) => level.at >= at);
    const from = last && after[0]?.at !== at ? [{ ...last, at }] : [];
    all = [
      ...before,
      ...[...from, ...after].map((level) => ({
        ...level,
        verified: level.verified + verified,
        completed: level.completed + completed,
      })),
    ];
  }
  return all;
}
