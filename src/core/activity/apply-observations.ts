import { emptyGuide, guideAfter } from "../guidance/counters.ts";
import type { Change, Check, Todo, Track } from "../model.ts";
import { type Activity, applyObservation, emptyActivity } from "./activity.ts";
import type { Observation } from "./observation.ts";
import { warningsSince } from "./signs.ts";
import { ownUsage, withUsage } from "./usage.ts";

/** The track after some observations. Constant time per observation; the given track is not changed. */
export function trackAfter(track: Track, observations: readonly Observation[]): Track {
  // A refusal alone is not activity: it does not start the reminder counters.
  if (!track.guide && !track.activity && observations.every(isRefusal))
    return observations.reduce(sessionAfter, track);
  const activity = copyOf(track.activity ?? emptyActivity());
  let guide = track.guide ?? emptyGuide();
  let next = track;
  for (const observation of observations) {
    const before = { edits: activity.edits?.count ?? 0, tools: activity.counts.tools };
    applyObservation(activity, observation);
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
 * Updates the directory, the title and the last refused write, which stays until the next accepted
 * one.
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
    case "usage":
      return { ...track, usage: withUsage(ownUsage(track.usage), seen, track.todos) };
    case "list.written": {
      if (!track.refused) return track;
      const { refused: _, ...rest } = track;
      return rest;
    }
    case "session.ended": {
      if (!track.collisions) return track;
      const { collisions: _, ...rest } = track;
      return rest;
    }
    default:
      return track;
  }
}

/** The first prompt of a session. */
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

type Period = Pick<Todo, "startedAt" | "createdAt">;

/** Whether a check can verify a todo: it must have run after the todo was started. */
function isBacked(todo: Period, check: Check): boolean {
  return check.at >= startOf(todo);
}

function startOf({ startedAt, createdAt }: Period): number {
  return startedAt ?? createdAt;
}

/**
 * The last check as evidence for a todo, with the signs since its start that checks were made weaker;
 * undefined if it cannot verify it.
 */
export function checkFor(todo: Period, activity: Activity | undefined): Check | undefined {
  const { check, signs } = activity ?? {};
  if (!check || !isBacked(todo, check)) return undefined;
  const warnings = warningsSince(signs, startOf(todo));
  return warnings.length > 0 ? { ...check, warnings } : check;
}

/**
 * Verifies the agent's unverified completions with the last check, and those whose check has warnings
 * that no longer hold. Completions made after the check (`all`) may only be included once it is known
 * that no edit lies in between.
 */
export function verifiedByCheck(
  { todos, activity }: Pick<Track, "todos" | "activity">,
  which: "before the check" | "all",
): Change[] {
  const { check } = activity ?? {};
  if (!check) return [];
  return todos.flatMap((todo): Change[] => {
    if (todo.status !== "completed" || todo.movedBy !== "agent") return [];
    if (which !== "all" && (todo.finishedAt ?? 0) > check.at) return [];
    const now = checkFor(todo, activity);
    if (!now || (todo.check && !hasFewerWarnings(now, todo.check))) return [];
    return [{ type: "todo.verified", id: todo.id, check: now }];
  });
}

function hasFewerWarnings({ warnings = [] }: Check, known: Check): boolean {
  return warnings.length < (known.warnings?.length ?? 0);
}
