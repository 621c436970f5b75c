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
  if (track.version !== now.track.version || !same(track.todos, now.track.todos))
    return [{ type: "opened", track: now }];
  return [...changes, { type: "status", status: statusOf(now) }];
}

function statusOf({ track, ...rest }: MergedTrack): FeedStatus {
  const { session, agent } = track;
  const about = Object.fromEntries(
    ABOUT.flatMap((field) => (track[field] === undefined ? [] : [[field, track[field]]])),
  );
  return { id: { session, agent }, ...rest, about };
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
