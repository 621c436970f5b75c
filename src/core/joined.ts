import {
  ACTIVITY_POLICY,
  type Activity,
  findingsAt,
  stateAt,
  type TrackState,
} from "./activity.ts";
import type { Finding } from "./detect.ts";
import { heardAt, type Live } from "./live.ts";
import type { Todo, Track, TrackId } from "./model.ts";
import type { Plan } from "./plan.ts";
import { currentOf } from "./view.ts";

/** A session as the agent's own files tell of it. */
interface Foreign {
  readonly live: Live;
  readonly updatedAt: number;
}

/** A track, whoever keeps its list, and what else was seen of the agent. */
export interface JoinedTrack {
  /** The list; where Waymark and the agent both keep one, Waymark's. Its plan is Waymark's, too. */
  readonly track: Track;
  /** Waymark keeps the list, so that it can be edited. */
  readonly hosted: boolean;
  readonly state: TrackState;
  readonly findings: readonly Finding[];
  /** When it last did something. */
  readonly updatedAt: number;
  readonly activity?: Activity;
  readonly plan?: Plan;
  /** What a subagent is called. */
  readonly name?: string;
  /** What was asked for first. */
  readonly prompt?: string;
  /** The machine that relays it; none where it is of this one. */
  readonly machine?: string;
}

/** The agent that a person talks to; every other one of a session is a subagent. */
export const MAIN = "main";

export function trackKey({ session, agent }: TrackId): string {
  return JSON.stringify([session, agent]);
}

/** Both kinds as one, newest first, each agent of a session once. */
export function joinTracks<F extends Foreign>(
  hosted: readonly Track[],
  foreign: readonly F[],
  now: number,
): readonly (JoinedTrack & { readonly foreign?: F })[] {
  const ours = new Map(hosted.map((track) => [trackKey(track), track]));
  const families = new Map<string, F[]>();
  for (const each of foreign) {
    const family = families.get(each.live.session);
    if (family) family.push(each);
    else families.set(each.live.session, [each]);
  }
  const theirs = foreign.map((each) => {
    const key = trackKey(each.live);
    const own = ours.get(key);
    ours.delete(key);
    const family = families.get(each.live.session) ?? [];
    return { ...joinForeign(own, each, family, now), foreign: each };
  });
  const alone = [...ours.values()].map((track) => joinHosted(track, now));
  return [...theirs, ...alone].sort((a, b) => b.updatedAt - a.updatedAt);
}

function joinForeign(
  own: Track | undefined,
  { live, updatedAt }: Foreign,
  family: readonly Foreign[],
  now: number,
): JoinedTrack {
  const { activity, ended, name, prompt } = live;
  const alone = stateAt(activity, ended, now);
  const heard = () =>
    heardAt(
      live,
      family.map((each) => each.live),
    );
  const state =
    alone === "stalled" ? stateAt(activity, ended, now, ACTIVITY_POLICY, heard()) : alone;
  const isOwn = own !== undefined && isShown(own, live.track);
  const list = isOwn ? { ...own, todos: checked(own.todos, live.track.todos) } : live.track;
  const plan = own?.plan ?? live.plan;
  return {
    track: own ? { ...live.track, ...list, ...(own.plan && { plan: own.plan }) } : list,
    hosted: isOwn,
    state,
    findings: findingsAt(activity, state, now),
    updatedAt: Math.max(updatedAt, own?.updatedAt ?? 0),
    activity,
    ...(plan && { plan }),
    ...(name !== undefined && { name }),
    ...(prompt !== undefined && { prompt }),
  };
}

/** Whether our list is shown, where the agent keeps one as well. */
function isShown(own: Pick<Track, "todos">, theirs: Pick<Track, "todos">): boolean {
  return own.todos.length > 0 || theirs.todos.length === 0;
}

/** The agent's files may tell of a check that no host reported. */
function checked(own: readonly Todo[], theirs: readonly Todo[]): readonly Todo[] {
  return own.map((todo) => {
    if (todo.status !== "completed" || todo.check) return todo;
    const same = theirs.find(({ ref, text }) => ref === todo.id || text === todo.text);
    return same?.check && same.text === todo.text ? { ...todo, check: same.check } : todo;
  });
}

/** Where no host told of the agent, it is only known when its list was written. */
function joinHosted(track: Track, now: number): JoinedTrack {
  const { activity, plan, updatedAt } = track;
  const base = { track, hosted: true, updatedAt, ...(plan && { plan }) };
  if (activity && activity.lastAt > 0) {
    const state = stateAt(activity, false, now);
    return { ...base, state, findings: findingsAt(activity, state, now), activity };
  }
  const fresh = now - updatedAt < ACTIVITY_POLICY.goneAfter;
  return { ...base, state: fresh && currentOf(track.todos) ? "working" : "idle", findings: [] };
}

/** The track under which a subagent stands; none where its parent is not there. */
export function parentKey(
  { session, agent, parentAgent }: TrackId & Pick<Track, "parentAgent">,
  known: Pick<ReadonlySet<string>, "has">,
): string | undefined {
  if (parentAgent === undefined || parentAgent === agent) return undefined;
  const parents = [parentAgent, ...(agent === MAIN ? [] : [MAIN])];
  return parents
    .map((parent) => trackKey({ session, agent: parent }))
    .find((key) => known.has(key));
}
