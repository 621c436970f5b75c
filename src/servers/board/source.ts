import type { AgentSummary } from "../../core/wire.ts";
import type { Playing } from "../../demo/play.ts";
import type { Context } from "../../home/open.ts";
import type { Feed } from "../../sessions/feed.ts";

/** What a board shows, and where else it can be seen. */
export interface BoardSource {
  readonly feed: Feed;
  /** The page that shows the same in a browser. */
  readonly page?: BoardPage;
  close(): Promise<void> | void;
}

/** The recorded demo, where the page shows that. */
export interface PageDemo {
  readonly playing: Playing;
  /** The agents of the real machine. */
  agents(signal: AbortSignal): Promise<readonly AgentSummary[]>;
}

export interface BoardPage {
  /**
   * Creates a one-time link that is valid for a minute and opens `to` (default: the board). Undefined if the server
   * has ended.
   */
  openingUrl(to?: string): Promise<string | undefined>;
}

// Loaded late: the first frame of the board does not wait for them.
const feeds = () => import("../../sessions/feed.ts");
const servers = () => import("../http/access/running.ts");

/** The agents of this machine, and our own lists. */
export async function openMachine(
  call: Pick<Context, "home" | "env" | "terminal">,
): Promise<BoardSource> {
  const { openFeed } = await feeds();
  const feed = await openFeed(call);
  return { feed, close: feed.stop };
}

/** The same with a page that shows it in a browser: the page of a running server, or one of our own. */
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
  const { openServing } = await import("../http/serving.ts");
  const { feed, openingUrl, close } = await openServing(call, {
    version,
    ...(demo && { demo: demo.playing, agents: demo.agents }),
  });
  return { feed, page: { openingUrl: async (to) => openingUrl(to) }, close };
}

/** The page of the server that runs on this home. Each link works once, so every one is requested. */
export function runningPage(home: string): BoardPage {
  return { openingUrl: async (to) => (await (await servers()).findRunning(home, to))?.opening };
}
