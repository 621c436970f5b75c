import { WaymarkError } from "../../core/error.ts";
import { openServing } from "../../servers/http/serving.ts";
import { openFeed } from "../../sessions/feed.ts";
import { typedHere } from "../../setup/typed-program.ts";
import { version } from "../../setup/version.ts";
import type { Call } from "../args/command.ts";
import { findRunning } from "../commands/serve.ts";
import type { BoardDemo } from "./run.ts";
import { runningPage } from "./running-page.ts";
import type { BoardPage, BoardSource } from "./source.ts";

/** What the page of the demo shows. */
type PageDemo = Pick<BoardDemo, "playing" | "agents">;

/** The agents of this machine, and the page that shows them in a browser: ours, or the one that runs. */
async function openPage(
  call: Pick<Call, "home" | "env" | "terminal">,
  demo: PageDemo | undefined,
): Promise<BoardSource & { readonly page: BoardPage }> {
  const running = await findRunning(call.home.path);
  if (running) {
    const feed = await openFeed(call);
    return { feed, page: runningPage(call.home.path), close: feed.stop };
  }
  const { feed, openingUrl, close } = await openServing(call, {
    version: version(),
    ...(demo && { demo: demo.playing, agents: demo.agents }),
  });
  return { feed, page: { openingUrl: async (to) => openingUrl(to) }, close };
}

/** The same before the board takes the terminal. Problems that come later are shown on the board. */
export async function openPageFirst(
  call: Call,
  demo?: PageDemo,
): Promise<(quiet: Call) => Promise<BoardSource>> {
  let { say } = call.terminal;
  const opened = await openPage(
    { ...call, terminal: { ...call.terminal, say: (line) => say(line) } },
    demo,
  );
  return async (quiet) => {
    say = quiet.terminal.say;
    return opened;
  };
}

/** The same without a board: prints a link, or closes the page when nobody reads that. */
export async function openPageAndSay(call: Call, demo?: PageDemo): Promise<BoardSource> {
  const opened = await openPage(call, demo);
  try {
    call.terminal.print(pageLine(await opened.page.openingUrl(), call, demo !== undefined));
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/** The line that says where the page is. */
function pageLine(url: string | undefined, { env }: Call, isDemo: boolean): string {
  if (url === undefined) throw new WaymarkError("page_gone", "The server of the page has ended.");
  const program = typedHere(env);
  const another = isDemo ? "" : `; ${program} serve prints another`;
  return `The page: ${url} (for one browser, within a minute${another})`;
}
