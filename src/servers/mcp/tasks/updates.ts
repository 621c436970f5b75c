import type { Awaitable } from "../../../core/awaitable.ts";
import type { TaskEvent } from "../../../tasks/model.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { type ResourceUpdates, startOnce } from "../resources/updates.ts";
import { taskUri, taskUris } from "../resources/uris.ts";
import { isShown } from "./resources.ts";

export interface TaskUpdatesOptions {
  readonly tasks: () => Awaitable<TaskStore>;
  readonly notify: (uri: string) => void;
  readonly onError: (error: Error) => void;
}

/** Notifies a client of changes to tasks, from any writer. */
export function createTaskUpdates({ tasks, notify, onError }: TaskUpdatesOptions): ResourceUpdates {
  let isStopped = false;

  const onEvent = async (store: TaskStore, event: TaskEvent): Promise<void> => {
    if (isStopped || !isShown(event)) return;
    for (const uri of taskUris(event.task)) notify(uri);
    // Blocked tasks may have become ready, or blocked again.
    if (event.set.status === undefined) return;
    const blocked = await store.list({ blockedBy: event.task, limit: MAX_BLOCKED });
    if (!isStopped)
      for (const { id } of blocked) for (const uri of taskUris(id, false)) notify(uri);
  };
  const watch = async (): Promise<() => void> => {
    const store = await tasks();
    return store.watch(
      (event) => void onEvent(store, event).catch(onError),
      () => {
        // A replaced store has other tasks.
        if (!isStopped) for (const json of [false, true]) notify(taskUri({ json }));
      },
    );
  };

  return startOnce(watch, () => {
    isStopped = true;
  });
}

const MAX_BLOCKED = 100;
