import type { FeedChange } from "../../core/views/changes.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { followNotifications } from "../notify/follow.ts";
import type { StallWatch } from "./index.ts";

/** Milliseconds between two looks while a step becomes due with time. */
const EVERY = 1_000;

interface WatchedFeed {
  tracks(): readonly MergedTrack[];
  subscribe(listener: (change: FeedChange) => void): () => void;
}

/** Takes the steps for the tracks of a feed, until the returned function is called. */
export function followStalls(feed: WatchedFeed, stalls: StallWatch): () => Promise<void> {
  const stop = followNotifications(feed, stalls);
  const timer = setInterval(() => {
    if (stalls.isWaiting()) stalls.check(feed.tracks());
  }, EVERY);
  return async () => {
    clearInterval(timer);
    await stop();
  };
}
