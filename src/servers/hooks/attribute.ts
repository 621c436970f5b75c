import type { HookAgent } from "../../agents/common/hooks/agent.ts";
import { callIdOf, type HookEvent } from "../../agents/common/hooks/events.ts";
import { type Fields, text } from "../../agents/common/values.ts";
import type { TrackId } from "../../core/model.ts";
import { MAIN_AGENT, trackKey } from "../../core/text/ids.ts";
import type { Tracker } from "../../tracker.ts";
import { mainTrackOf, type TrackTarget, trackOfEvent } from "./input.ts";
import {
  type AgentCall,
  agentCallsOf,
  hidesSubagents,
  runsSubagent,
  subagentAt,
} from "./subagents.ts";

/** One hook event of an agent. */
export interface ReportedEvent {
  readonly agent: HookAgent;
  /** The event's name on the command line. */
  readonly name: string;
  readonly event: HookEvent;
  readonly input: Fields;
  readonly at: number;
}

interface Attributed {
  /** Absent if the event belongs to no known agent. */
  readonly target?: TrackTarget;
  /** The subagent that ended with this event. */
  readonly ended?: TrackTarget;
}

export type Attribution = (event: ReportedEvent) => Promise<Attributed>;

/** The calls by which events of a session are attributed. */
interface SessionCalls {
  calls: readonly AgentCall[];
  /** Ids of the main agent's own calls. */
  readonly own: Set<string>;
}

/**
 * Finds the agent that each event belongs to; call it with events in order. If a program sends no subagent ids, the
 * subagent is identified by the main agent's call that runs it. Repeating the same events after a crash gives the
 * same results.
 */
export function createAttribution(tracker: Tracker): Attribution {
  const sessions = new Map<string, SessionCalls>();
  const known = new Set<string>();

  async function callsOf(id: TrackId): Promise<SessionCalls> {
    const cached = sessions.get(id.session);
    if (cached) return cached;
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
    const named = trackOfEvent(agent, input);
    if (!named) return {};
    const isStop = event.endsSubagent === true;
    const attributed = (target: TrackTarget): Attributed => {
      known.add(trackKey(target.id));
      return { target };
    };
    const isPlain = named.id.agent !== MAIN_AGENT || !hidesSubagents(agent.agentType);
    if (isPlain && !isStop) return attributed(named);

    const session = await callsOf(named.id);
    const running = subagentAt(session.calls, at);
    const child = running === undefined ? undefined : childOf(named, running);
    if (isStop) {
      // Programs also run internal subagents, which have no track.
      const isTagged = named.id.agent !== MAIN_AGENT && (await isKnown(named.id));
      if (isTagged) return { target: named };
      return child && (await isKnown(child.id)) ? { target: child } : {};
    }
    if (event.timing === "stop" && agent.subagentsStop && child)
      return (await isKnown(child.id)) ? { target: child } : {};
    if (endsTurn(event, input)) {
      session.calls = session.calls.map((call) => ({ ...call, endedAt: call.endedAt ?? at }));
      return attributed(named);
    }
    const callId = callIdOf(input);
    if (runsSubagent(agent.agentType, text(input.tool_name))) {
      // A permission request for a call that was already reported.
      if (event.request) return attributed(named);
      session.calls =
        event.timing === "step"
          ? withEnd(session.calls, { callId, at })
          : withStart(session.calls, { callId, startedAt: at });
      const isOver = child !== undefined && subagentAt(session.calls, at) === undefined;
      if (isOver && (await isKnown(child.id))) return { target: named, ended: child };
      return attributed(named);
    }
    if (child && !(callId !== undefined && session.own.has(callId))) return attributed(child);
    if (callId !== undefined) session.own.add(callId);
    return attributed(named);
  };
}

function childOf(target: TrackTarget, agent: string): TrackTarget {
  const { id, origin } = mainTrackOf(target);
  return { id: { ...id, agent }, origin: { ...origin, parentAgent: MAIN_AGENT } };
}

/** Whether the event starts or ends a turn. It ends interrupted calls, which get no result. */
function endsTurn(event: HookEvent, input: Fields): boolean {
  // Tool calls never end a turn, and their inputs may be large.
  if (input.tool_name !== undefined) return false;
  return event.observe(input).some(({ type }) => TURNS.has(type));
}

const TURNS = new Set(["session.started", "session.ended", "turn.started", "turn.completed"]);

function withStart(calls: readonly AgentCall[], call: AgentCall): readonly AgentCall[] {
  const isRecorded = calls.some(
    ({ callId, startedAt }) => callId === call.callId && startedAt === call.startedAt,
  );
  return isRecorded ? calls : [...calls, call];
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
