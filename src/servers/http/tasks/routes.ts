import { findTask } from "../../../tasks/links/detail.ts";
import type { TaskRefusal } from "../../../tasks/model.ts";
import { applyWithProofs, type ProveTask } from "../../../tasks/prove.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import type { TaskDetailAnswer, TasksAnswer } from "../../../tasks/wire.ts";
import { type Broadcast, RESYNC } from "../broadcast.ts";
import { HttpError, type Route, readJson, sendJson } from "../routes.ts";
import { openTaskFeed, type TaskFeed } from "./feed.ts";
import { readQueueRequest, readTaskRequest } from "./requests.ts";

/** Options of the task routes. */
export interface TaskRoutesOptions {
  /** Opens the task store with the first request; absent if another home directory is shown. */
  readonly open?: () => Promise<TaskStore>;
  readonly broadcast: Broadcast;
  /** Finds the proof of a task that has a check, when the user finishes it. */
  readonly prove?: ProveTask;
  /** The name of the user, for a pause of the queue. */
  readonly person?: string | undefined;
  onProblem(error: unknown): void;
}

/** The newest events of one task that are sent: heartbeats may add thousands. */
const MAX_EVENTS = 400;

export function taskRoutes({ open, broadcast, prove, person, onProblem }: TaskRoutesOptions): {
  readonly routes: readonly Route[];
  stop(): void;
} {
  let opening: Promise<TaskFeed> | undefined;
  let isStopped = false;
  const feed = (): Promise<TaskFeed> => {
    if (!open)
      throw new HttpError(409, "not_ours", "Tasks of another home directory are not available.");
    opening ??= open().then((store) =>
      openTaskFeed(store, {
        onUpdate: (update) => broadcast.publish("tasks", update),
        onReplaced: () => broadcast.publish(RESYNC, {}),
        onError: onProblem,
      }),
    );
    // If the store could not be opened, the next request tries again.
    opening.then(
      (opened) => isStopped && opened.stop(),
      () => {
        opening = undefined;
      },
    );
    return opening;
  };
  const routes: readonly Route[] = [
    {
      method: "GET",
      path: "/api/tasks",
      async handle({ response }) {
        const { cursor: position } = broadcast;
        if (!open) {
          sendJson(response, 200, {
            position,
            now: Date.now(),
            tasks: [],
            left: 0,
          } satisfies TasksAnswer);
          return;
        }
        const opened = await feed();
        const now = await opened.store.now();
        const left = await opened.left();
        const answer: TasksAnswer = {
          position,
          now,
          tasks: opened.tasks(),
          left,
          queue: opened.queue(),
        };
        sendJson(response, 200, answer);
      },
    },
    {
      method: "GET",
      path: "/api/tasks/:id",
      async handle({ response, params }) {
        const { store } = await feed();
        const { id = "" } = params;
        const found = await findTask(store, id);
        if (!found.ok) throw taskRefusal(found.refused);
        const { waitsFor: _, ...task } = found.detail.task;
        const events = await store.events({ task: task.id });
        const answer: TaskDetailAnswer = {
          ...found.detail,
          now: await store.now(),
          task,
          events: events.slice(-MAX_EVENTS),
          left: Math.max(0, events.length - MAX_EVENTS),
        };
        sendJson(response, 200, answer);
      },
    },
    {
      method: "POST",
      path: "/api/tasks",
      async handle({ request, response }) {
        const { op, key } = readTaskRequest(await readJson(request));
        const { store, show } = await feed();
        const sender = { by: "user", via: "web", key } as const;
        const { answer } = await applyWithProofs(store, op, sender, prove);
        if (!answer.ok) throw taskRefusal(answer.refused);
        const { duplicate, tasks } = answer;
        // Published before the response, so that the client receives no older state after it.
        await show(tasks.map(({ id }) => id));
        broadcast.flush();
        sendJson(response, 200, { ok: true, duplicate, tasks, now: await store.now() });
      },
    },
    {
      method: "POST",
      path: "/api/tasks/queue",
      async handle({ request, response }) {
        const { paused, reason } = readQueueRequest(await readJson(request));
        const { store, showQueue, queue } = await feed();
        await store.setQueue(
          { paused: paused ? { ...(reason !== undefined && { reason }) } : null },
          { by: "user", via: "web", ...(person !== undefined && { actor: person }) },
        );
        await showQueue();
        broadcast.flush();
        sendJson(response, 200, { ok: true, queue: queue() });
      },
    },
  ];
  return {
    routes,
    stop() {
      isStopped = true;
      opening?.then(
        (opened) => opened.stop(),
        () => undefined,
      );
    },
  };
}

export function taskRefusal({ code, message, ...details }: TaskRefusal): HttpError {
  const status = code === "not_found" ? 404 : code === "invalid_input" ? 422 : 409;
  return new HttpError(status, code, message, details);
}
