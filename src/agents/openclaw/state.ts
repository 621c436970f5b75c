import type { EventContext, Source } from "../agent.ts";
import type { Memory } from "../common/memory.ts";
import { startPi } from "../common/pi-entries.ts";
import type { PiWaymarkState } from "../common/pi-waymark.ts";
import { contextFor, type Subagents } from "../common/subagents.ts";

/** One session. A file has one, a database has many. */
export type SessionState = PiWaymarkState;

export interface OpenclawState extends SessionState {
  subagents: Subagents;
  /** The sessions of a database. */
  sessions: Memory<SessionState>;
}

export function startSession(source: Source): SessionState {
  return { ...startPi(source), waymarkList: [] };
}

export function startState(source: Source): OpenclawState {
  return { ...startSession(source), subagents: [], sessions: [] };
}

export function contextOf(state: OpenclawState, session: string): EventContext {
  return contextFor(state.subagents, session);
}
