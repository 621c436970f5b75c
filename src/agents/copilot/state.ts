import type { StreamItem } from "../../core/stream/events.ts";
import type { DecoderState, EventContext, Source } from "../agent.ts";
import type { Memory } from "../common/memory.ts";
import { NO_ROWS, type Rows } from "./rows.ts";

export interface CopilotState extends DecoderState {
  /** The source is a database, which is read as a whole. */
  document: boolean;
  /** The session id from the path of the file. If set, ids in records are ignored. */
  root: string;
  started: boolean;
  model?: string;
  /** Calls without a result. */
  calls: Memory<Call>;
  /** Agents whose last message has no calls: their turn is about to end. */
  answered: Memory<true>;
  /** Agents with an open turn. */
  turns: Memory<true>;
  /** The rows of the list, if they are known. Subagents share them. */
  rows?: Rows;
  /** The lists of Waymark's tool, by agent. */
  waymarkLists: Memory<readonly StreamItem[]>;
}

export interface Call {
  readonly name: string;
  /** Kept for list calls only. */
  readonly input?: unknown;
}

export function startState(source: Source): CopilotState {
  const session = source.session ?? "";
  return {
    session,
    document: source.kind === "document",
    root: session,
    started: false,
    calls: [],
    answered: [],
    turns: [],
    waymarkLists: [],
  };
}

/** A new session has no rows. Live output does not say whether it continues one. */
export function startRows(state: CopilotState): void {
  state.rows = NO_ROWS;
}

/** The list belongs to the session, whichever of its agents changed it. */
export function listContext({ agentId: _, ...context }: EventContext): EventContext {
  return { ...context, agentId: "main" };
}

export function listIdOf(state: CopilotState, agent = "main"): string {
  return `${state.session || "unknown"}-${agent}`;
}
