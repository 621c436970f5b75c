import type { StreamItem } from "../../core/stream/events.ts";
import type { DecoderState, Emit, EventContext, Source } from "../agent.ts";
import { type Memory, recall, remember } from "../common/memory.ts";
import { addSubagent, contextFor, parentOf, type Subagents } from "../common/subagents.ts";
import type { Call } from "./tool-call.ts";

export interface AcpState extends DecoderState {
  subagents: Subagents;
  started: Memory<true>;
  /** Requests without a response, by kind and request id: both sides number their own. */
  requests: Memory<PendingRequest>;
  /** Sessions with an open turn. */
  turns: Memory<true>;
  calls: Memory<Call>;
  /** The text of the message that is being streamed, by session. */
  chunks: Memory<string>;
  /** The number of messages, used as keys: chunks have no common id. */
  messages: number;
  /** Sessions in plan mode. */
  planning: Memory<true>;
  /** Sessions that send their list as a plan. The calls of their list tool are ignored. */
  plans: Memory<true>;
  /** The id of the last plan with items, by session. */
  shown: Memory<string>;
  /** Known lists, for partial writes. */
  lists: Memory<readonly StreamItem[]>;
  /** The name and version that the agent reported. */
  version: string;
}

/** A request without a response. */
export interface PendingRequest {
  readonly session: string;
  readonly cwd?: string;
  readonly planId?: string;
  readonly mode?: string;
}

export function startState(source: Source): AcpState {
  return {
    session: source.session ?? "",
    subagents: [],
    started: [],
    requests: [],
    turns: [],
    calls: [],
    chunks: [],
    messages: 0,
    planning: [],
    plans: [],
    shown: [],
    lists: [],
    version: "",
  };
}

export function contextOf(state: AcpState, session: string): EventContext {
  const context = contextFor(state.subagents, session);
  if (context.sessionId !== undefined) state.session = context.sessionId;
  return context;
}

interface SessionInfo {
  readonly cwd?: string | undefined;
  readonly title?: string | undefined;
  readonly parent?: string | undefined;
}

/** Emits the start of a session, once. */
export function emitStarted(
  state: AcpState,
  session: string,
  known: SessionInfo,
  emit: Emit,
): void {
  if (recall(state.started, session)) return;
  remember(state.started, session, true);
  if (known.parent !== undefined) addSubagent(state.subagents, session, known.parent);
  const parentId = parentOf(state.subagents, session);
  emit(
    {
      type: "session.started",
      ...(known.cwd !== undefined && { cwd: known.cwd }),
      ...(state.version !== "" && { version: state.version }),
      ...(known.title !== undefined && { title: known.title }),
      ...(parentId !== undefined && { parentId }),
    },
    { ...contextOf(state, session), key: session },
  );
}
