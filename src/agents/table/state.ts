import type { StreamItem } from "../../core/stream/events.ts";
import type { DecoderState, Source } from "../agent.ts";
import type { Memory } from "../common/memory.ts";

export interface RowState extends DecoderState {
  /** The session id from the path of the file. */
  root: string;
  started: boolean;
  turn: boolean;
  /** `isStored`: the list that the call wrote was read from a record of its own. */
  calls: Memory<{ readonly name: string; readonly input?: unknown; readonly isStored?: true }>;
  /** Results and snapshots that were read. Documents are read repeatedly. */
  done: Memory<string>;
  /** The known list, for partial writes. */
  known: readonly StreamItem[];
  /** The number of entries read from a document that is an array. */
  read: number;
}

export function startState(source: Source): RowState {
  return {
    session: source.session ?? "",
    root: source.session ?? "",
    started: false,
    turn: false,
    calls: [],
    done: [],
    known: [],
    read: 0,
  };
}
