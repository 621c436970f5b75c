import type { Event, TrackId } from "../../../core/model.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { ActivityTimeline } from "../../../core/views/activity-timeline.ts";
import { applyFeedChange, type FeedChange } from "../../../core/views/changes.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import type { TrackResponse } from "../../../core/wire.ts";
import { fetchTrack } from "../connection/api.ts";
import { openLoader } from "../connection/loader.ts";
import { withoutKey } from "./without-key.ts";

/** The history of a track, kept while its page is open. */
export interface TrackHistory {
  readonly events: readonly Event[];
  readonly story: ActivityTimeline;
}

export interface TracksState {
  readonly tracks: ReadonlyMap<string, MergedTrack>;
  readonly histories: ReadonlyMap<string, TrackHistory>;
  /** Errors of loading the history of an open track; loading is retried. */
  readonly historyErrors: ReadonlyMap<string, string>;
}

export interface TracksSlice {
  /** Replaces all tracks after a full load. */
  replace(tracks: readonly MergedTrack[]): void;
  apply(change: FeedChange): void;
  /** Loads the history of a track and keeps it up to date until `unwatch`. */
  watch(id: TrackId): void;
  unwatch(id: TrackId): void;
}

export const NO_TRACKS: TracksState = {
  tracks: new Map(),
  histories: new Map(),
  historyErrors: new Map(),
};

export function openTracksSlice(
  get: () => TracksState,
  set: (next: Partial<TracksState>) => void,
): TracksSlice {
  const watched = new Set<string>();
  /** Tracks with missed events, which must be loaded again. */
  const behind = new Set<string>();
  /** Events received while a track was loading, which may be newer than the response. */
  const received = new Map<string, Event[]>();

  const loader = openLoader<TrackResponse>({
    fetch(key) {
      received.set(key, []);
      return fetchTrack(idOf(key));
    },
    onLoaded(key, { events, story, position: _, ...merged }) {
      const buffered = received.get(key) ?? [];
      received.delete(key);
      behind.delete(key);
      const { tracks, histories, historyErrors } = get();
      const known = tracks.get(key);
      const isNewer = known !== undefined && merged.track.version > known.track.version;
      set({
        ...(isNewer && { tracks: new Map(tracks).set(key, merged) }),
        ...(watched.has(key) && { histories: new Map(histories).set(key, { events, story }) }),
        historyErrors: withoutKey(historyErrors, key),
      });
      for (const event of buffered) applyEvent(idOf(key), event);
    },
    onError(key, { code, message }) {
      received.delete(key);
      // The track was removed; the page shows that.
      const isRemoved = code === "unknown_track";
      if (watched.has(key) && !isRemoved)
        set({ historyErrors: new Map(get().historyErrors).set(key, message) });
      return !isRemoved;
    },
    isWanted: (key) => watched.has(key) || behind.has(key),
  });

  /** Applies an event; after a gap, loads the track again. */
  const applyEvent = (id: TrackId, event: Event): void => {
    const key = trackKey(id);
    const { histories } = get();
    const tracks = applyFeedChange(get().tracks, { type: "event", id, event });
    const history = histories.get(key);
    const next = (history?.events.at(-1)?.seq ?? 0) + 1;
    set({
      tracks,
      ...(history &&
        event.seq === next && {
          histories: new Map(histories).set(key, {
            ...history,
            events: [...history.events, event],
          }),
        }),
    });
    if (isAhead(tracks.get(key), event)) behind.add(key);
    const hasGap = history !== undefined && event.seq > next;
    if ((hasGap || behind.has(key)) && !received.has(key)) loader.load(key);
  };

  return {
    replace(tracks) {
      behind.clear();
      set({ tracks: new Map(tracks.map((each) => [trackKey(each.track), each])) });
      for (const key of watched) loader.load(key);
    },
    apply(change) {
      if (change.type === "event") {
        received.get(trackKey(change.id))?.push(change.event);
        applyEvent(change.id, change.event);
        return;
      }
      set({ tracks: applyFeedChange(get().tracks, change) });
      if (change.type === "opened") {
        const key = trackKey(change.track.track);
        behind.delete(key);
        if (watched.has(key)) loader.load(key);
      }
    },
    watch(id) {
      const key = trackKey(id);
      if (watched.has(key)) return;
      watched.add(key);
      loader.load(key);
    },
    unwatch(id) {
      const key = trackKey(id);
      watched.delete(key);
      const { histories, historyErrors } = get();
      set({ histories: withoutKey(histories, key), historyErrors: withoutKey(historyErrors, key) });
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
