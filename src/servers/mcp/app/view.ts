import {
  APP_TASK_STATES,
  type AppTask,
  type AppTasks,
  type AppView,
  appView,
} from "../../../core/app-view.ts";
import { planRevisions } from "../../../core/plan/revisions.ts";
import type { Session } from "../../../sessions/caller/session.ts";
import type { TaskRow } from "../../../tasks/model.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { listOf } from "../lists.ts";
import type { ServerParts } from "../server.ts";
import { taskGroups } from "../tasks/resources.ts";

/** The data of a view: a list with its plan, and the team's tasks if the view shows them. */
export async function readView(
  { lists, tasks }: ServerParts,
  session: Session,
  withTasks: boolean,
): Promise<AppView> {
  const list = await listOf(lists, session);
  const track = await list.read();
  const hasEarlier = (track.plan?.revision ?? 1) > 1;
  const revisions = hasEarlier ? planRevisions(await list.events()) : [];
  const view = appView(track, revisions, Date.now());
  return withTasks && tasks ? { ...view, tasks: await tasksOf(await tasks("reading")) } : view;
}

async function tasksOf(store: TaskStore): Promise<AppTasks> {
  const groups = await taskGroups(store);
  const { ready, claimed, open, failed, done } = await store.counts();
  return {
    counts: { ready, claimed, waiting: Math.max(0, open - ready), failed, done },
    tasks: APP_TASK_STATES.flatMap((state) => groups[state].map((task) => appTask(task, state))),
  };
}

function appTask(
  { id, subject, owner, leaseUntil, check, waitsFor }: TaskRow,
  state: AppTask["state"],
): AppTask {
  const isClaimed = state === "claimed";
  return {
    id,
    subject,
    state,
    ...(isClaimed && owner !== undefined && { owner }),
    ...(isClaimed && leaseUntil !== undefined && { leaseUntil }),
    ...(check !== undefined && { hasCheck: true }),
    waitsFor,
  };
}
