import type { FeedChange } from "../../core/views/changes.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import type { Notifier } from "./index.ts";

/** Milliseconds for which changes are collected before they are checked. */
const DELAY = 200;

interface NotifiedFeed {
  tracks(): readonly MergedTrack[];
  subscribe(listener: (change: FeedChange) => void): () => void;
}

/** Sends notifications for the changes of a feed, until the returned function is called. */
export function followNotifications(feed: NotifiedFeed, notifier: Notifier): () => Promise<void> {
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
