import { ACTIVITY_POLICY, type Activity, stallsAt } from "../core/activity/activity.ts";
import {
  findingsOf,
  type SessionFacts,
  sinceDecision,
  stateOf,
  waitingOf,
} from "../core/activity/session-state.ts";
import { STALL_POLICY, type StallPolicy } from "../core/activity/stall.ts";
import { type TrackUsage, withTodoIds } from "../core/activity/usage.ts";
import { isRequestAnswered, type OpenRequest } from "../core/activity/waiting.ts";
import type { Todo, Track } from "../core/model.ts";
import { type AgentActivity, familyStallsAt, type LiveTrack } from "../core/stream/fold.ts";
import { MAIN_AGENT, trackKey } from "../core/text/ids.ts";
import { type MergedTrack, parentKey } from "../core/views/merged.ts";

/** A track of a transcript. */
interface External {
  readonly live: LiveTrack;
  readonly updatedAt: number;
}

/** Merges our own lists and those of transcripts, newest first: each agent of a session once. */
export function mergeTracks<F extends External>(
  hosted: readonly Track[],
  external: readonly F[],
  now: number,
  policy: StallPolicy = STALL_POLICY,
): readonly (MergedTrack & { readonly external?: F })[] {
  const ours = new Map(hosted.map((track) => [trackKey(track), track]));
  const families = familiesOf(hosted, external);
  const theirs = external.map((each) => {
    const key = trackKey(each.live);
    const own = ours.get(key);
    ours.delete(key);
    const family = families.get(each.live.session) ?? [];
    return { ...mergeExternal(own, each, family, now, policy), external: each };
  });
  const alone = [...ours.values()].map((track) =>
    mergeHosted(track, families.get(track.session) ?? [], now, policy),
  );
  const all: (MergedTrack & { readonly external?: F })[] = [...theirs, ...alone];
  return withoutShared(withChildRequests(all)).sort((a, b) => b.updatedAt - a.updatedAt);
}

/** The agents of each session, from transcripts and from hooks. */
function familiesOf(
  hosted: readonly Track[],
  external: readonly External[],
): ReadonlyMap<string, readonly AgentActivity[]> {
  const families = new Map<string, AgentActivity[]>();
  const put = (member: AgentActivity): void => {
    const family = families.get(member.session);
    if (family) family.push(member);
    else families.set(member.session, [member]);
  };
  for (const { live } of external) put(live);
  for (const track of hosted) {
    const { session, agent, activity } = track;
    if (activity) put({ session, agent, track, activity });
  }
  return families;
}

/** The user answers a subagent's request in the session that started it: the session waits too. */
function withChildRequests<T extends MergedTrack>(tracks: readonly T[]): T[] {
  const children = tracks.filter(isWaitingChild);
  if (children.length === 0) return [...tracks];
  const all = new Map(tracks.map((each) => [trackKey(each.track), each]));
  for (const { waiting, track } of children) {
    const key = parentKey(track, all);
    const parent = key === undefined ? undefined : all.get(key);
    if (key === undefined || !waiting || !parent) continue;
    if (parent.state === "needs_you" || parent.state === "ended") continue;
    const findings = parent.findings.filter(({ kind }) => kind !== "stalled");
    all.set(key, { ...parent, state: "needs_you", waiting, findings });
  }
  return [...all.values()];
}

function isWaitingChild({ state, track }: MergedTrack): boolean {
  return state === "needs_you" && track.parentAgent !== undefined;
}

/**
 * Subagents that work on the list of their parent have its todos in their own files as well. Each todo
 * counts once, with the main agent, whose list has all of them.
 */
function withoutShared<T extends MergedTrack & { readonly external?: External }>(
  tracks: readonly T[],
): T[] {
  const shares = ({ external, track }: T) => external?.live.stepwise && track.agent !== MAIN_AGENT;
  if (!tracks.some(shares)) return [...tracks];
  const mains = new Map(
    tracks.flatMap(({ track }) => (track.agent === MAIN_AGENT ? [[track.session, track]] : [])),
  );
  return tracks.map((each) => {
    const main = shares(each) && mains.get(each.track.session);
    if (!main) return each;
    const refs = new Set(main.todos.map(({ ref }) => ref));
    const todos = each.track.todos.filter(({ ref }) => ref === undefined || !refs.has(ref));
    return { ...each, track: { ...each.track, todos } };
  });
}

