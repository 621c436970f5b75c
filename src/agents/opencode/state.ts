import type { StreamItem } from "../../core/stream/events.ts";
import type { About, DialectState, Source } from "../agent.ts";
import { type Family, whoIs } from "../common/family.ts";
import type { Memory } from "../common/memory.ts";

export interface OpencodeState extends DialectState {
  /** The source is a file that is read whole. */
  document: boolean;
  family: Family;
  started: Memory<true>;
  /** Sessions with a turn under way. */
  turns: Memory<true>;
  /** Calls that were said to have started, and have not ended. */
  calls: Memory<true>;
  /** Sessions with a list call under way: its end will bring the list. */
  writing: Memory<string>;
  /** What the last list of a session was, where it is read again and again. */
  lists: Memory<Seen>;
  /** Lists that are kept with Waymark's own tool. */
  native: Memory<readonly StreamItem[]>;
}

interface Seen {
  readonly print: string;
  readonly count: number;
}

export function startState(source: Source): OpencodeState {
  return {
    session: source.session ?? "",
    document: source.kind === "document",
    family: [],
    started: [],
    turns: [],
    calls: [],
    writing: [],
    lists: [],
    native: [],
  };
}

export function about(state: OpencodeState, session: string): About {
  const who = whoIs(state.family, session);
  if (who.sessionId !== undefined) state.session = who.sessionId;
  return who;
}
