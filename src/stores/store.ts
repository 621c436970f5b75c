/**
 * stores: storage of todo lists. `store` is the contract; memory, SQLite, PostgreSQL and snapshot files
 * implement it and pass one test suite (testing/store-suite). A commit decides and writes under one
 * lock, so writers never overwrite each other.
 */
import type { Awaitable } from "../core/awaitable.ts";
import type { Decision, Event, Outcome, Track, TrackId } from "../core/model.ts";

export type { Awaitable };

/** Filters tracks. */
export interface TrackFilter {
  readonly session?: string;
  readonly cwd?: string;
  readonly limit?: number;
}

/** An event with its track and its position in the store. */
export interface RecordedEvent {
  /** Increases with every event of the store. */
  readonly position: number;
  readonly track: TrackId;
  readonly event: Event;
}

/**
 * Stores the events of tracks in order. `storeContract` of `waymark/testing` tests everything that a store
 * has to guarantee.
 */
export interface Store {
  /** Whether the data outlives the process. */
  readonly durable: boolean;

  /**
   * Reads a track.
   *
   * @param id the track
   * @returns the current track; an empty one with version 0 if it has no events
   */
  read(id: TrackId): Awaitable<Track>;

  /**
   * Loads the track, calls `decide` with it and stores the event, in one exclusive step: no other write
   * to the track happens in between, from this process or another. Commits through one store object take
   * effect in the order of the calls. When the call returns, the event is durable.
   *
   * @param id the track
   * @param key the idempotency key; if the track has an event with this key, `decide` is not called and
   *   the outcome is a duplicate
   * @param decide returns the next event of the track, with the given key, or refuses
   * @returns the outcome, with the track before and after
   */
  commit(id: TrackId, key: string, decide: (track: Track) => Decision): Awaitable<Outcome>;

  /**
   * Reads the events of a track, oldest first.
   *
   * @param id the track
   * @param after only events with a higher number (default: 0)
   * @returns the events
   */
  events(id: TrackId, after?: number): Awaitable<readonly Event[]>;

  /**
   * Lists tracks, the last written first.
   *
   * @param filter which tracks (default: all)
   * @returns the tracks
   */
  tracks(filter?: TrackFilter): Awaitable<readonly Track[]>;

  /**
   * Subscribes to new events of this process and others.
   *
   * @param listener called once for every event from now on, in order
   * @param replaced called if the underlying storage was replaced, for example by a backup: resync then
   * @returns a function that ends the subscription
   */
  watch(listener: (recorded: RecordedEvent) => void, replaced?: () => void): () => void;

  /** Ends all subscriptions and closes the store. */
  close(): Awaitable<void>;
}
