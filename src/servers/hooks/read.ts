import type { HookAgent } from "../../agents/common/hooks/agent.ts";
import { type Fields, fields, text } from "../../agents/common/values.ts";
import type { Origin, TrackId } from "../../core/model.ts";
import { checkId, MAIN_AGENT } from "../../core/text/ids.ts";

/** Whose event it is. */
export interface Whose {
  readonly id: TrackId;
  readonly origin: Origin;
}

export function readInput(json: string): Fields | undefined {
  const input: unknown = JSON.parse(json);
  return fields(input);
}

/** Nothing where no session is named that could be one. */
export function whoseEvent(agent: HookAgent, input: Fields): Whose | undefined {
  const own = text(input.session_id);
  // Where every subagent is a session of its own, it belongs to the session that started it.
  const session = text(input.parent_session_id) ?? own;
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

/** The list that a call of one of the agent's own list tools is about. */
export function mainOf({ id, origin }: Whose): Whose {
  const { parentAgent: _, ...rest } = origin;
  return { id: { ...id, agent: MAIN_AGENT }, origin: rest };
}
