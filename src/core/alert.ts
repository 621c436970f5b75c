import { ACTIVITY_POLICY } from "./activity.ts";
import { needsYou, titleOf } from "./board.ts";
import { findingKey } from "./detect.ts";
import { type JoinedTrack, trackKey } from "./joined.ts";
import { stepsOf } from "./plan-steps.ts";
import { isFinished, progressOf } from "./view.ts";

export type AlertKind = "needs you" | "finished" | "stalled" | "looping";

/** Something that a person wants to be told of while they look elsewhere. */
export interface Alert {
  readonly kind: AlertKind;
  /** Of this one occurrence: the same as long as it stands. */
  readonly key: string;
  readonly at: number;
  readonly session: string;
  readonly agent: string;
  readonly agentType?: string;
  readonly title: string;
  readonly project: string;
  /** What is the matter, as a sentence without its end. */
  readonly fact: string;
}

type Found = Pick<Alert, "kind" | "at" | "fact"> & { readonly name: string };

/** What of a track deserves to be told of. */
function alertsOf(joined: JoinedTrack): readonly Alert[] {
  const { track } = joined;
  const { session, agent, agentType, cwd } = track;
  return foundIn(joined).map(({ kind, at, fact, name }) => ({
    kind,
    key: `${trackKey(track)} ${kind} ${name}`,
    at,
    session,
    agent,
    ...(agentType !== undefined && { agentType }),
    title: titleOf(joined),
    project: cwd?.split(/[/\\]/).findLast((part) => part !== "") ?? "",
    fact,
  }));
}

function foundIn(joined: JoinedTrack): readonly Found[] {
  const { track, plan, findings, activity } = joined;
  const found: Found[] = [];
  if (plan && needsYou(joined)) {
    const steps = stepsOf(plan.text).length;
    const size = steps === 0 ? "a plan" : `a plan of ${steps} ${steps === 1 ? "step" : "steps"}`;
    found.push({
      kind: "needs you",
      at: plan.at,
      fact: `${size} waits for your decision`,
      name: `${plan.id} ${plan.at}`,
    });
  }
  for (const finding of findings) {
    const { kind, level, message: fact } = finding;
    // Whether it goes on before anybody comes is not known of a warning.
    if (kind !== "stalled" && level !== "critical") continue;
    const lastAt = activity?.lastAt ?? joined.updatedAt;
    if (kind !== "stalled")
      found.push({
        kind: "looping",
        at: lastAt,
        fact,
        name: `${findingKey(finding)} ${activity?.turnStartedAt ?? 0}`,
      });
    else if (!isSubagent(joined))
      found.push({
        kind: "stalled",
        at: lastAt + ACTIVITY_POLICY.stallAfter,
        fact,
        name: String(lastAt),
      });
  }
  if (isFinished(track.todos) && !isSubagent(joined)) {
    const { completed, verified } = progressOf(track.todos);
    const proof =
      verified === 0
        ? "nothing verified"
        : verified === completed
          ? "all verified"
          : `${verified} verified, ${completed - verified} only claimed`;
    const at = Math.max(0, ...track.todos.map(({ finishedAt = 0 }) => finishedAt));
    found.push({
      kind: "finished",
      at,
      fact: `${completed} done, ${proof}`,
      name: `${track.list} ${at}`,
    });
  }
  return found;
}

/** What it comes to is told by whoever sent it. */
function isSubagent({ track: { parentAgent, agent } }: JoinedTrack): boolean {
  return parentAgent !== undefined && parentAgent !== agent;
}

const REMEMBERED = 32;

/**
 * Tells of each occurrence once, and of none that began before; `since` says when that is by the
 * clock as it is set at the moment. What was seen then is known, also when the clock is set back.
 */
export function newAlerts(
  since: () => number,
): (tracks: readonly JoinedTrack[]) => readonly Alert[] {
  const known = new Map<string, readonly string[]>();
  return (tracks) => {
    const began = since();
    return tracks.flatMap((joined) => {
      const standing = alertsOf(joined);
      if (standing.length === 0) return [];
      const track = trackKey(joined.track);
      const before = known.get(track) ?? [];
      const keys = standing.map(({ key }) => key);
      known.set(
        track,
        [...before.filter((key) => !keys.includes(key)), ...keys].slice(-REMEMBERED),
      );
      return standing.filter(({ key, at }) => at >= began && !before.includes(key));
    });
  };
}
