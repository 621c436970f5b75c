import type { HookAgent } from "../../agents/common/hooks/agent.ts";
import type { HookEvent } from "../../agents/common/hooks/events.ts";
import { type Fields, text } from "../../agents/common/values.ts";
import type { TrackId } from "../../core/model.ts";
import { MAIN_AGENT, trackKey } from "../../core/text/ids.ts";
import type { Tracker } from "../../tracker.ts";
import { mainOf, type Whose, whoseEvent } from "./read.ts";
import {
  type AgentCall,
  agentCallsOf,
  hidesSubagents,
  runsSubagent,
  subagentAt,
} from "./subagents.ts";

/** One event of an agent's hooks. */
export interface Reported {
  readonly agent: HookAgent;
  /** The name of the event on the command line. */
  readonly name: string;
  readonly event: HookEvent;
  readonly input: Fields;
  readonly at: number;
}

interface Attributed {
  /** Absent where the event belongs to no agent that is known. */
  readonly whose?: Whose;
  /** The subagent that ended with this event. */
  readonly ended?: Whose;
}

export type Attribution = (event: Reported) => Promise<Attributed>;

/** What decides whose an event of a session is. */
interface SessionCalls {
  calls: readonly AgentCall[];
  /** Ids of the main agent's own calls. */
  readonly own: Set<string>;
}

/**
 * Says whose the events are, asked in the order they happened. Programs that send no id of the
 * subagent are told apart by the call of the main agent that runs it. Asked again for the same
 * events, after a crash, it gives the same answers.
 */
export function createAttribution(tracker: Tracker): Attribution {
  const sessions = new Map<string, SessionCalls>();
  const known = new Set<string>();

  async function callsOf(id: TrackId): Promise<SessionCalls> {
    const kept = sessions.get(id.session);
    if (kept) return kept;
    const main = await tracker.list({ ...id, agent: MAIN_AGENT }).read();
    const { open = [], recent = [] } = main.activity ?? {};
    const own = new Set([...open, ...recent].flatMap(({ callId }) => callId ?? []));
    const found = { calls: agentCallsOf(main), own };
    sessions.set(id.session, found);
    return found;
  }

  async function isKnown(id: TrackId): Promise<boolean> {
    return known.has(trackKey(id)) || (await tracker.list(id).read()).version > 0;
  }

  return async ({ agent, event, input, at }) => {
    const named = whoseEvent(agent, input);
    if (!named) return {};
    const isStop = event.endsSubagent === true;
    const seen = (whose: Whose): Attributed => {
      known.add(trackKey(whose.id));
      return { whose };
    };
    const isPlain = named.id.agent !== MAIN_AGENT || !hidesSubagents(agent.agentType);
    if (isPlain && !isStop) return seen(named);

    const session = await callsOf(named.id);
    const running = subagentAt(session.calls, at);
    const child = running === undefined ? undefined : childOf(named, running);
    if (isStop) {
      // Programs run subagents of their own making, too; those leave no track.
      const isTagged = named.id.agent !== MAIN_AGENT && (await isKnown(named.id));
      if (isTagged) return { whose: named };
      return child && (await isKnown(child.id)) ? { whose: child } : {};
    }
    if (endsTurn(event, input)) {
      session.calls = session.calls.map((call) => ({ ...call, endedAt: call.endedAt ?? at }));
      return seen(named);
    }
    const callId = text(input.tool_use_id);
    if (runsSubagent(agent.agentType, text(input.tool_name))) {
      // The user is asked to allow the call, which has been announced already.
      if (event.request) return seen(named);
      session.calls =
        event.pace === "step"
          ? withEnd(session.calls, { callId, at })
          : withStart(session.calls, { callId, startedAt: at });
      const isOver = child !== undefined && subagentAt(session.calls, at) === undefined;
      if (isOver && (await isKnown(child.id))) return { whose: named, ended: child };
      return seen(named);
    }
    if (child && !(callId !== undefined && session.own.has(callId))) return seen(child);
    if (callId !== undefined) session.own.add(callId);
    return seen(named);
  };
}

function childOf(whose: Whose, agent: string): Whose {
  const { id, origin } = mainOf(whose);
  return { id: { ...id, agent }, origin: { ...origin, parentAgent: MAIN_AGENT } };
}

/** An interrupted call gets no result: it ends with the turn. */
function endsTurn(event: HookEvent, input: Fields): boolean {
  // Calls of tools have inputs of any size and never end a turn.
  if (input.tool_name !== undefined) return false;
  return event.observe(input).some(({ type }) => TURNS.has(type));
}

const TURNS = new Set(["session.started", "session.ended", "turn.started", "turn.completed"]);

function withStart(calls: readonly AgentCall[], call: AgentCall): readonly AgentCall[] {
  const isThere = calls.some(
    ({ callId, startedAt }) => callId === call.callId && startedAt === call.startedAt,
  );
  return isThere ? calls : [...calls, call];
}

function withEnd(
  calls: readonly AgentCall[],
  { callId, at }: { readonly callId: string | undefined; readonly at: number },
): readonly AgentCall[] {
  const ended = calls.find(
    (call) => call.endedAt === undefined && call.callId === callId && call.startedAt <= at,
  );
  return calls.map((call) => (call === ended ? { ...call, endedAt: at } : call));
}
