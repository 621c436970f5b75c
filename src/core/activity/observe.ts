import { emptyGuide, guideAfter } from "../guidance/counters.ts";
import type { Change, Check, Todo, Track } from "../model.ts";
import { type Activity, emptyActivity, noteObservation } from "./activity.ts";
import type { Observation } from "./observation.ts";

/** Folds observations in. Constant work for each; what it was given stays as it was. */
export function trackAfter(track: Track, observations: readonly Observation[]): Track {
  // A refusal alone says nothing of the agent's steps: it starts no counting.
  if (!track.guide && !track.activity && observations.every(isRefusal))
    return observations.reduce(withRefusal, track);
  const activity = copyOf(track.activity ?? emptyActivity());
  let guide = track.guide ?? emptyGuide();
  let { cwd, title, prompt } = track;
  const { refused: _, ...rest } = track;
  const { refused } = observations.reduce(withRefusal, track);
  for (const observation of observations) {
    // Lists of earlier versions have turns, but no prompt: a later one is not the first.
    if (observation.type === "turn.started" && activity.counts.turns === 0)
      prompt ??= observation.prompt;
    const { tools } = activity.counts;
    const edits = activity.edits?.count ?? 0;
    noteObservation(activity, observation);
    const before = { edits, tools };
    guide = guideAfter(guide, observation, before, activity);
    if (observation.type !== "session.started") continue;
    cwd = observation.cwd ?? cwd;
    title = observation.title ?? title;
  }
  return {
    ...rest,
    ...(refused && { refused }),
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { title }),
    ...(prompt !== undefined && { prompt }),
    activity,
    guide,
  };
}

function isRefusal({ type }: Observation): boolean {
  return type === "list.refused";
}

/** Keeps the last refused write until the agent's next accepted one. */
function withRefusal(track: Track, seen: Observation): Track {
  if (seen.type === "list.refused")
    return {
      ...track,
      refused: { at: seen.at, why: seen.why ?? "", ...(seen.partial && { partial: true }) },
    };
  if (seen.type !== "list.written") return track;
  const { refused: _, ...rest } = track;
  return rest;
}

function copyOf(activity: Activity): Activity {
  const { open, recent, calls, counts } = activity;
  return {
    ...activity,
    open: [...open],
    recent: [...recent],
    calls: [...calls],
    counts: { ...counts },
  };
}

/** A check proves nothing about what was begun after it. */
export function isBacked(todo: Pick<Todo, "startedAt" | "createdAt">, check: Check): boolean {
  return check.at >= (todo.startedAt ?? todo.createdAt);
}

/**
 * Completions of the agent that the last check backs and that nothing backed so far. Those made
 * after the check are only backed once it is known that nothing was edited in between.
 */
export function provenBy(
  { todos, activity }: Pick<Track, "todos" | "activity">,
  which: "before the check" | "all",
): Change[] {
  const { check } = activity ?? {};
  if (!check) return [];
  return todos
    .filter(
      (todo) =>
        todo.status === "completed" &&
        todo.movedBy === "agent" &&
        !todo.check &&
        (which === "all" || (todo.finishedAt ?? 0) <= check.at) &&
        isBacked(todo, check),
    )
    .map(({ id }) => ({ type: "todo.verified", id, check }));
}
