import { DIALECTS } from "../agents/index.ts";
import { isActive } from "../core/activity/session-state.ts";
import { stallPolicyFromEnv } from "../core/activity/stall.ts";
import type { Event, TrackId } from "../core/model.ts";
import { trackKey } from "../core/text/ids.ts";
import { changesTo, type FeedChange } from "../core/views/changes.ts";
import { type JoinedTrack, joinTracks } from "../core/views/merged.ts";
import { type Driver, loadDriver } from "../engines/sqlite/driver.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import type { Context } from "../home/open.ts";
import { sharedStore } from "../home/shared-store.ts";
import type { AnyTrack } from "./any-track.ts";
import { followHosted, type HostedLists, type HostedNews } from "./hosted.ts";
import { witnessing } from "./lease-renewal.ts";
import { followOthers, type OtherMachines } from "./remote/machines.ts";
import { indexOf, keepIndex, machineOf } from "./transcripts/agents.ts";
import { type Follower, follow } from "./transcripts/follow.ts";

/** Everything that a board shows, live: the agents' own lists and ours as one. */
export interface Feed {
  readonly driver: Driver | undefined;
  /** What was there at the start was read; until then there is part of it, the newest first. */
  readonly ready: Promise<void>;
  /** Newest first. */
  tracks(): readonly AnyTrack[];
  /** All that happened to the list of a track of another machine. */
  pastElsewhere(track: AnyTrack): Promise<readonly Event[]>;
  /** Told in order; whoever folds what it is told (`afterChange`) has what `tracks` answers. */
  subscribe(listener: (change: FeedChange) => void): () => void;
  /** Why our own lists may be out of date; nothing while they are not. */
  problem(): string | undefined;
  /** Called when that changes. */
  onProblem(listener: (problem: string | undefined) => void): () => void;
  stop(): void;
}

export interface FeedOptions {
  /** The agents of another home directory, and none of our own lists. */
  readonly userHome?: string | undefined;
  /** Also show the lists of `home`, although the agents are those of another home directory. */
  readonly hasLists?: boolean;
  /** Milliseconds between two rounds of telling. */
  readonly every?: number;
  /** The server whose machines are shown too; false for none, whatever the environment names. */
  readonly store?: string | undefined | false;
}

/** Often enough to be called live, seldom enough to cost nothing. */
const EVERY = 100;
/** Somebody who says nothing stalls in time. */
const LOOK = 1_000;

