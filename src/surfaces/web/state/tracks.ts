import type { Event, TrackId } from "../../../core/model.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { Story } from "../../../core/views/activity-timeline.ts";
import { afterChange, type FeedChange } from "../../../core/views/changes.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import type { TrackAnswer } from "../../../core/wire.ts";
import { fetchTrack } from "../connection/api.ts";
import { openReadings } from "../connection/readings.ts";
import { without } from "./without.ts";

/** All that happened to one track, kept while somebody looks at it. */
export interface Past {
  readonly events: readonly Event[];
  readonly story: Story;
}

export interface TracksState {
  readonly tracks: ReadonlyMap<string, MergedTrack>;
  readonly pasts: ReadonlyMap<string, Past>;
  /** Why the past of a track that somebody looks at cannot be read; it is tried again. */
  readonly pastTroubles: ReadonlyMap<string, string>;
}

export interface TracksPart {
  /** Everything was read anew. */
  replace(tracks: readonly MergedTrack[]): void;
  take(change: FeedChange): void;
  /** Reads the past of a track and keeps it true until `forget`. */
  look(id: TrackId): void;
  forget(id: TrackId): void;
}

export const NO_TRACKS: TracksState = {
  tracks: new Map(),
  pasts: new Map(),
  pastTroubles: new Map(),
};

export function openTracksPart(
  get: () => TracksState,
  set: (next: Partial<TracksState>) => void,
): TracksPart {
  const looked = new Set<string>();
  /** Lists of which something in between was lost; the rest would lead to another list. */
  const behind = new Set<string>();
  /** What was told of a track while it was on its way: it may be newer. */
  const meanwhile = new Map<string, Event[]>();

  const readings = openReadings<TrackAnswer>({
    read(key) {
      meanwhile.set(key, []);
      return fetchTrack(idOf(key));
    },
    take(key, { events, story, position: _, ...joined }) {
      const told = meanwhile.get(key) ?? [];
      meanwhile.delete(key);
      behind.delete(key);
      const { tracks, pasts, pastTroubles } = get();
      const known = tracks.get(key);
      const isNews = known !== undefined && joined.track.version > known.track.version;
      set({
        ...(isNews && { tracks: new Map(tracks).set(key, joined) }),
        ...(looked.has(key) && { pasts: new Map(pasts).set(key, { events, story }) }),
        pastTroubles: without(pastTroubles, key),
      });
      for (const event of told) follow(idOf(key), event);
    },
    refuse(key, { code, message }) {
      meanwhile.delete(key);
      // Not there any more: what is shown says so.
      const isGone = code === "unknown_track";
      if (looked.has(key) && !isGone)
        set({ pastTroubles: new Map(get().pastTroubles).set(key, message) });
      return !isGone;
    },
    isWanted: (key) => looked.has(key) || behind.has(key),
  });

  /** Takes the next event of a list; where one before it is missing, all of it is read. */
  const follow = (id: TrackId, event: Event): void => {
    const key = trackKey(id);
    const { pasts } = get();
    const tracks = afterChange(get().tracks, { type: "event", id, event });
    const past = pasts.get(key);
    const next = (past?.events.at(-1)?.seq ?? 0) + 1;
    set({
      tracks,
      ...(past &&
        event.seq === next && {
          pasts: new Map(pasts).set(key, { ...past, events: [...past.events, event] }),
        }),
    });
    if (isAhead(tracks.get(key), event)) behind.add(key);
    const isCut = past !== undefined && event.seq > next;
    if ((isCut || behind.has(key)) && !meanwhile.has(key)) readings.want(key);
  };

  return {
    replace(tracks) {
      behind.clear();
      set({ tracks: new Map(tracks.map((each) => [trackKey(each.track), each])) });
      for (const key of looked) readings.want(key);
    },
    take(change) {
      if (change.type === "event") {
        meanwhile.get(trackKey(change.id))?.push(change.event);
        follow(change.id, change.event);
        return;
      }
      set({ tracks: afterChange(get().tracks, change) });
      if (change.type === "opened") {
        const key = trackKey(change.track.track);
        behind.delete(key);
        if (looked.has(key)) readings.want(key);
      }
    },
    look(id) {
      const key = trackKey(id);
      if (looked.has(key)) return;
      looked.add(key);
      readings.want(key);
    },
    forget(id) {
      const key = trackKey(id);
      looked.delete(key);
      const { pasts, pastTroubles } = get();
      set({ pasts: without(pasts, key), pastTroubles: without(pastTroubles, key) });
    },
  };
}

function isAhead(known: MergedTrack | undefined, { seq }: Event): boolean {
  return known !== undefined && seq > known.track.version;
}

function idOf(key: string): TrackId {
  const [session, agent] = JSON.parse(key) as [string, string];
  return { session, agent };
}
