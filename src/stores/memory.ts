import { emptyTrack } from "../core/evolve.ts";
import type { Decision, Event, Outcome, Track, TrackId } from "../core/model.ts";
import { trackKey } from "../core/text/ids.ts";
import { createAudience } from "../engines/storage/audience.ts";
import { closedError } from "../engines/storage/failure.ts";
import { type Warn, warnOnConsole } from "../engines/storage/warn.ts";
import { duplicateOutcome, outcomeOf } from "./outcome.ts";
import type { Recorded, Store, TrackFilter } from "./store.ts";

/** A store whose answers are there at once. */
export interface MemoryStore extends Store {
  read(id: TrackId): Track;
  commit(id: TrackId, key: string, judge: (track: Track) => Decision): Outcome;
  events(id: TrackId, after?: number): readonly Event[];
  tracks(filter?: TrackFilter): readonly Track[];
  watch(listener: (recorded: Recorded) => void): () => void;
  close(): void;
}

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  readonly onWarning?: Warn;
}

interface Kept {
  track: Track;
  readonly events: Event[];
  readonly byKey: Map<string, Event>;
}

/**
 * A store in the memory of this process. Every method returns its result at once.
 *
 * @param options where warnings go
 * @returns the store
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  // The track written last stands last.
  const kept = new Map<string, Kept>();
  const audience = createAudience<Recorded>(
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
      return kept.get(trackKey(id))?.track ?? emptyTrack(id);
    },

    commit(id, key, judge) {
      open();
      const name = trackKey(id);
      const known = kept.get(name);
      const event = known?.byKey.get(key);
      if (known && event) return duplicateOutcome(event, known.track);

      const before = known?.track ?? emptyTrack(id);
      const outcome = outcomeOf(before, key, judge(before));
      if (!outcome.event) return outcome;

      const entry: Kept = known ?? { track: outcome.after, events: [], byKey: new Map() };
      entry.track = outcome.after;
      entry.events.push(outcome.event);
      entry.byKey.set(key, outcome.event);
      kept.delete(name);
      kept.set(name, entry);
      position += 1;
      const { session, agent } = id;
      audience.tell({ position, track: { session, agent }, event: outcome.event });
      return outcome;
    },

    events(id, after = 0) {
      open();
      return kept.get(trackKey(id))?.events.slice(Math.max(0, after)) ?? [];
    },

    tracks({ session, cwd, limit } = {}) {
      open();
      const matching = [...kept.values()]
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
