import type { Change, TrackId } from "../../core/model.ts";
import type { Recorded } from "../../stores/store.ts";
import type { Lists } from "./lists.ts";
import { urisOf } from "./uris.ts";

/** Tells a client which of its resources changed, whoever changed them. */
export interface Notices {
  /** From now on; looks at the store only from here on. */
  start(): Promise<void>;
  stop(): void;
}

export interface NoticesOptions {
  readonly lists: Lists;
  /** The list that the short names mean. */
  readonly own: () => TrackId | undefined;
  readonly tell: (uri: string) => void;
}

export function createNotices({ lists, own, tell }: NoticesOptions): Notices {
  let watching: Promise<() => void> | undefined;
  let isStopped = false;

  const hear = ({ track, event }: Recorded): void => {
    if (isStopped || !event.changes.some(isVisible)) return;
    const mine = own();
    const isOwn = mine?.session === track.session && mine.agent === track.agent;
    for (const uri of urisOf(track.session, isOwn)) tell(uri);
  };

  return {
    async start() {
      // A store that is not there yet cannot be watched: it is made.
      watching ??= Promise.resolve(lists.writing()).then((tracker) => tracker.watch(hear));
      await watching;
    },
    stop() {
      isStopped = true;
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
