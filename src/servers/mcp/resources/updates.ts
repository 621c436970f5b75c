import type { Change, TrackId } from "../../../core/model.ts";
import type { RecordedEvent } from "../../../stores/store.ts";
import type { Lists } from "../lists.ts";
import { listUris } from "./uris.ts";

/** Notifies a client of changes to its resources, from any writer. */
export interface ResourceUpdates {
  /** Starts watching the store, which is not opened before. */
  start(): Promise<void>;
  stop(): void;
}

export interface ResourceUpdatesOptions {
  readonly lists: Lists;
  /** The list that the short URIs stand for. */
  readonly own: () => TrackId | undefined;
  readonly notify: (uri: string) => void;
}

export function createResourceUpdates({
  lists,
  own,
  notify,
}: ResourceUpdatesOptions): ResourceUpdates {
  let isStopped = false;

  const onEvent = ({ track, event }: RecordedEvent): void => {
    if (isStopped || !event.changes.some(isVisible)) return;
    const mine = own();
    const isOwn = mine?.session === track.session && mine.agent === track.agent;
    for (const uri of listUris(track.session, isOwn)) notify(uri);
  };

  /** The store was replaced, so everything the client has read of its list is out of date. */
  const onReplaced = (): void => {
    const mine = own();
    if (isStopped || !mine) return;
    for (const uri of listUris(mine.session, true)) notify(uri);
  };
  const watch = async (): Promise<() => void> => {
    // Only an existing store can be watched, so a missing one is created.
    const tracker = await lists.writing();
    return tracker.watch(onEvent, onReplaced);
  };

  return startOnce(watch, () => {
    isStopped = true;
  });
}

/** Watches from the first `start` until `stop`. */
export function startOnce(watch: () => Promise<() => void>, onStop: () => void): ResourceUpdates {
  let watching: Promise<() => void> | undefined;
  return {
    async start() {
      watching ??= watch();
      try {
        await watching;
      } catch (error) {
        // The next subscriber tries again: a lost store may be restored by then.
        watching = undefined;
        throw error;
      }
    },
    stop() {
      onStop();
      watching?.then(
        (end) => end(),
        () => undefined,
      );
    },
  };
}

/** Whether a change shows in the list or its history. Observed activity does not. */
function isVisible({ type }: Change): boolean {
  return type.startsWith("todo.") || type.startsWith("list.") || type === "mode.changed";
}
