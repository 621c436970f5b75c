import type { FeedChange } from "../../core/views/changes.ts";
import type { MergedTrack } from "../../core/views/merged.ts";

/** Milliseconds for which changes are collected before they are checked. */
const DELAY = 200;

interface NotifiedFeed {
  tracks(): readonly MergedTrack[];
  subscribe(listener: (change: FeedChange) => void): () => void;
}

interface Follower {
  check(tracks: readonly MergedTrack[]): void;
  close(): Promise<void>;
}

/** Checks the tracks of a feed after its changes, until the returned function is called. */
export function followNotifications(feed: NotifiedFeed, notifier: Follower): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const stop = feed.subscribe(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      notifier.check(feed.tracks());
    }, DELAY);
  });
  return async () => {
    clearTimeout(timer);
    stop();
    await notifier.close();
  };
}
