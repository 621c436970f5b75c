import { isActive } from "../core/activity/session-state.ts";
import { archiveAfter } from "../core/archive.ts";
import type { Event, TrackId } from "../core/model.ts";
import { MINUTE } from "../core/text/duration.ts";
import { trackKey } from "../core/text/ids.ts";
import { type FeedChange, feedChanges } from "../core/views/changes.ts";
import type { MergedTrack } from "../core/views/merged.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import type { AnyTrack } from "./any-track.ts";
import { followSessions, type LiveSessions } from "./live.ts";
import { isEvent } from "./source.ts";
import type { SessionsCall, SourceOptions } from "./sources.ts";

/** All sources merged, live, with a stream of changes. Boards and servers show this. */
export interface Feed extends Pick<LiveSessions, "ready" | "read" | "problem"> {
  /** Newest first. */
  tracks(): readonly AnyTrack[];
  /** Delivers changes in order: applying each one (`applyFeedChange`) gives what `tracks` returns. */
  subscribe(listener: (change: FeedChange) => void): () => void;
  /** Called when `problem` changes. */
  onProblem(listener: (problem: string | undefined) => void): () => void;
  /** Publishes what changed, e.g. after a change of the archive, without waiting for the next round. */
  refresh(): void;
  stop(): void;
}

export interface FeedOptions extends SourceOptions {
  /** Milliseconds between two rounds of notifications. */
  readonly every?: number;
}

const EVERY = 100;
/** How often to check for agents that stalled, which no event reports. */
const CHECK_EVERY = 1_000;

export async function openFeed(
  call: SessionsCall,
  { every = EVERY, ...options }: FeedOptions = {},
): Promise<Feed> {
  const { terminal, env } = call;
  /** Whether sessions are archived as time passes. */
  const archives = archiveAfter(env) !== undefined;
  const listeners = new Set<(change: FeedChange) => void>();
  const problemListeners = new Set<(problem: string | undefined) => void>();
  /** The tracks as last published. */
  const published = new Map<string, AnyTrack>();
  /** Events since the last round. */
  const events = new Map<string, Event[]>();
  /** Keys of tracks with an update since the last round. */
  const updated = new Set<string>();
  let waiting: NodeJS.Timeout | undefined;
  /** By the monotonic clock. */
  let lastRound = 0;
  let live: LiveSessions | undefined;

  /** The result of the last merge, until something changes. */
  let merged: { readonly at: number; readonly tracks: readonly AnyTrack[] } | undefined;
  const tracks = (now = Date.now()): readonly AnyTrack[] => {
    if (merged && now - merged.at < every && now >= merged.at) return merged.tracks;
    merged = { at: now, tracks: live?.tracks(now) ?? [] };
    return merged.tracks;
  };

  const publish = (change: FeedChange): void => {
    for (const listener of listeners) listener(change);
  };
  const round = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    lastRound = performance.now();
    merged = undefined;
    const left = new Set(published.keys());
    for (const each of tracks()) {
      const key = trackKey(each.track);
      const known = published.get(key);
      left.delete(key);
      if (known && !updated.has(key) && isSameAs(known, each)) continue;
      published.set(key, each);
      for (const change of feedChanges(known, events.get(key) ?? [], withoutFiles(each)))
        publish(change);
    }
    for (const key of left) {
      const removed = published.get(key);
      published.delete(key);
      if (removed) publish({ type: "gone", id: idOf(removed.track) });
    }
    events.clear();
    updated.clear();
  };
  const scheduleRound = (): void => {
    merged = undefined;
    waiting ??= setTimeout(round, Math.max(0, lastRound + every - performance.now()));
  };
  const note = (id: TrackId, event: Event | undefined): void => {
    const key = trackKey(id);
    updated.add(key);
    if (event) events.set(key, [...(events.get(key) ?? []), event]);
    scheduleRound();
  };
  const notifyProblem = (problem: string | undefined): void => {
    for (const listener of problemListeners) listener(problem);
  };

  const opened = await followSessions(call, options, {
    onUpdates(updates) {
      for (const { id, change } of updates)
        note(id, change && isEvent(change) ? change : undefined);
    },
    onChange: scheduleRound,
    onProblem: (error) => notifyProblem(redactedMessage(error)),
    onRecovery: () => notifyProblem(undefined),
  });
  live = opened;
  const ready = opened.ready.then(round, (error: unknown) =>
    terminal.printError(`waymark: ${redactedMessage(error)}`),
  );
  round();
  const timer = setInterval(() => {
    opened.poll();
    const now = Date.now();
    for (const each of published.values()) if (mayStall(each, now)) scheduleRound();
    if (archives && performance.now() - lastRound > MINUTE) scheduleRound();
  }, CHECK_EVERY);

  return {
    ready,
    tracks: () => tracks(),
    read: opened.read,
    problem: opened.problem,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onProblem(listener) {
      problemListeners.add(listener);
      return () => problemListeners.delete(listener);
    },
    refresh: round,
    stop() {
      clearTimeout(waiting);
      clearInterval(timer);
      listeners.clear();
      problemListeners.clear();
      opened.stop();
    },
  };
}

function idOf({ session, agent }: TrackId): TrackId {
  return { session, agent };
}

/** Removes the sources: paths of an agent's files never leave the program. */
export function withoutFiles({ external: _, relayed: __, ...merged }: AnyTrack): MergedTrack {
  return merged;
}

/** Ignores what changes with time alone: surfaces count the seconds of a finding themselves. */
function isSameAs(known: AnyTrack, now: AnyTrack): boolean {
  return (
    known.track.version === now.track.version &&
    known.external === now.external &&
    known.relayed === now.relayed &&
    known.state === now.state &&
    known.waiting?.kind === now.waiting?.kind &&
    known.updatedAt === now.updatedAt &&
    known.findings.length === now.findings.length &&
    known.archived?.at === now.archived?.at &&
    !known.archived === !now.archived &&
    mutesOf(known) === mutesOf(now) &&
    proofsOf(known.track) === proofsOf(now.track)
  );
}

/** Tells mutes apart; empty without any. */
function mutesOf({ muted }: AnyTrack): string {
  return (
    muted?.map(({ kind, until, untilChange }) => `${kind} ${until} ${untilChange}`).join() ?? ""
  );
}

/** Tells proofs apart; empty for a list without any. */
function proofsOf({ todos }: AnyTrack["track"]): string {
  let key = "";
  for (const { proof } of todos)
    if (proof) key += `${proof.at} ${proof.ok} ${proof.accepted} ${proof.staleEdits}\n`;
  return key;
}

/** Whether the state may change without an update: only an active agent stalls, and mutes end. */
function mayStall({ state, stallsAt = 0, muted }: AnyTrack, now: number): boolean {
  if (muted?.some(({ until = Number.POSITIVE_INFINITY }) => now >= until)) return true;
  return isActive(state) && now >= stallsAt;
}
