import type { HookAgent } from "../../agents/common/hooks/agent.ts";
import { type Fields, fields, text } from "../../agents/common/values.ts";
import type { Origin, TrackId } from "../../core/model.ts";
import { checkId, MAIN_AGENT } from "../../core/text/ids.ts";

/** Log lines for events that cannot be ingested. */
export const UNKNOWN_EVENT = "unknown event";
export const NO_SESSION = "the input has no valid session id";

/** The track that an event belongs to. */
export interface TrackTarget {
  readonly id: TrackId;
  readonly origin: Origin;
}

export function readInput(json: string): Fields | undefined {
  const input: unknown = JSON.parse(json);
  return fields(input);
}

/** The track named in the input of an event; undefined without a valid session id. */
export function trackOfEvent(agent: HookAgent, input: Fields): TrackTarget | undefined {
  const own = text(input.session_id);
  // Some programs run each subagent as a separate session; it belongs to the session that started it.
  const parent = own === text(input.agent_id) ? text(input.parent_agent_id) : undefined;
  const session = text(input.parent_session_id) ?? parent ?? own;
  const child = session === own ? text(input.agent_id) : own;
  if (session === undefined || checkId("session", session)) return undefined;
  const isChild = child !== undefined && !checkId("agent", child);
  const cwd = text(input.cwd);
  return {
    id: { session, agent: isChild ? child : MAIN_AGENT },
    origin: {
      agentType: agent.agentType,
      ...(cwd !== undefined && { cwd }),
      ...(isChild && { parentAgent: MAIN_AGENT }),
    },
  };
}

/** The main agent's track, which the agent's own list tools write to. */
export function mainTrackOf({ id, origin }: TrackTarget): TrackTarget {
  const { parentAgent: _, ...rest } = origin;
  return { id: { ...id, agent: MAIN_AGENT }, origin: rest };
}
