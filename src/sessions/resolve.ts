import type { Track, TrackId } from "../core/model.ts";
import { isGeneratedId, MAIN_AGENT, trackKey } from "../core/text/ids.ts";
import { byAppearance, parentKey } from "../core/views/merged.ts";
import { machineOfSession, relayedSession } from "../core/views/relayed.ts";
import type { AnyTrack } from "./any-track.ts";
import { sessionOfCaller } from "./caller/session.ts";
import { withProofsOf } from "./proofs.ts";
import { hostedList, type ReadList } from "./read-list.ts";
import type { SessionsCall, Sources } from "./sources.ts";
import type { ExternalTrack } from "./transcripts/catalog.ts";

/** Selects a track: a session by its name or the beginning of a generated id (default: the newest of the directory). */
export interface SessionSelector {
  readonly session?: string | undefined;
  /** Default: the main agent. */
  readonly agent?: string | undefined;
}

export interface ResolveOptions {
  /** The agents of another home directory. */
  readonly userHome?: string | undefined;
  /** The current directory; called only if no session is named. */
  readonly directory: () => string;
  /** Only the list as it is now is needed, not its history. */
  readonly onlyNow?: boolean;
}

/** How a list was found. `count` is the number of sessions with a list in the directory. */
export type Found =
  | { readonly by: "name" | "prefix" }
  | { readonly by: "directory"; readonly count: number };

/** Why no session was found. */
export type Unresolved =
  | { readonly problem: "ambiguous"; readonly given: string; readonly sessions: readonly string[] }
  | { readonly problem: "unknown"; readonly id: TrackId; readonly machine?: string }
  /** A session of another machine is meant, and no shared server is set. */
  | { readonly problem: "no_server"; readonly given: string }
  /** `archived` is the number of archived sessions with a list in the directory. */
  | { readonly problem: "none_here"; readonly archived?: number }
  /** Only the agent itself changes its list. */
  | { readonly problem: "external"; readonly track: ExternalTrack };

export type ResolvedList = Found & { readonly list: ReadList };

/** One track with its subagents. */
export type ResolvedTrack = ResolvedList & {
  /** Undefined if the session has no such track. */
  readonly found: AnyTrack | undefined;
  readonly children: readonly AnyTrack[];
  /** All agents of the session. */
  readonly family: readonly AnyTrack[];
};

/** Finds one list. Reads no transcripts if our store alone has the answer. */
export async function resolveList(
  call: SessionsCall,
  wanted: SessionSelector,
  options: ResolveOptions,
): Promise<ResolvedList | Unresolved> {
  const { userHome, onlyNow = false } = options;
  const { session, agent = MAIN_AGENT } = wanted;
  const isHere = session !== undefined && !machineOfSession(session);
  if (isHere && userHome === undefined) {
    const list = (await call.home.reading()).list({ session, agent });
    const track = await list.read();
    if (track.version > 0 && !mayHaveMore(track))
      return { by: "name", list: withProofsOf(call.home.path, hostedList(list)) };
    if (track.version > 0) return resolveTrack(call, wanted, options);
  }
  if (session !== undefined && onlyNow && agent === MAIN_AGENT) {
    const { lastListOf } = await import("./last-list.ts");
    const last = await lastListOf(call, session, userHome);
    if (last) return { by: "name", list: withProofsOf(call.home.path, last) };
  }
  return resolveTrack(call, wanted, options);
}

/** Whether transcripts may add to a list of ours: its title, the agent's own list, or checks that no hook reported. */
function mayHaveMore({ title, prompt, session, agentType, activity, todos }: Track): boolean {
  // A list that a user named has no agent, so no transcript.
  if (agentType === undefined && !isGeneratedId(session)) return false;
  const isHooked = (activity?.lastAt ?? 0) > 0;
  return (
    (title === undefined && prompt === undefined) ||
    todos.length === 0 ||
    (!isHooked && todos.some(({ status, check }) => status === "completed" && !check))
  );
}

