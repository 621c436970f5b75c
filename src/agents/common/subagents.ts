import type { EventContext } from "../agent.ts";
import { type Memory, recall, remember } from "./memory.ts";

/**
 * Subagents of programs that give every agent its own session. The events of a subagent belong to the root session;
 * the subagent's session id becomes its agent id.
 */
export type Subagents = Memory<{ readonly root: string; readonly parent: string }>;

export function addSubagent(subagents: Subagents, session: string, parent: string): void {
  if (session === parent || recall(subagents, parent)?.root === session) return;
  remember(subagents, session, { root: recall(subagents, parent)?.root ?? parent, parent });
}

export function contextFor(subagents: Subagents, session: string): EventContext {
  if (session === "") return {};
  const child = recall(subagents, session);
  return child
    ? { sessionId: child.root, agentId: session }
    : { sessionId: session, agentId: "main" };
}

export function parentOf(subagents: Subagents, session: string): string | undefined {
  const child = recall(subagents, session);
  return child && (child.parent === child.root ? "main" : child.parent);
}

export function todoIdOf(context: EventContext): string {
  return `${context.sessionId ?? "unknown"}-${context.agentId ?? "main"}`;
}
