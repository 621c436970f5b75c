import type { AgentSummary } from "../../core/wire.ts";
import type { Playing } from "../../demo/play.ts";
import type { Context } from "../../home/open.ts";
import type { Feed } from "../../sessions/feed.ts";

/** The sessions that a board shows, and the page that shows them in a browser. */
export interface BoardSource {
  readonly feed: Feed;

  readonly page?: BoardPage;
  close(): Promise<void> | void;
}

/** The recorded demo, for a page that plays it. */
export interface PageDemo {
  readonly playing: Playing;
  /** The agents on the user's machine. */
  agents(signal: AbortSignal): Promise<readonly AgentSummary[]>;
}

export interface BoardPage {
  /**
   * Creates a one-time link that is valid for a minute and opens `to` (default: the board). Undefined if the server
   * has ended.
   */
  signInUrl(to?: string): Promise<string | undefined>;
}

// Imported on demand, so that the board draws its first frame sooner.
const feeds = () => import("../../sessions/feed.ts");
const servers = () => import("../http/access/running.ts");

/** Shows the agents of this machine and Waymark's own lists. */
export async function openMachine(
  call: Pick<Context, "home" | "env" | "terminal">,
): Promise<BoardSource> {
  const { openFeed } = await feeds();
  const feed = await openFeed(call);
  return { feed, close: feed.stop };
}

/** Like `openMachine`, with a page: that of the running server, or of one that is started here. */
export async function openWithPage(
  call: Pick<Context, "home" | "env" | "terminal">,
  { version, demo }: { readonly version: string; readonly demo?: PageDemo | undefined },
): Promise<BoardSource & { readonly page: BoardPage }> {
  const { findRunning } = await servers();
  if (await findRunning(call.home.path)) {
    const { openFeed } = await feeds();
    const feed = await openFeed(call);
    return { feed, page: runningPage(call.home.path), close: feed.stop };
  }
  const { openBoardServer: openServing } = await import("../http/board-server.ts");
  const {
    feed,
    signInUrl: openingUrl,
    close,
  } = await openServing(call, {
    version,
    ...(demo && { demo: demo.playing, agents: demo.agents }),
  });
  return { feed, page: { signInUrl: async (to) => openingUrl(to) }, close };
}

/** The page of the server that runs on this home. Links work once, so each is requested from the server. */
export function runningPage(home: string): BoardPage {
  return { signInUrl: async (to) => (await (await servers()).findRunning(home, to))?.signInUrl };
}
