import type { Awaitable } from "../../core/awaitable.ts";
import type { TrackId } from "../../core/model.ts";
import { ownerOf } from "../../sessions/caller/session.ts";
import type { TaskStore } from "../../tasks/store.ts";
import type { TaskAgent } from "../../tools/tasks/task-tool.ts";

/** The task store, opened on first use. */
export interface Tasks {
  tasks(purpose: "reading" | "writing"): Awaitable<TaskStore>;
  /** Lease duration of claims in milliseconds (default: 5 minutes). */
  readonly lease?: number | undefined;
  /** Called with the session behind each owner name, before its call is executed. */
  onOwner?(owner: string, id: TrackId): void;
}

/** Returns the agent of a session with the claims it made through this server. */
export type TaskAgents = (id: TrackId) => TaskAgent;

const MAX_AGENTS = 500;

export function createTaskAgents({ tasks, lease, onOwner }: Tasks): TaskAgents {
  const agents = new Map<string, TaskAgent>();
  return ({ session, agent: name }) => {
    const owner = ownerOf({ session, agent: name });
    onOwner?.(owner, { session, agent: name });
    const agent = agents.get(owner) ?? { owner, lease, claims: new Map(), store: tasks };
    // Least recently used first. Dropping one only loses a cache: the store has the claims.
    agents.delete(owner);
    agents.set(owner, agent);
    const [oldest] = agents.keys();
    if (agents.size > MAX_AGENTS && oldest !== undefined) agents.delete(oldest);
    return agent;
  };
}
