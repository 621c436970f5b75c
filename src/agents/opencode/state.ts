import type { StreamItem } from "../../core/stream/events.ts";
import type { DecoderState, EventContext, Source } from "../agent.ts";
import type { Memory } from "../common/memory.ts";
import { contextFor, type Subagents } from "../common/subagents.ts";
import type { Counted } from "../common/usage.ts";

export interface OpencodeState extends DecoderState {
  /** The source is a document, which is read as a whole. */
  document: boolean;
  subagents: Subagents;
  started: Memory<true>;
  /** Sessions with an open turn. */
  turns: Memory<true>;
  /** Calls that were reported as started and have not ended. */
  calls: Memory<true>;
  /** Pending list calls by session. Their result has the list. */
  writing: Memory<string>;
  /** The last list of each session, for documents that are read repeatedly. */
  lists: Memory<KnownList>;
  /** The usage of the last steps. */
  counted: Counted;
  /** The last model of each session. */
  models: Memory<string>;
  /** The lists of Waymark's tool, by session. */
  waymarkLists: Memory<readonly StreamItem[]>;
}

interface KnownList {
  readonly hash: string;
  readonly count: number;
}

export function startState(source: Source): OpencodeState {
  return {
    session: source.session ?? "",
    document: source.kind === "document",
    subagents: [],
    started: [],
    turns: [],
    calls: [],
    writing: [],
    lists: [],
    counted: [],
    models: [],
    waymarkLists: [],
  };
}

export function contextOf(state: OpencodeState, session: string): EventContext {
  const context = contextFor(state.subagents, session);
  if (context.sessionId !== undefined) state.session = context.sessionId;
  return context;
}
