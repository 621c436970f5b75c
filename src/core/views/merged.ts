import type { Activity } from "../activity/activity.ts";
import type { Finding } from "../activity/detect.ts";
import { isActive, type SessionState } from "../activity/session-state.ts";
import type { Waiting } from "../activity/waiting.ts";
import type { Track, TrackId } from "../model.ts";
import type { Plan } from "../plan/plan.ts";
import { MAIN_AGENT, trackKey } from "../text/ids.ts";

/** A track, whoever keeps its list, and what else was seen of the agent. */
export interface MergedTrack {
  /** The list; where Waymark and the agent both keep one, Waymark's. Its plan is Waymark's, too. */
  readonly track: Track;
  /** Waymark keeps the list, so that it can be edited. */
  readonly hosted: boolean;
  readonly state: SessionState;
  /** The request it waits for; `maybe` is a guess. */
  readonly waiting?: Waiting;
  readonly findings: readonly Finding[];
  /** When the agent last did something, or a person changed its list. */
  readonly updatedAt: number;
  /** When the agent last did something; a person's edits do not count. */
  readonly activeAt?: number;
  /** When the agent counts as stalled, by the settings of the program that merged it. */
  readonly stallsAt?: number;
  readonly activity?: Activity;
  readonly plan?: Plan;
  /** What a subagent is called. */
  readonly name?: string;
  /** What was asked for first. */
  readonly prompt?: string;
  /** The machine that relays it; none where it is of this one. */
  readonly machine?: string;
}

/** Order of subagents: as they appeared, then by name. It must not change with their activity. */
export function byAppearance(a: MergedTrack, b: MergedTrack): number {
  const nameOf = ({ name, track }: MergedTrack) => name ?? track.agent;
  const order = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
  return (
    a.track.openedAt - b.track.openedAt ||
    order(nameOf(a), nameOf(b)) ||
    order(a.track.agent, b.track.agent)
  );
}

/** When the agent last did something. */
export function lastActive({ activeAt, updatedAt }: MergedTrack): number {
  return activeAt ?? updatedAt;
}

/** Until when the agent has worked on its current todo: a todo takes no time while its agent is idle. */
export function workedUntil(joined: MergedTrack, now: number): number {
  return isActive(joined.state) ? now : Math.min(now, lastActive(joined));
}

/** The track under which a subagent stands; none where its parent is not there. */
export function parentKey(
  { session, agent, parentAgent }: TrackId & Pick<Track, "parentAgent">,
  known: Pick<ReadonlySet<string>, "has">,
): string | undefined {
  if (parentAgent === undefined || parentAgent === agent) return undefined;
  const parents = [parentAgent, ...(agent === MAIN_AGENT ? [] : [MAIN_AGENT])];
  return parents
    .map((parent) => trackKey({ session, agent: parent }))
    .find((key) => known.has(key));
}