/** Finds one track, merged from all sources, with its subagents. */
export async function resolveTrack(
  call: SessionsCall,
  wanted: SessionSelector,
  options: ResolveOptions,
): Promise<ResolvedTrack | Unresolved> {
  const { userHome } = options;
  // Loaded late: most of our own lists are found without it.
  const { openSources } = await import("./sources.ts");
  const sources = openSources(call, { userHome });
  const chosen = await choose(sources, wanted, options);
  if ("problem" in chosen) return chosen;
  const { family } = chosen;
  const found = family.find(({ track }) => trackKey(track) === trackKey(chosen.id));
  if (!found && userHome !== undefined) return { problem: "unknown", id: chosen.id };
  const list = found
    ? await sources.read(found)
    : withProofsOf(call.home.path, hostedList((await call.home.reading()).list(chosen.id)));
  const keys = new Set(family.map(({ track }) => trackKey(track)));
  const own = trackKey(chosen.id);
  const children = family.filter(
    ({ track }) => trackKey(track) !== own && parentKey(track, keys) === own,
  );
  const how: Found =
    chosen.by === "directory" ? { by: "directory", count: chosen.count } : { by: chosen.by };
  return { ...how, list, found, children: children.toSorted(byAppearance), family };
}

type Choice = Found & { readonly id: TrackId; readonly family: readonly AnyTrack[] };

async function choose(
  sources: Sources,
  wanted: SessionSelector,
  options: ResolveOptions,
): Promise<Choice | Unresolved> {
  const { session } = wanted;
  if (session === undefined) return newestHere(sources, wanted, options);
  const elsewhere = options.userHome === undefined ? machineOfSession(session) : undefined;
  return elsewhere
    ? onMachine(sources, session, elsewhere, wanted.agent)
    : named(sources, session, wanted.agent);
}

async function named(
  sources: Sources,
  given: string,
  agent: string | undefined,
): Promise<Choice | Unresolved> {
  const known = await sessionNamed(sources, given);
  if ("problem" in known) return known;
  const { session } = known;
  const family = await familyOf(sources, session);
  const id = { session, agent: agent ?? mainOf(family) };
  return { by: session === given ? "name" : "prefix", id, family };
}

/** The session with this name, or the only one whose generated id begins with it. */
export async function sessionNamed(
  { hosted, transcripts }: Sources,
  given: string,
): Promise<{ readonly session: string } | Unresolved> {
  const theirs = (await transcripts.list()).map(({ live }) => live.session);
  if (theirs.includes(given)) return { session: given };
  const ours = (await hosted?.list()) ?? [];
  const all = new Set([...ours.map(({ session }) => session), ...theirs]);
  const sessions = [...all].filter((known) => matchesName(known, given)).sort();
  if (sessions.includes(given) || sessions.length === 0) return { session: given };
  const [only, ...others] = sessions;
  if (only === undefined || others.length > 0) return { problem: "ambiguous", given, sessions };
  return { session: only };
}

/**
 * Whether a given name matches a session. Generated ids may be shortened. Names that a user chose may not: one can be
 * the beginning of another.
 */
export function matchesName(session: string, given: string): boolean {
  if (session === given) return true;
  return isGeneratedId(session) && given.length >= MIN_PREFIX && session.startsWith(given);
}

const MIN_PREFIX = 4;

/** Every agent of one session on this machine. */
async function familyOf(
  { hosted, transcripts, merge }: Sources,
  session: string,
): Promise<readonly AnyTrack[]> {
  const ours = (await hosted?.list({ session })) ?? [];
  const theirs = (await transcripts.list()).filter(({ live }) => live.session === session);
  return merge(ours, theirs, [], Date.now());
}

/** The main agent, or else the one that was active last. */
function mainOf(family: readonly AnyTrack[]): string {
  const has = family.some(({ track }) => track.agent === MAIN_AGENT);
  return has ? MAIN_AGENT : (family[0]?.track.agent ?? MAIN_AGENT);
}

async function onMachine(
  { remote, merge }: Sources,
  given: string,
  { session, machine }: { readonly session: string; readonly machine: string },
  agent: string | undefined,
): Promise<Choice | Unresolved> {
  if (!remote) return { problem: "no_server", given };
  const fitting = (await remote.list()).filter(
    (each) => each.machine === machine && matchesName(each.live.session, session),
  );
  const sessions = [...new Set(fitting.map(({ live }) => relayedSession(live.session, machine)))];
  const [only, ...others] = sessions;
  if (others.length > 0) return { problem: "ambiguous", given, sessions };
  const family = merge([], [], fitting, Date.now());
  const id = { session: only ?? given, agent: agent ?? mainOf(family) };
  const isThere = family.some(({ track }) => trackKey(track) === trackKey(id));
  if (!isThere) return { problem: "unknown", id: { ...id, session }, machine };
  return { by: only === given ? "name" : "prefix", id, family };
}

