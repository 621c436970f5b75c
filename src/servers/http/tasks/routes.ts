import { findTask } from "../../../tasks/links/detail.ts";
import type { TaskRefusal } from "../../../tasks/model.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import type { TaskDetailAnswer, TasksAnswer } from "../../../tasks/wire.ts";
import type { Broadcast } from "../broadcast.ts";
import { HttpError, type Route, readJson, sendJson } from "../routes.ts";
import { openTaskFeed, type TaskFeed } from "./feed.ts";
import { readTaskRequest } from "./requests.ts";

/** What the routes of tasks stand on. */
export interface TaskParts {
  /** Opened when somebody first asks; not there where somebody else's agents are shown. */
  readonly open?: () => Promise<TaskStore>;
  readonly broadcast: Broadcast;
  onProblem(error: unknown): void;
}

/** What a person reads of one task; a heartbeat leaves thousands. */
const MAX_EVENTS = 400;

export function taskRoutes({ open, broadcast, onProblem }: TaskParts): {
  readonly routes: readonly Route[];
  stop(): void;
} {
  let opening: Promise<TaskFeed> | undefined;
  let isStopped = false;
  const feed = (): Promise<TaskFeed> => {
    if (!open)
      throw new HttpError(409, "not_ours", "The tasks of another home are not shown here.");
    opening ??= open().then((store) =>
      openTaskFeed(store, {
        onNews: (news) => broadcast.say("tasks", news),
        onReplaced: () => broadcast.say("anew", {}),
        onProblem,
      }),
    );
    // A server that was away is asked again by the next who looks.
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
        const { position } = broadcast;
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
        const answer: TasksAnswer = { position, now, tasks: opened.tasks(), left };
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
        const answer = await store.apply(op, { by: "user", via: "web", key });
        if (!answer.ok) throw taskRefusal(answer.refused);
        const { duplicate, tasks } = answer;
        // Told before it is answered: nothing older is told to whoever has the answer.
        await show(tasks.map(({ id }) => id));
        broadcast.flush();
        sendJson(response, 200, { ok: true, duplicate, tasks, now: await store.now() });
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
