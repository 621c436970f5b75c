import type { Event, Track, TrackId } from "../core/model.ts";
import type { StreamEvent } from "../core/stream/events.ts";
import type { LiveTrack } from "../core/stream/fold.ts";
import type { ReadList } from "./read-list.ts";

/**
 * A source of sessions. There are three: our store (`hosted.ts`), the agents' transcripts (`transcripts/`) and other
 * machines (`remote/`). `sources.ts` opens them; `merge.ts` merges what they
 * list; `live.ts` follows them; `resolve.ts` finds one session. Commands, surfaces and servers use those four and
 * never a source by itself.
 */
export interface SessionSource<T> {
  /** Every track that the source has now. */
  list(): Promise<readonly T[]>;
  /** One track in full; undefined if the source does not have it. */
  read(id: TrackId): Promise<ReadList | undefined>;
  /** Every change of one list, oldest first. */
  history(id: TrackId): Promise<readonly Event[]>;
  /** Follows the source. One subscription at a time; until it stops, the other methods answer from it. */
  subscribe(subscriber: Subscriber): Promise<Subscription<T>>;
}

/** Receives updates of a source. */
export interface Subscriber {
  /** New events, in order; existing ones are not reported. */
  onUpdates?(updates: readonly SessionUpdate[]): void;
  /** The list of tracks, or one of them, may have changed; called for every update too. */
  onChange?(): void;
  /** The source cannot be read now. Called once for each problem. */
  onProblem?(error: unknown): void;
  /** The source can be read again. */
  onRecovery?(): void;
}

export interface Subscription<T> {
  /** Resolves when everything that existed at the start was read, or cannot be. */
  readonly ready: Promise<void>;
  /** The tracks as of now; before `ready` only part of them, the newest first. */
  list(): readonly T[];
  /** Looks for changes now instead of at the next interval. */
  refresh(): void;
  stop(): void;
}

/** A change of a list. Empty `changes` mean that only the list after it is known. */
export type ListChange = Pick<Event, "at" | "changes" | "comment" | "rejected">;

/** Something that happened to one track. */
export interface SessionUpdate {
  readonly id: TrackId;
  /** Undefined if the list did not change. */
  readonly change: Event | ListChange | undefined;
  readonly before: Track;
  readonly after: Track;
  /** The event that the agent wrote; set by transcripts only. */
  readonly written?: { readonly event: StreamEvent; readonly live: LiveTrack };
}

/** Whether the change is the next event of the list, not just a comparison of two reads. */
export function isEvent(change: Event | ListChange): change is Event {
  return "seq" in change;
}
