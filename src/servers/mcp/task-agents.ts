import type { Awaitable } from "../../core/awaitable.ts";
import type { TrackId } from "../../core/model.ts";
import type { ModelText } from "../../core/text/model-text.ts";
import { ownerOf } from "../../sessions/caller/session.ts";
import type { Task } from "../../tasks/model.ts";
import type { TaskProving } from "../../tasks/prove.ts";
import type { TaskStore } from "../../tasks/store.ts";
import type { TaskAgent } from "../../tools/tasks/task-tool.ts";

/** The task store, opened on first use. */
export interface Tasks {
  tasks(purpose: "reading" | "writing"): Awaitable<TaskStore>;
  /** Lease duration of claims in milliseconds (default: 5 minutes). */
  readonly lease?: number | undefined;
  /** Called with the session behind each owner name, before its call is executed. */
  onOwner?(owner: string, id: TrackId): void;
  /** Runs the check of a task that has one, when a client finishes it (default: such tasks cannot be finished). */
  prove?(task: Task, run: CheckRun): Awaitable<TaskProving>;
}

/** The circumstances of a check that runs during a call. */
export interface CheckRun {
  /** The directory of the agent, if it is known. */
  readonly cwd?: string;
  /** Ends the check: the client cancelled the call, or would no longer wait for it. */
  readonly signal: AbortSignal;
  /** Notifies the client, if it asked for progress. */
  onProgress(message: ModelText): void;
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