/** The newest track of this directory: one with a list if there is one. */
async function newestHere(
  sources: Sources,
  { agent }: SessionSelector,
  { directory }: ResolveOptions,
): Promise<Choice | Unresolved> {
  const cwd = directory();
  const allOurs = await hostedHere(sources, cwd, agent);
  const allTheirs = await externalHere(sources, cwd, agent);
  const archived = archivedAmong(sources, allOurs, allTheirs);
  const ours = allOurs.filter(({ session }) => !archived.has(session));
  const theirs = allTheirs.filter(({ live }) => !archived.has(live.session));
  const lists = [...ours, ...theirs.map(({ live }) => live.track)].filter(
    ({ todos }) => todos.length > 0,
  );
  const count = new Set(lists.map(({ session }) => session)).size;
  const [hosted] = ours;
  const found = theirs.find(({ live }) => live.track.version > 0) ?? theirs[0];
  const isNewer =
    found && (!hosted || (found.live.track.version > 0 && found.updatedAt > hosted.updatedAt));
  const chosen = isNewer ? found.live : hosted;
  if (!chosen)
    return { problem: "none_here", ...(archived.size > 0 && { archived: archived.size }) };
  const id = { session: chosen.session, agent: chosen.agent };
  return { by: "directory", count, id, family: await familyOf(sources, id.session) };
}

/** The sessions that the user archived. */
function archivedAmong(
  { archive }: Sources,
  ours: readonly Track[],
  theirs: readonly ExternalTrack[],
): ReadonlySet<string> {
  const latest = new Map<string, number>();
  const note = (session: string, at: number) =>
    latest.set(session, Math.max(at, latest.get(session) ?? 0));
  for (const { session, updatedAt } of ours) note(session, updatedAt);
  for (const { live, updatedAt } of theirs) note(live.session, updatedAt);
  return new Set(
    [...latest].flatMap(([session, at]) => (archive.has(session, at) ? [session] : [])),
  );
}

/** Our own tracks of a directory, newest first. */
export async function hostedHere(
  { hosted }: Pick<Sources, "hosted">,
  cwd: string,
  agent: string | undefined,
): Promise<readonly Track[]> {
  const tracks = (await hosted?.list({ cwd })) ?? [];
  return tracks.filter((track) => agent === undefined || track.agent === agent);
}

/** The tracks of agents that work in a directory, newest first; without subagents if no agent is named. */
export async function externalHere(
  { transcripts }: Pick<Sources, "transcripts">,
  cwd: string,
  agent: string | undefined,
): Promise<readonly ExternalTrack[]> {
  return (await transcripts.list()).filter(
    ({ live }) =>
      live.track.cwd === cwd &&
      (agent === undefined ? live.track.parentAgent === undefined : live.agent === agent),
  );
}

/** The track of the named agent of a session, or else of the main one, or else of the one that was active last. */
export async function externalNamed(
  { transcripts }: Pick<Sources, "transcripts">,
  session: string,
  agent: string | undefined,
): Promise<ExternalTrack | undefined> {
  const family = (await transcripts.list()).filter(({ live }) => live.session === session);
  if (agent !== undefined) return family.find(({ live }) => live.agent === agent);
  return family.find(({ live }) => live.agent === MAIN_AGENT) ?? family[0];
}

/** Adds the session of the agent that runs this process if none is named. */
export function withCallerSession(
  { env, home }: SessionsCall,
  wanted: SessionSelector,
): SessionSelector {
  if (wanted.session !== undefined) return wanted;
  const caller = sessionOfCaller({ env, pid: process.pid, home: home.path });
  return caller ? { ...wanted, session: caller.session } : wanted;
}

/** Selects the sessions that a given name matches, as they become known. */
export interface NameFilter {
  has(session: string): boolean;
  /** Whether one of them is known, or no name was given. */
  isKnown(): boolean;
}

/** Matches every session without a name; otherwise the one with the name, and until it is known, those that begin with it. */
export function filterByName(given: string): NameFilter {
  let isExact = false;
  let isKnown = given === "";
  return {
    has(session) {
      isExact ||= session === given;
      const isOne = given === "" || (isExact ? session === given : matchesName(session, given));
      isKnown ||= isOne;
      return isOne;
    },
    isKnown: () => isKnown,
  };
}
