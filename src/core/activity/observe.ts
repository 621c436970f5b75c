import { emptyGuide, guideAfter } from "../guidance/counters.ts";
import type { Change, Check, Todo, Track } from "../model.ts";
import { type Activity, emptyActivity, noteObservation } from "./activity.ts";
import type { Observation } from "./observation.ts";

/** Applies observations. Constant work for each; the given track stays as it was. */
export function trackAfter(track: Track, observations: readonly Observation[]): Track {
  // A refusal alone says nothing of the agent's steps: it starts no counting.
  if (!track.guide && !track.activity && observations.every(isRefusal))
    return observations.reduce(sessionAfter, track);
  const activity = copyOf(track.activity ?? emptyActivity());
  let guide = track.guide ?? emptyGuide();
  let next = track;
  for (const observation of observations) {
    const before = { edits: activity.edits?.count ?? 0, tools: activity.counts.tools };
    noteObservation(activity, observation);
    guide = guideAfter(guide, observation, before, activity);
    next = sessionAfter(next, observation);
    const prompt = promptAfter(next.prompt, observation);
    if (prompt !== undefined && prompt !== next.prompt) next = { ...next, prompt };
  }
  return { ...next, activity, guide };
}

function isRefusal({ type }: Observation): boolean {
  return type === "list.refused";
}

/**
 * What an observation says of the session: its folder, its title, and the last refused write, which
 * stays until the next accepted one.
 */
export function sessionAfter(track: Track, seen: Observation): Track {
  switch (seen.type) {
    case "session.started": {
      const { cwd = track.cwd, title = track.title } = seen;
      if (cwd === track.cwd && title === track.title) return track;
      return { ...track, ...(cwd !== undefined && { cwd }), ...(title !== undefined && { title }) };
    }
    case "list.refused": {
      const { at, why = "", partial } = seen;
      return { ...track, refused: { at, why, ...(partial && { partial }) } };
    }
    case "list.written": {
      if (!track.refused) return track;
      const { refused: _, ...rest } = track;
      return rest;
    }
    default:
      return track;
  }
}

/** The first prompt names a session that has no title. */
export function promptAfter(known: string | undefined, seen: Observation): string | undefined {
  return known ?? (seen.type === "turn.started" ? seen.prompt : undefined);
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