function mergeExternal(
  own: Track | undefined,
  { live, updatedAt }: External,
  family: readonly AgentActivity[],
  now: number,
  policy: StallPolicy,
): MergedTrack {
  const { ended, name } = live;
  const prompt = live.prompt ?? own?.prompt;
  const isOwn = own !== undefined && isShown(own, live.track);
  const list = isOwn ? { ...own, todos: checked(own.todos, live.track.todos) } : live.track;
  const plan = own?.plan ?? live.plan;
  const seen = withEnd(withRequest(live.activity, own?.activity), own?.activity);
  const activity = sinceDecision(seen, plan);
  const stalls = Math.max(stallsAt(activity, policy), familyStallsAt(live, family, policy));
  const facts = {
    todos: list.todos,
    ended,
    updatedAt,
    activity,
    plan,
    hooked: (own?.activity?.lastAt ?? 0) > 0,
    stallsAt: stalls,
  };
  const { state, findings, waiting } = standing(facts, now, policy);
  const usage = live.usage
    ? shownUsage(live.usage, isOwn ? own : undefined, live.track)
    : own?.usage;
  return {
    track: own
      ? {
          ...live.track,
          ...list,
          ...(own.title !== undefined && { title: own.title }),
          ...(own.plan && { plan: own.plan }),
          ...(own.stalls && { stalls: own.stalls }),
        }
      : list,
    hosted: isOwn,
    state,
    findings,
    ...(waiting && { waiting }),
    updatedAt: Math.max(updatedAt, own?.updatedAt ?? 0),
    activeAt: Math.max(updatedAt, own?.agentAt ?? 0),
    stallsAt: stalls,
    activity,
    ...(usage && { usage }),
    ...(plan && { plan }),
    ...(name !== undefined && { name }),
    ...(prompt !== undefined && { prompt }),
  };
}

/** State, findings and request of a session at a time. */
function standing(
  facts: SessionFacts,
  now: number,
  policy: StallPolicy,
): Pick<MergedTrack, "state" | "findings" | "waiting"> {
  const { activity } = facts;
  const state = stateOf(facts, now, { ...ACTIVITY_POLICY, ...policy });
  const waiting = waitingOf(facts, now);
  return {
    state,
    findings: activity ? findingsOf(activity, state, now) : [],
    ...(waiting && { waiting }),
  };
}

/** Both the session file and hooks may report a request, and both may show that it was answered. */
function withRequest(file: Activity, hooks: Activity | undefined): Activity {
  const { waiting, ...rest } = file;
  const isOpen = (request: OpenRequest | undefined, other: Activity | undefined) =>
    request && !(other && isRequestAnswered(request, other)) ? request : undefined;
  const open = isOpen(hooks?.waiting, file) ?? isOpen(waiting, hooks);
  return { ...rest, ...(open && { waiting: open }) };
}

/** The last line of a session file may be written after the hook ran. */
const LAST_LINE_MS = 2_000;

/** Most session files do not say that the session ended; the hooks of the agent do. */
function withEnd(file: Activity, hooks: Activity | undefined): Activity {
  return hooks?.ended && file.lastAt <= hooks.lastAt + LAST_LINE_MS
    ? { ...file, ended: true }
    : file;
}

/** Whether our list is shown if the agent has one as well. */
function isShown(own: Track, theirs: Pick<Track, "todos">): boolean {
  return own.todos.length > 0 || (theirs.todos.length === 0 && !hasOnlyStalls(own));
}

/** Whether the track exists only because Waymark recorded a stall of an agent without hooks. */
function hasOnlyStalls({ stalls, activity, plan, revision }: Track): boolean {
  return stalls !== undefined && !activity && !plan && revision === 0;
}

/** Adds checks that only the transcript has. */
function checked(own: readonly Todo[], theirs: readonly Todo[]): readonly Todo[] {
  return own.map((todo) => {
    if (todo.status !== "completed" || todo.check) return todo;
    const same = theirs.find(({ ref, text }) => ref === todo.id || text === todo.text);
    return same?.check && same.text === todo.text ? { ...todo, check: same.check } : todo;
  });
}

/** The usage with the ids of the list that is shown. */
function shownUsage(usage: TrackUsage, own: Track | undefined, theirs: Track): TrackUsage {
  return own ? withTodoIds(usage, idsIn(own, theirs)) : usage;
}

/**
 * The ids of our list for the todos of the transcript. A todo that our list does not have keeps its id in the
 * transcript, marked so that it is none of ours.
 */
function idsIn(own: Track, theirs: Track): (id: string, text: string | undefined) => string {
  const refs = new Map(theirs.todos.map(({ id, ref }) => [id, ref]));
  return (id, text) => {
    const ref = refs.get(id);
    const isSame = (todo: Todo) => ref !== undefined && (todo.id === ref || todo.ref === ref);
    const same = own.todos.filter((todo) => todo.text === text);
    return (same.find(isSame) ?? same[0])?.id ?? `transcript-${id}`;
  };
}

/** A track without a transcript. Without hooks, only its last list write is known. */
function mergeHosted(
  track: Track,
  family: readonly AgentActivity[],
  now: number,
  policy: StallPolicy,
): MergedTrack {
  const { plan, updatedAt, todos, usage } = track;
  const seen = track.activity && track.activity.lastAt > 0 ? track.activity : undefined;
  const activity = seen && sinceDecision(seen, plan);
  const activeAt = Math.max(activity?.lastAt ?? 0, track.agentAt ?? 0) || updatedAt;
  const { session, agent } = track;
  const stalls = activity
    ? familyStallsAt({ session, agent, track, activity }, family, policy)
    : undefined;
  const facts = {
    todos,
    ended: false,
    updatedAt: activeAt,
    activity,
    plan,
    hooked: true,
    stallsAt: stalls,
  };
  return {
    track,
    hosted: true,
    updatedAt,
    activeAt,
    ...(plan && { plan }),
    ...(usage && { usage }),
    ...standing(facts, now, policy),
    ...(activity && { activity }),
    ...(stalls !== undefined && { stallsAt: stalls }),
  };
}
