import { WaymarkError } from "../../core/error.ts";
import { type BoardSource, openWithPage, type PageDemo } from "../../servers/board/source.ts";
import { shellCommand } from "../../setup/shell-command.ts";
import { version } from "../../setup/version.ts";
import type { Call } from "../args/command.ts";

/** Opens the page before the board takes the terminal. Later problems are shown on the board. */
export async function openPageFirst(
  call: Call,
  demo?: PageDemo,
): Promise<(quiet: Call) => Promise<BoardSource>> {
  let { printError } = call.terminal;
  const opened = await openWithPage(
    { ...call, terminal: { ...call.terminal, printError: (line) => printError(line) } },
    { version: version(), demo },
  );
  return async (quiet) => {
    printError = quiet.terminal.printError;
    return opened;
  };
}

/** The same without a board: prints a link. Closes the page again if that fails. */
export async function openPageAndPrint(call: Call, demo?: PageDemo): Promise<BoardSource> {
  const opened = await openWithPage(call, { version: version(), demo });
  try {
    call.terminal.print(pageLine(await opened.page.signInUrl(), call, demo !== undefined));
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/** The line with the link to the page. */
function pageLine(url: string | undefined, { env }: Call, isDemo: boolean): string {
  if (url === undefined) throw new WaymarkError("page_gone", "The page server has stopped.");
  const program = shellCommand(env);
  const another = isDemo ? "" : `; \`${program} serve\` prints another`;
  return `Page: ${url} (one-time link, valid for one minute${another})`;
}
