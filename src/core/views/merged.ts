import type { Activity } from "../activity/activity.ts";
import type { Finding } from "../activity/detect.ts";
import type { MutedFinding } from "../activity/mute.ts";
import { isActive, type SessionState } from "../activity/session-state.ts";
import type { TrackUsage } from "../activity/usage.ts";
import type { Waiting } from "../activity/waiting.ts";
import type { Archived } from "../archive.ts";
import type { Track, TrackId } from "../model.ts";
import type { Plan } from "../plan/plan.ts";
import { MAIN_AGENT, trackKey } from "../text/ids.ts";

/** A track merged from all sources: our store, the agent's own files and other machines. */
export interface MergedTrack {
  /** Waymark's list and plan if the list is hosted, otherwise the agent's own list. */
  readonly track: Track;
  /** Whether Waymark stores the list, so users can edit it. */
  readonly hosted: boolean;
  readonly state: SessionState;
  /** The request that the session waits for; `maybe` is a guess. */
  readonly waiting?: Waiting;
  readonly findings: readonly Finding[];
  /** Findings that the user muted: they neither count nor notify. */
  readonly muted?: readonly MutedFinding[];
  /** When the agent was last active or the user last changed its list. */
  readonly updatedAt: number;
  /** When the agent was last active. */
  readonly activeAt?: number;
  /** When the agent counts as stalled, by the settings of the merging program. */
  readonly stallsAt?: number;
  readonly activity?: Activity;
  /** Tokens that this agent used, without its subagents; absent if its files do not record them. */
  readonly usage?: TrackUsage;
  readonly plan?: Plan;
  /** The name of a subagent. */
  readonly name?: string;
  /** The first user prompt. */
  readonly prompt?: string;
  /** The machine that relays the track; absent for this machine. */
  readonly machine?: string;
  /** The user archived the session, or it has not changed for long: surfaces hide it until it changes. */
  readonly archived?: Archived;
}

/** Orders subagents by start time, then by name, so activity does not reorder them. */
export function byAppearance(a: MergedTrack, b: MergedTrack): number {
  const nameOf = ({ name, track }: MergedTrack) => name ?? track.agent;
  const order = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
  return (
    a.track.openedAt - b.track.openedAt ||
    order(nameOf(a), nameOf(b)) ||
    order(a.track.agent, b.track.agent)
  );
}

/** When the agent was last active. */
export function lastActive({ activeAt, updatedAt }: MergedTrack): number {
  return activeAt ?? updatedAt;
}

/** When work on the current todo ended: now, or the last activity if the agent is idle. */
export function workedUntil(merged: MergedTrack, now: number): number {
  return isActive(merged.state) ? now : Math.min(now, lastActive(merged));
}

/** The key of the parent of a subagent; undefined if it is not known. */
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
