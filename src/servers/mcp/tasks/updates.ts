import type { Awaitable } from "../../../core/awaitable.ts";
import type { TaskEvent } from "../../../tasks/model.ts";
import type { TaskStore } from "../../../tasks/store.ts";
import { type ResourceUpdates, startOnce } from "../resources/updates.ts";
import { taskUri, taskUris } from "../resources/uris.ts";
import { isToldOf } from "./resources.ts";

export interface TaskUpdatesOptions {
  readonly tasks: () => Awaitable<TaskStore>;
  readonly tell: (uri: string) => void;
  readonly onError: (error: Error) => void;
}

/** Tells a client which tasks changed, whoever changed them. */
export function createTaskUpdates({ tasks, tell, onError }: TaskUpdatesOptions): ResourceUpdates {
  let isStopped = false;

  const hear = async (store: TaskStore, event: TaskEvent): Promise<void> => {
    if (isStopped || !isToldOf(event)) return;
    for (const uri of taskUris(event.task)) tell(uri);
    // What waits for it stands otherwise, too.
    if (event.set.status === undefined) return;
    const waiting = await store.list({ blockedBy: event.task, limit: MOST_TOLD });
    if (!isStopped) for (const { id } of waiting) for (const uri of taskUris(id, false)) tell(uri);
  };
  const watch = async (): Promise<() => void> => {
    const store = await tasks();
    return store.watch(
      (event) => void hear(store, event).catch(onError),
      () => {
        // Another store has other tasks.
        if (!isStopped) for (const json of [false, true]) tell(taskUri({ json }));
      },
    );
  };

  return startOnce(watch, () => {
    isStopped = true;
  });
}

const MOST_TOLD = 100;
