import { emptyTrack } from "../core/evolve.ts";
import type { Decision, Event, Outcome, Track, TrackId } from "../core/model.ts";
import { trackKey } from "../core/text/ids.ts";
import { closedError } from "../engines/storage/failure.ts";
import { createSubscribers } from "../engines/storage/subscribers.ts";
import { type Warn, warnOnConsole } from "../engines/storage/warn.ts";
import { duplicateOutcome, outcomeOf } from "./outcome.ts";
import type { RecordedEvent, Store, TrackFilter } from "./store.ts";

/** A store in memory: every method returns its result directly. */
export interface MemoryStore extends Store {
  read(id: TrackId): Track;
  commit(id: TrackId, key: string, decide: (track: Track) => Decision): Outcome;
  events(id: TrackId, after?: number): readonly Event[];
  tracks(filter?: TrackFilter): readonly Track[];
  watch(listener: (recorded: RecordedEvent) => void): () => void;
  close(): void;
}

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** Receives warnings (default: they are printed). */
  readonly onWarning?: Warn;
}

interface StoredTrack {
  track: Track;
  readonly events: Event[];
  readonly byKey: Map<string, Event>;
}

/**
 * Creates a store in the memory of this process. Every method returns its result directly, without a
 * promise.
 *
 * @param options where warnings go
 * @returns the store
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  // In the order of the last write.
  const tracks = new Map<string, StoredTrack>();
  const audience = createSubscribers<RecordedEvent>(
    ({ position }) => position,
    options.onWarning ?? warnOnConsole,
  );
  let position = 0;
  let closed = false;

  function open(): void {
    if (closed) throw closedError("The memory store");
  }

  return {
    durable: false,

    read(id) {
      open();
      return tracks.get(trackKey(id))?.track ?? emptyTrack(id);
    },

    commit(id, key, decide) {
      open();
      const name = trackKey(id);
      const known = tracks.get(name);
      const event = known?.byKey.get(key);
      if (known && event) return duplicateOutcome(event, known.track);

      const before = known?.track ?? emptyTrack(id);
      const outcome = outcomeOf(before, key, decide(before));
      if (!outcome.event) return outcome;

      const entry: StoredTrack = known ?? { track: outcome.after, events: [], byKey: new Map() };
      entry.track = outcome.after;
      entry.events.push(outcome.event);
      entry.byKey.set(key, outcome.event);
      tracks.delete(name);
      tracks.set(name, entry);
      position += 1;
      const { session, agent } = id;
      audience.notify({ position, track: { session, agent }, event: outcome.event });
      return outcome;
    },

    events(id, after = 0) {
      open();
      return tracks.get(trackKey(id))?.events.slice(Math.max(0, after)) ?? [];
    },

    tracks({ session, cwd, limit } = {}) {
      open();
      const matching = [...tracks.values()]
        .map((entry) => entry.track)
        .filter((track) => session === undefined || track.session === session)
        .filter((track) => cwd === undefined || track.cwd === cwd)
        .reverse();
      return limit === undefined ? matching : matching.slice(0, Math.max(0, limit));
    },

    watch(listener) {
      open();
      return audience.add(listener);
    },

    close() {
      closed = true;
      audience.clear();
    },
  };
}
