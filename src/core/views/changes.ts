import { evolve } from "../evolve.ts";
import type { Event, Track, TrackId } from "../model.ts";
import { trackKey } from "../text/ids.ts";
import { same } from "../values.ts";
import type { MergedTrack } from "./merged.ts";

/** All of a joined track but its list. */
export type FeedStatus = Omit<MergedTrack, "track"> & {
  readonly id: TrackId;
  readonly about: Partial<Pick<Track, (typeof ABOUT)[number]>>;
};

/** What a board is told, so that what it shows is what there is. */
export type FeedChange =
  /** The next event of a list. */
  | { readonly type: "event"; readonly id: TrackId; readonly event: Event }
  /** New, or not what the events before lead to: to be taken as it is. */
  | { readonly type: "opened"; readonly track: MergedTrack }
  | { readonly type: "status"; readonly status: FeedStatus }
  | { readonly type: "gone"; readonly id: TrackId };

/** What a track says of itself besides its list. */
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
 * What leads from a track as a board knows it to the track as it is: the events, where they lead
 * there, else the whole of it.
 */
export function changesTo(
  known: MergedTrack | undefined,
  events: readonly Event[],
  now: MergedTrack,
): readonly FeedChange[] {
  if (!known) return [{ type: "opened", track: now }];
  const { session, agent } = now.track;
  const id = { session, agent };
  let track = known.track;
  const told: FeedChange[] = [];
  for (const event of events) {
    if (event.seq !== track.version + 1) continue;
    track = evolve(track, event);
    told.push({ type: "event", id, event });
  }
  if (track.version !== now.track.version || !same(track.todos, now.track.todos))
    return [{ type: "opened", track: now }];
  return [...told, { type: "status", status: statusOf(now) }];
}

function statusOf({ track, ...rest }: MergedTrack): FeedStatus {
  const { session, agent } = track;
  const about = Object.fromEntries(
    ABOUT.flatMap((field) => (track[field] === undefined ? [] : [[field, track[field]]])),
  );
  return { id: { session, agent }, ...rest, about };
}

/** The tracks of a board after a change; whatever is not known is left to the next whole reading. */
export function afterChange(
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
