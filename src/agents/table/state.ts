import type { StreamItem } from "../../core/stream/events.ts";
import type { DialectState, Source } from "../agent.ts";
import type { Memory } from "../common/memory.ts";

export interface RowState extends DialectState {
  /** Given by the place of the file. */
  root: string;
  started: boolean;
  turn: boolean;
  calls: Memory<{ readonly name: string; readonly input?: unknown }>;
  /** Results and snapshots that were read: documents are read again and again. */
  done: Memory<string>;
  /** The list as it is known, for writes that only say what changed. */
  known: readonly StreamItem[];
  /** How many entries of a document that is a list were read. */
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
