import type { StreamItem } from "../../core/stream/events.ts";
import type { About, DialectState, Emit, Source } from "../agent.ts";
import { adopt, type Family, parentOf, whoIs } from "../common/family.ts";
import { type Memory, recall, remember } from "../common/memory.ts";
import type { Call } from "./tool-call.ts";

export interface AcpState extends DialectState {
  family: Family;
  started: Memory<true>;
  /** Requests that wait for their answer. */
  asked: Memory<Asked>;
  /** Sessions with a turn under way. */
  turns: Memory<true>;
  calls: Memory<Call>;
  /** What the agent is saying, while it comes in pieces. */
  saying: Memory<string>;
  /** How often it said something: pieces have no id in common. */
  messages: number;
  /** Sessions in plan mode. */
  planning: Memory<true>;
  /** Sessions that show their list as a plan: then calls of a list tool say nothing new. */
  plans: Memory<true>;
  /** The plan with items that a session showed last. */
  shown: Memory<string>;
  /** Lists that later writes may only change in part. */
  lists: Memory<readonly StreamItem[]>;
  /** Name and version of the agent, as it said at the start. */
  version: string;
}

/** What was asked for, by kind and request id: both sides of a connection count their own. */
export interface Asked {
  readonly session: string;
  readonly cwd?: string;
  readonly planId?: string;
  readonly mode?: string;
}

export function startState(source: Source): AcpState {
  return {
    session: source.session ?? "",
    family: [],
    started: [],
    asked: [],
    turns: [],
    calls: [],
    saying: [],
    messages: 0,
    planning: [],
    plans: [],
    shown: [],
    lists: [],
    version: "",
  };
}

export function about(state: AcpState, session: string): About {
  const who = whoIs(state.family, session);
  if (who.sessionId !== undefined) state.session = who.sessionId;
  return who;
}

interface Known {
  readonly cwd?: string | undefined;
  readonly title?: string | undefined;
  readonly parent?: string | undefined;
}

/** Said once for a session. */
export function emitStarted(state: AcpState, session: string, known: Known, emit: Emit): void {
  if (recall(state.started, session)) return;
  remember(state.started, session, true);
  if (known.parent !== undefined) adopt(state.family, session, known.parent);
  const parentId = parentOf(state.family, session);
  emit(
    {
      type: "session.started",
      ...(known.cwd !== undefined && { cwd: known.cwd }),
      ...(state.version !== "" && { version: state.version }),
      ...(known.title !== undefined && { title: known.title }),
      ...(parentId !== undefined && { parentId }),
    },
    { ...about(state, session), key: session },
  );
}
