import type { Change, TrackId } from "../../../core/model.ts";
import type { Recorded } from "../../../stores/store.ts";
import type { Lists } from "../lists.ts";
import { urisOf } from "./uris.ts";

/** Tells a client which of its resources changed, whoever changed them. */
export interface ResourceUpdates {
  /** From now on; looks at the store only from here on. */
  start(): Promise<void>;
  stop(): void;
}

export interface ResourceUpdatesOptions {
  readonly lists: Lists;
  /** The list that the short names mean. */
  readonly own: () => TrackId | undefined;
  readonly tell: (uri: string) => void;
}

export function createResourceUpdates({
  lists,
  own,
  tell,
}: ResourceUpdatesOptions): ResourceUpdates {
  let isStopped = false;

  const hear = ({ track, event }: Recorded): void => {
    if (isStopped || !event.changes.some(isVisible)) return;
    const mine = own();
    const isOwn = mine?.session === track.session && mine.agent === track.agent;
    for (const uri of urisOf(track.session, isOwn)) tell(uri);
  };

  /** The store was replaced, so everything the client has read of its list is out of date. */
  const replaced = (): void => {
    const mine = own();
    if (isStopped || !mine) return;
    for (const uri of urisOf(mine.session, true)) tell(uri);
  };
  const watch = async (): Promise<() => void> => {
    // A store that is not there yet cannot be watched: it is made.
    const tracker = await lists.writing();
    return tracker.watch(hear, replaced);
  };

  return startOnce(watch, () => {
    isStopped = true;
  });
}

/** Watches from the first start on, until it is stopped. */
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

/** What shows in the list or its history; what was only noticed about the agent does not. */
function isVisible({ type }: Change): boolean {
  return type.startsWith("todo.") || type.startsWith("list.") || type === "mode.changed";
}