export async function openFeed(
  { home, env, terminal }: Pick<Context, "home" | "env" | "terminal">,
  { userHome, hasLists = userHome === undefined, every = EVERY, store }: FeedOptions = {},
): Promise<Feed> {
  const policy = stallPolicyFromEnv(env);
  const listeners = new Set<(change: FeedChange) => void>();
  const concerned = new Set<(problem: string | undefined) => void>();
  const told = new Map<string, AnyTrack>();
  const events = new Map<string, Event[]>();
  /** What was heard of since the last round. */
  const heard = new Set<string>();
  let waiting: NodeJS.Timeout | undefined;
  /** By the clock that nobody sets. */
  let lastRound = 0;
  let hosted: HostedLists | undefined;
  let follower: Follower | undefined;
  let relayed: OtherMachines | undefined;

  /** What the last round found, as long as nothing was heard since. */
  let joined: { readonly at: number; readonly tracks: readonly AnyTrack[] } | undefined;

  const joinAll = (now: number): readonly AnyTrack[] => {
    const here = joinTracks(hosted?.tracks() ?? [], follower?.tracks() ?? [], now, policy);
    const elsewhere = relayed?.tracks(now) ?? [];
    if (elsewhere.length === 0) return here;
    return [...here, ...elsewhere].sort((a, b) => b.updatedAt - a.updatedAt);
  };
  const tracks = (now = Date.now()): readonly AnyTrack[] => {
    if (joined && now - joined.at < every && now >= joined.at) return joined.tracks;
    const found = joinAll(now);
    joined = { at: now, tracks: found };
    return found;
  };

  const tell = (change: FeedChange): void => {
    for (const listener of listeners) listener(change);
  };
  const round = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    lastRound = performance.now();
    joined = undefined;
    const left = new Set(told.keys());
    for (const each of tracks()) {
      const key = trackKey(each.track);
      const known = told.get(key);
      left.delete(key);
      if (known && !heard.has(key) && isAsTold(known, each)) continue;
      told.set(key, each);
      for (const change of changesTo(known, events.get(key) ?? [], withoutFiles(each)))
        tell(change);
    }
    for (const key of left) {
      const gone = told.get(key);
      told.delete(key);
      if (gone) tell({ type: "gone", id: idOf(gone.track) });
    }
    events.clear();
    heard.clear();
  };
  const soon = (): void => {
    joined = undefined;
    waiting ??= setTimeout(round, Math.max(0, lastRound + every - performance.now()));
  };
  const hear = (id: TrackId, event: Event | undefined): void => {
    const key = trackKey(id);
    heard.add(key);
    if (event) events.set(key, [...(events.get(key) ?? []), event]);
    soon();
  };

  const own = hasLists;
  const machine = machineOf(env, userHome);
  const index = indexOf({ home }, userHome);
  const onProblem = (error: unknown): void => terminal.say(`waymark: ${redactedMessage(error)}`);
  if (own)
    hosted = await followHosted(home, {
      onNews: (news, before) => hear(before, isEvent(news) ? news : undefined),
      onProblem(error) {
        onProblem(error);
        for (const listener of concerned) listener(redactedMessage(error));
      },
      onRecovery() {
        for (const listener of concerned) listener(undefined);
      },
    });
  const server = own && store !== false ? sharedStore(store, env) : undefined;
  if (server !== undefined) relayed = followOthers({ home, terminal, env }, server, soon);
  const driver = await loadDriver().catch((error: unknown) => {
    terminal.say(`waymark: databases are left out: ${redactedMessage(error)}`);
    return undefined;
  });
  const witness = own ? witnessing(home, onProblem) : undefined;
  follower = follow(DIALECTS, machine, {
    index,
    driver,
    onNews: (news) => {
      witness?.news(news);
      for (const { live, change } of news) hear(live, change);
    },
    onChange: soon,
    onProgress: soon,
    onWarning: (message) => terminal.say(`waymark: ${message}`),
  });
  const ready = Promise.all([follower.ready, relayed?.ready]).then(round, onProblem);
  round();
  const timer = setInterval(() => {
    hosted?.look();
    const now = Date.now();
    for (const each of told.values()) if (mayPass(each, now)) soon();
  }, LOOK);

  return {
    driver,
    ready,
    tracks: () => tracks(),
    pastElsewhere: async (track) => relayed?.past(track) ?? [],
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    problem: () => hosted?.problem(),
    onProblem(listener) {
      concerned.add(listener);
      return () => concerned.delete(listener);
    },
    stop() {
      clearTimeout(waiting);
      clearInterval(timer);
      listeners.clear();
      concerned.clear();
      witness?.stop();
      follower?.stop();
      relayed?.stop();
      hosted?.stop();
      if (own && index.size > 0) keepIndex({ home, terminal }, index);
    },
  };
}

/** A list that was there before anybody looked comes without what happened to it. */
function isEvent(news: HostedNews | Event): news is Event {
  return "seq" in news;
}

function idOf({ session, agent }: TrackId): TrackId {
  return { session, agent };
}

/** Where the files of an agent lie is nobody's business but the program's. */
export function withoutFiles({ foreign: _, relayed: __, ...joined }: AnyTrack): JoinedTrack {
  return joined;
}

/** What passes with time alone: the words of a finding tell seconds, which whoever shows them counts. */
function isAsTold(known: AnyTrack, now: AnyTrack): boolean {
  return (
    known.track.version === now.track.version &&
    known.foreign === now.foreign &&
    known.relayed === now.relayed &&
    known.state === now.state &&
    known.waiting?.kind === now.waiting?.kind &&
    known.updatedAt === now.updatedAt &&
    known.findings.length === now.findings.length
  );
}

/** Nobody else's state changes without news. */
function mayPass({ state, stallsAt = 0 }: AnyTrack, now: number): boolean {
  return isActive(state) && now >= stallsAt;
}
