import type { Call } from "../command.ts";
import { findRunning } from "../commands/serve.ts";
import { openFeed } from "../feed.ts";
import { openServing } from "../serving.ts";
import { version } from "../version.ts";
import type { BoardPage, BoardSource } from "./source.ts";

/** The agents of this machine, and the page that shows them in a browser: ours, or the one that runs. */
async function openPage(
  call: Pick<Call, "home" | "env" | "terminal">,
): Promise<BoardSource & { readonly page: BoardPage }> {
  const running = await findRunning(call.home.path);
  if (running) {
    const feed = await openFeed(call);
    const { url, opening } = running;
    return { feed, page: { address: url, openingUrl: () => opening }, close: feed.stop };
  }
  const { url, feed, openingUrl, close } = await openServing(call, { version: version() });
  return { feed, page: { address: url, openingUrl }, close };
}

/**
 * The same before the board takes the terminal, so that the address stays readable above it. What goes
 * wrong later is said on the board.
 */
export async function openPageFirst(call: Call): Promise<(quiet: Call) => Promise<BoardSource>> {
  let { say } = call.terminal;
  const opened = await openPage({
    ...call,
    terminal: { ...call.terminal, say: (line) => say(line) },
  });
  call.terminal.say(pageLine(opened.page));
  return async (quiet) => {
    say = quiet.terminal.say;
    return opened;
  };
}

/** The same where there is no board: says where it is, or ends it where nobody hears that. */
export async function openPageAndSay(call: Call): Promise<BoardSource> {
  const opened = await openPage(call);
  try {
    call.terminal.print(pageLine(opened.page));
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/** The line that says where the page is. */
function pageLine({ openingUrl }: BoardPage): string {
  return `The page: ${openingUrl()} (for one browser, within a minute; waymark serve gives another)`;
}
