import { HOOK_AGENTS } from "../../agents/hooks.ts";
import type { Activity } from "../../core/activity/activity.ts";
import type { Track, TrackId } from "../../core/model.ts";
import { MAIN_AGENT } from "../../core/text/ids.ts";

/**
 * Some programs report a subagent's tool calls as calls of the session, without an id. Their subagents run inside a
 * call of the main agent, so the calls within it are attributed to a separate track. Subagents that run at the same
 * time cannot be distinguished and share one track.
 */
function subagentToolsOf(agentType: string | undefined): readonly string[] | undefined {
  return HOOK_AGENTS.find((agent) => agent.agentType === agentType)?.subagentTools;
}

/** Whether the agent reports tool calls of its subagents without an id. */
export function hidesSubagents(agentType: string): boolean {
  return subagentToolsOf(agentType) !== undefined;
}

/** Whether a call of this tool runs a subagent whose own calls carry no id. */
export function runsSubagent(agentType: string | undefined, tool: string | undefined): boolean {
  return subagentToolsOf(agentType)?.includes(tool ?? "") ?? false;
}

/** A call of the main agent that runs a subagent. */
export interface AgentCall {
  readonly callId?: string | undefined;
  readonly startedAt: number;
  /** Absent while the call is open. */
  readonly endedAt?: number | undefined;
}

/** The main agent's current and recent calls that run a subagent without an id. */
export function agentCallsOf({ agentType, activity }: Track): readonly AgentCall[] {
  if (!activity) return [];
  const isAgentCall = ({ name }: { readonly name: string }) => runsSubagent(agentType, name);
  return [
    ...activity.recent.filter(isAgentCall),
    ...activity.open
      .filter(isAgentCall)
      .map((call) => ({ ...call, endedAt: abandonedAt(activity, call) })),
  ];
}

/** An interrupted call gets no result; the next prompt ends it. */
function abandonedAt({ turnStartedAt }: Activity, { startedAt }: AgentCall): number | undefined {
  return startedAt < turnStartedAt ? turnStartedAt : undefined;
}

const PREFIX = "sub-";

/**
 * The track of the subagent that runs at a time. It is named after the first of overlapping calls, so that it stays
 * the same until the last of them has ended.
 */
export function subagentAt(calls: readonly AgentCall[], at: number): string | undefined {
  if (!calls.some((call) => covers(call, at))) return undefined;
  let first = at;
  for (const call of calls.toSorted((a, b) => b.startedAt - a.startedAt))
    if (call.startedAt <= first && (call.endedAt ?? Number.POSITIVE_INFINITY) > first)
      first = call.startedAt;
  return PREFIX + first.toString(36);
}

function covers({ startedAt, endedAt = Number.POSITIVE_INFINITY }: AgentCall, at: number): boolean {
  return startedAt <= at && at < endedAt;
}

/** The running subagent without an id that a call of the session comes from, if there is one. */
export function subagentWithin(
  tracks: readonly Track[],
  { session, agent }: TrackId,
  now: number,
): (TrackId & { readonly parentAgent: string }) | undefined {
  const main = tracks.find((track) => track.session === session && track.agent === MAIN_AGENT);
  const child = agent === MAIN_AGENT && main ? subagentAt(agentCallsOf(main), now) : undefined;
  return child === undefined ? undefined : { session, agent: child, parentAgent: MAIN_AGENT };
}
