import { isActive } from "../activity/session-state.ts";
import { evolve } from "../evolve.ts";
import type { Event, Track, TrackId } from "../model.ts";
import { trackKey } from "../text/ids.ts";
import { same } from "../values.ts";
import type { MergedTrack } from "./merged.ts";

/** A merged track without its list. */
export type FeedStatus = Omit<MergedTrack, "track"> & {
  readonly id: TrackId;
  readonly about: Partial<Pick<Track, (typeof ABOUT)[number]>>;
};

/** An update of the board. */
export type FeedChange =
  /** The next event of a list. */
  | { readonly type: "event"; readonly id: TrackId; readonly event: Event }
  /** A new track, or one that events cannot lead to: replaces the known one. */
  | { readonly type: "opened"; readonly track: MergedTrack }
  | { readonly type: "status"; readonly status: FeedStatus }
  | { readonly type: "gone"; readonly id: TrackId };

/** The fields of a track besides its list. */
const ABOUT = [
  "mode",
  "openedAt",
  "cwd",
  "title",
  "agentType",
  "parentAgent",
  "plan",
  "refused",
  "stalls",
] as const;

/**
 * The changes that bring a known track up to date: its events, if they lead to the current list,
 * otherwise the whole track.
 */
export function feedChanges(
  known: MergedTrack | undefined,
  events: readonly Event[],
  now: MergedTrack,
): readonly FeedChange[] {
  if (!known) return [{ type: "opened", track: now }];
  const { session, agent } = now.track;
  const id = { session, agent };
  let track = known.track;
  const changes: FeedChange[] = [];
  for (const event of events) {
    if (event.seq !== track.version + 1) continue;
    track = evolve(track, event);
    changes.push({ type: "event", id, event });
  }
  const { version, updatedAt, todos } = now.track;
  // A status can set fields, not remove them.
  const isRemoved = ABOUT.some((field) => track[field] && now.track[field] === undefined);
  const isBehind = track.version !== version || track.updatedAt !== updatedAt;
  if (isRemoved || isBehind || !same(track.todos, todos)) return [{ type: "opened", track: now }];
  return [...changes, { type: "status", status: statusOf(now) }];
}

function statusOf({ track, ...rest }: MergedTrack): FeedStatus {
  const { session, agent } = track;
  const about = Object.fromEntries(
    ABOUT.flatMap((field) => (track[field] === undefined ? [] : [[field, track[field]]])),
  );
  return { id: { session, agent }, ...rest, about };
}

/** The tracks that subscribers know, and what happened to them since. */
export interface Publication<T extends MergedTrack> {
  /** Records an update of a track. Updated tracks are published even if they look the same. */
  note(id: TrackId, event: Event | undefined): void;
  /** The changes that lead from the tracks of the last call to these. */
  update(tracks: readonly T[]): readonly FeedChange[];
  /** Whether a published track may change without an update: only an active agent stalls, and mutes end. */
  mayChange(now: number): boolean;
}

/**
 * Publishes the tracks that changed, without their sources. A track whose sources are the same objects as before did
 * not change there.
 */
export function openPublication<T extends MergedTrack>(
  sourcesOf: (track: T) => readonly unknown[],
  withoutSources: (track: T) => MergedTrack,
): Publication<T> {
  const published = new Map<string, T>();
  /** Events since the last call, by track; empty for an update without an event. */
  const noted = new Map<string, readonly Event[]>();
  const isSame = (known: T, now: T): boolean => {
    const sources = sourcesOf(now);
    return (
      isShownAs(known, now) && sourcesOf(known).every((each, place) => each === sources[place])
    );
  };
  return {
    note(id, event) {
      const key = trackKey(id);
      noted.set(key, [...(noted.get(key) ?? []), ...(event ? [event] : [])]);
    },
    update(tracks) {
      const removed = new Map(published);
      const changes: FeedChange[] = [];
      for (const each of tracks) {
        const key = trackKey(each.track);
        const known = published.get(key);
        const events = noted.get(key);
        removed.delete(key);
        if (known && !events && isSame(known, each)) continue;
        published.set(key, each);
        changes.push(...feedChanges(known, events ?? [], withoutSources(each)));
      }
      for (const [key, { track }] of removed) {
        published.delete(key);
        changes.push({ type: "gone", id: { session: track.session, agent: track.agent } });
      }
      noted.clear();
      return changes;
    },
    mayChange: (now) => [...published.values()].some((each) => mayStall(each, now)),
  };
}

/** Ignores what changes with time alone: surfaces count the seconds of a finding themselves. */
function isShownAs(known: MergedTrack, now: MergedTrack): boolean {
  return (
    known.track.version === now.track.version &&
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

/** Tells mutes apart. */
function mutesOf({ muted = [] }: MergedTrack): string {
  return muted.map(({ kind, until, untilChange }) => `${kind} ${until} ${untilChange}`).join();
}

/** Tells proofs apart. */
function proofsOf({ todos }: Track): string {
  return todos
    .flatMap(({ proof }) =>
      proof ? [`${proof.at} ${proof.ok} ${proof.accepted} ${proof.staleEdits}`] : [],
    )
    .join();
}

function mayStall({ state, stallsAt = 0, muted = [] }: MergedTrack, now: number): boolean {
  if (muted.some(({ until = Number.POSITIVE_INFINITY }) => now >= until)) return true;
  return isActive(state) && now >= stallsAt;
}

/** Applies a change to the tracks of a board. Changes of unknown tracks are left to the next resync. */
export function applyFeedChange(
  tracks: ReadonlyMap<string, MergedTrack>,
  change: FeedChange,
): ReadonlyMap<string, MergedTrack> {
  const next = new Map(tracks);
  switch (change.type) {
    case "opened":
      next.set(trackKey(change.track.track), change.track);
      return next;
    case "gone":
      next.delete(trackKey(change.id));
      return next;
    case "event": {
      const known = tracks.get(trackKey(change.id));
      if (!known || change.event.seq !== known.track.version + 1) return tracks;
      const track = evolve(known.track, change.event);
      next.set(trackKey(change.id), { ...known, track });
      return next;
    }
    case "status": {
      const { id, about, ...rest } = change.status;
      const known = tracks.get(trackKey(id));
      if (!known) return tracks;
      next.set(trackKey(id), { ...rest, track: { ...known.track, ...about } });
      return next;
    }
  }
}
