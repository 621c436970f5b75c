import type { Awaitable } from "../awaitable.ts";
import type { Op, Outcome, Rejection, Track } from "../model.ts";
import type { Policy } from "./policy.ts";
import type { Words } from "./target.ts";

/** What a call asks for, or why it cannot be done. */
export type Intent =
  | {
      readonly ops: readonly Op[];
      readonly partial?: boolean;
      readonly comment?: string;
      /** Entries that were refused before they became ops; the rest still applies. */
      readonly refused?: readonly Rejection[];
    }
  | { readonly rejected: readonly Rejection[] };

/** A write of a list, as a tool makes it. */
export interface WriteRequest {
  readonly via: string;
  readonly key?: string | undefined;
  /** When it was written, where that was earlier (default: now). */
  readonly at?: number;
  readonly policy?: Partial<Policy>;
  readonly words?: Words;
  readonly informs?: boolean;
  /** One reminder may come with the answer; it is recorded with the write. */
  readonly nudge?: boolean;
  /** Called with the track as it is at the moment of the write. */
  readonly decode: (track: Track) => Intent;
}

/** The list that a tool works on. */
export interface Door {
  /** The list outlives the process. */
  readonly durable: boolean;
  read(): Awaitable<Track>;
  write(request: WriteRequest): Awaitable<Outcome>;
  /** A call was refused: where a host watches the agent, it is reminded if it leaves it at that. */
  refused?(
    rejected: readonly Rejection[],
    options?: { readonly key?: string | undefined; readonly partial?: boolean },
  ): Awaitable<void>;
}

/** A list that answers at once: its store is in memory. */
export interface SyncDoor extends Door {
  read(): Track;
  write(request: WriteRequest): Outcome;
}
