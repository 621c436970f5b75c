import { WaymarkError } from "../../core/error.ts";
import { type BoardSource, openWithPage, type PageDemo } from "../../servers/board/source.ts";
import { typedHere } from "../../setup/typed-program.ts";
import { version } from "../../setup/version.ts";
import type { Call } from "../args/command.ts";

/** Opens board and page before the board takes the terminal. Problems that come later are shown on the board. */
export async function openPageFirst(
  call: Call,
  demo?: PageDemo,
): Promise<(quiet: Call) => Promise<BoardSource>> {
  let { say } = call.terminal;
  const opened = await openWithPage(
    { ...call, terminal: { ...call.terminal, say: (line) => say(line) } },
    { version: version(), demo },
  );
  return async (quiet) => {
    say = quiet.terminal.say;
    return opened;
  };
}

/** The same without a board: prints a link, or closes the page when nobody reads that. */
export async function openPageAndSay(call: Call, demo?: PageDemo): Promise<BoardSource> {
  const opened = await openWithPage(call, { version: version(), demo });
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
