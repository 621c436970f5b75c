import { ACTIVITY_POLICY, findingsAt, stateAt, type TrackState } from "../core/activity.ts";
import type { Finding } from "../core/detect.ts";
import { heardAt } from "../core/live.ts";
import type { Track, TrackId } from "../core/model.ts";
import { currentOf } from "../core/view.ts";
import type { ForeignTrack } from "../follow/roster.ts";

/** A track, whoever keeps its list. */
export interface AnyTrack {
  /** The list; where Waymark and the agent both keep one, Waymark's. */
  readonly track: Track;
  /** Waymark keeps the list. */
  readonly hosted: boolean;
  /** What the agent's own files tell. */
  readonly foreign?: ForeignTrack;
  readonly state: TrackState;
  readonly findings: readonly Finding[];
  /** When it last did something. */
  readonly updatedAt: number;
}

export function trackKey({ session, agent }: TrackId): string {
  return JSON.stringify([session, agent]);
}

/** Both kinds as one, newest first, each agent of a session once. */
export function joinTracks(
  hosted: readonly Track[],
  foreign: readonly ForeignTrack[],
  now: number,
): readonly AnyTrack[] {
  const ours = new Map(hosted.map((track) => [trackKey(track), track]));
  const families = new Map<string, ForeignTrack[]>();
  for (const each of foreign) {
    const family = families.get(each.live.session);
    if (family) family.push(each);
    else families.set(each.live.session, [each]);
  }
  const theirs = foreign.map((each) => {
    const key = trackKey(each.live);
    const own = ours.get(key);
    ours.delete(key);
    return describe(own, each, families.get(each.live.session) ?? [], now);
  });
  const alone = [...ours.values()].map((track) => describeHosted(track, now));
  return [...theirs, ...alone].sort((a, b) => b.updatedAt - a.updatedAt);
}

function describe(
  own: Track | undefined,
  foreign: ForeignTrack,
  family: readonly ForeignTrack[],
  now: number,
): AnyTrack {
  const { live } = foreign;
  const { activity, ended } = live;
  const alone = stateAt(activity, ended, now);
  const heard = () =>
    heardAt(
      live,
      family.map((each) => each.live),
    );
  const state =
    alone === "stalled" ? stateAt(activity, ended, now, ACTIVITY_POLICY, heard()) : alone;
  const list = own && (own.todos.length > 0 || live.track.todos.length === 0) ? own : live.track;
  return {
    track: own ? { ...live.track, ...list } : list,
    hosted: own !== undefined,
    foreign,
    state,
    findings: findingsAt(activity, state, now),
    updatedAt: Math.max(foreign.updatedAt, own?.updatedAt ?? 0),
  };
}

/** Of a list alone it is only known when it was written. */
export function describeHosted(track: Track, now: number): AnyTrack {
  const fresh = now - track.updatedAt < ACTIVITY_POLICY.goneAfter;
  return {
    track,
    hosted: true,
    state: fresh && currentOf(track.todos) ? "working" : "idle",
    findings: [],
    updatedAt: track.updatedAt,
  };
}

/** A subagent of an agent that is there as well. */
export function isSubagent({ track }: AnyTrack, all: ReadonlySet<string>): boolean {
  const { session, agent, parentAgent } = track;
  if (parentAgent === undefined || parentAgent === agent) return false;
  return (
    all.has(trackKey({ session, agent: parentAgent })) ||
    (agent !== MAIN && all.has(trackKey({ session, agent: MAIN })))
  );
}

export const MAIN = "main";

const GENERATED = /^(?:[\da-f]{8}-[\da-f]{4}-|ses_)/i;
const SHORTEST = 8;

/** An id that a program made up: nobody types all of it. */
export function isGenerated(session: string): boolean {
  return GENERATED.test(session);
}

/** For each session the shortest beginning that no other session has; names stay as they are. */
export function shortIds(sessions: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = [...new Set(sessions)].sort();
  return new Map(
    sorted.map((session, place) => {
      if (!isGenerated(session)) return [session, session];
      const others = [sorted[place - 1] ?? "", sorted[place + 1] ?? ""];
      const length = Math.max(SHORTEST, ...others.map((other) => sharedLength(session, other) + 1));
      return [session, session.slice(0, length)];
    }),
  );
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
