import { archiveAfter } from "../core/archive.ts";
import { MINUTE } from "../core/text/duration.ts";
import { type FeedChange, openPublication } from "../core/views/changes.ts";
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
  const publication = openPublication<AnyTrack>(
    ({ external, relayed }) => [external, relayed],
    withoutFiles,
  );
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

  const round = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    lastRound = performance.now();
    merged = undefined;
    for (const change of publication.update(tracks()))
      for (const listener of listeners) listener(change);
  };
  const scheduleRound = (): void => {
    merged = undefined;
    waiting ??= setTimeout(round, Math.max(0, lastRound + every - performance.now()));
  };
  const notifyProblem = (problem: string | undefined): void => {
    for (const listener of problemListeners) listener(problem);
  };

  const opened = await followSessions(call, options, {
    onUpdates(updates) {
      for (const { id, change } of updates)
        publication.note(id, change && isEvent(change) ? change : undefined);
      if (updates.length > 0) scheduleRound();
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
    if (publication.mayChange(Date.now())) scheduleRound();
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

/** Removes the sources: paths of an agent's files never leave the program. */
export function withoutFiles({ external: _, relayed: __, ...merged }: AnyTrack): MergedTrack {
  return merged;
}
