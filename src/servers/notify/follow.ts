import type { FeedChange } from "../../core/views/changes.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import type { Notifier } from "./index.ts";

const GATHER = 200;

interface Watched {
  tracks(): readonly MergedTrack[];
  subscribe(listener: (change: FeedChange) => void): () => void;
}

/** Notifies of what a feed publishes, until the returned function is called. */
export function followNotifications(feed: Watched, notifier: Notifier): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const stop = feed.subscribe(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      notifier.look(feed.tracks());
    }, GATHER);
  });
  return async () => {
    clearTimeout(timer);
    stop();
    await notifier.close();
  };
}
