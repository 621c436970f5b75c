import type { Feed } from "../../sessions/feed.ts";
import type { Call } from "../args/command.ts";

/** What a board shows, and where else it can be seen. */
export interface BoardSource {
  readonly feed: Feed;
  /** The page that shows the same in a browser. */
  readonly page?: BoardPage;
  close(): Promise<void> | void;
}

export interface BoardPage {
  /**
   * Creates a one-time link that is valid for a minute and opens `to` (default: the board). Undefined if the server
   * has ended.
   */
  openingUrl(to?: string): Promise<string | undefined>;
}

/** The agents of this machine, and our own lists. */
export async function openMachine(call: Call): Promise<BoardSource> {
  const { openFeed } = await import("../../sessions/feed.ts");
  const feed = await openFeed(call);
  return { feed, close: feed.stop };
}
