import type { Awaitable } from "../awaitable.ts";
import type { Op, Outcome, Rejection, Track } from "../model.ts";
import type { Policy } from "./policy.ts";
import type { FieldNames } from "./target.ts";

/** The ops of a tool call, or why it is refused. */
export type Intent =
  | {
      readonly ops: readonly Op[];
      readonly partial?: boolean;
      readonly comment?: string;
      /** Entries that were refused before they became ops; the others still apply. */
      readonly refused?: readonly Rejection[];
    }
  | { readonly rejected: readonly Rejection[] };

/** A list write of a tool. */
export interface WriteRequest {
  readonly via: string;
  readonly key?: string | undefined;
  /** When it was written (default: now). */
  readonly at?: number;
  readonly policy?: Partial<Policy>;
  /** The tool's names for our fields, used in rejection messages. */
  readonly fieldNames?: FieldNames;
  /** The response shows the agent every user edit, so they count as seen. */
  readonly showsEdits?: boolean;
  /** The response may carry one reminder, which is recorded with the write. */
  readonly mayRemind?: boolean;
  /** Decodes the call, given the track at the time of the write. */
  readonly decode: (track: Track) => Intent;
}

/** The part of a list that tools use: reading, writing and reporting refused calls. */
export interface ListAccess {
  /** Whether the list outlives the process. */
  readonly durable: boolean;
  read(): Awaitable<Track>;
  write(request: WriteRequest): Awaitable<Outcome>;
  /** Records a refused call. If a host reports the agent's steps, the agent is reminded unless it corrects the call. */
  refused?(
    rejected: readonly Rejection[],
    options?: { readonly key?: string | undefined; readonly partial?: boolean },
  ): Awaitable<void>;
}

/** The same on a store in memory: every method returns its result directly. */
export interface SyncListAccess extends ListAccess {
  read(): Track;
  write(request: WriteRequest): Outcome;
}
