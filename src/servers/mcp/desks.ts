import type { Awaitable } from "../../core/awaitable.ts";
import type { TrackId } from "../../core/model.ts";
import { ownerOf } from "../../sessions/caller/session.ts";
import type { TaskStore } from "../../tasks/store.ts";
import type { TaskDesk } from "../../tools/tasks/task-tool.ts";

/** Where the team's tasks are kept; opened when they are needed and not before. */
export interface Tasks {
  tasks(purpose: "reading" | "writing"): Awaitable<TaskStore>;
  /** Milliseconds that a claim lasts without a sign of life; 5 minutes if nothing is given. */
  readonly lease?: number | undefined;
  /** Told which agent an owner is. */
  meet?(owner: string, id: TrackId): void;
}

/** The desk of every agent that is served. */
export type Desks = (id: TrackId) => TaskDesk;

const MOST_DESKS = 500;

export function createDesks({ tasks, lease, meet }: Tasks): Desks {
  const desks = new Map<string, TaskDesk>();
  return ({ session, agent }) => {
    const owner = ownerOf({ session, agent });
    meet?.(owner, { session, agent });
    const desk = desks.get(owner) ?? {
      owner,
      lease,
      claims: new Map(),
      store: tasks,
    };
    // The one that was used last is the last to be forgotten; the store knows who holds what.
    desks.delete(owner);
    desks.set(owner, desk);
    const [oldest] = desks.keys();
    if (desks.size > MOST_DESKS && oldest !== undefined) desks.delete(oldest);
    return desk;
  };
}
