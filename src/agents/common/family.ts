import type { About } from "../agent.ts";
import { type Memory, recall, remember } from "./memory.ts";

/**
 * Sessions that are subagents of others, where every agent is a session of its own. A subagent's
 * events belong to the session at the root; its own session id is the id of the agent.
 */
export type Family = Memory<{ readonly root: string; readonly parent: string }>;

export function adopt(family: Family, session: string, parent: string): void {
  if (session === parent || recall(family, parent)?.root === session) return;
  remember(family, session, { root: recall(family, parent)?.root ?? parent, parent });
}

export function whoIs(family: Family, session: string): About {
  if (session === "") return {};
  const child = recall(family, session);
  return child
    ? { sessionId: child.root, agentId: session }
    : { sessionId: session, agentId: "main" };
}

export function parentOf(family: Family, session: string): string | undefined {
  const child = recall(family, session);
  return child && (child.parent === child.root ? "main" : child.parent);
}

export function todoIdOf(who: About): string {
  return `${who.sessionId ?? "unknown"}-${who.agentId ?? "main"}`;
}
