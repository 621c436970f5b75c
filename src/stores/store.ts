/**
 * stores: where todo lists are kept. `store` is the contract; memory, SQLite, PostgreSQL and snapshot
 * files implement it and share one test suite (testing/store-suite). A commit decides and writes under
 * one lock, so two writers never overwrite each other.
 */
import type { Awaitable } from "../core/awaitable.ts";
import type { Decision, Event, Outcome, Track, TrackId } from "../core/model.ts";

export type { Awaitable };

/** Selects tracks. */
export interface TrackFilter {
  readonly session?: string;
  readonly cwd?: string;
  readonly limit?: number;
}

/** An event with its place among all events of the store. */
export interface Recorded {
  readonly position: number;
  readonly track: TrackId;
  readonly event: Event;
}

/**
 * Keeps the events of tracks in order. The suite in `src/testing` says in full what a store owes;
 * `commit` is the heart of it.
 */
export interface Store {
  /** What is kept outlives the process. */
  readonly durable: boolean;

  /** The track as it is now; an empty one of version 0 where nothing was ever kept. */
  read(id: TrackId): Awaitable<Track>;

  /**
   * Loads the track, lets `judge` decide on it and keeps the event, in one exclusive step: no
   * other write of this track comes between, from this process or another. Commits made through
   * one store object take effect in the order of the calls. A key that the track already knows
   * is answered as a duplicate and not judged again. When this returns, the event is durable.
   */
  commit(id: TrackId, key: string, judge: (track: Track) => Decision): Awaitable<Outcome>;

  /** The events of a track after a number, oldest first. */
  events(id: TrackId, after?: number): Awaitable<readonly Event[]>;

  /** The tracks that match, the last written first. */
  tracks(filter?: TrackFilter): Awaitable<readonly Track[]>;

  /**
   * Calls back once for every event kept from now on, by this process or another, in order.
   * Calls `replaced` when another store took the place of this one, such as a backup: read
   * everything again then. Returns the function that ends it.
   */
  watch(listener: (recorded: Recorded) => void, replaced?: () => void): () => void;

  close(): Awaitable<void>;
}
