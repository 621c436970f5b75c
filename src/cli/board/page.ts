import { WaymarkError } from "../../core/error.ts";
import { trackKey } from "../../core/text/ids.ts";
import { pagePath, taskPath } from "../../core/wire.ts";
import {
  type BoardSource,
  openWithPage,
  type PageDemo,
  runningPage,
} from "../../servers/board/source.ts";
import { CODE_LIFE } from "../../servers/http/access/access.ts";
import { shellCommand } from "../../setup/shell-command.ts";
import { version } from "../../setup/version.ts";
import type { Call } from "../args/command.ts";
import { openBrowser } from "../io/browser.ts";
import { clipboardSequence, offersClipboard } from "./clipboard.ts";
import type { RunningBoard } from "./running-board.ts";

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

/** Links to the page from a running board. */
export interface PageLinks {
  /** Opens the browser with the view that the board shows. Returns the sentence with a link for the user. */
  open(): Promise<string>;
  stop(): void;
}

export function openPageLinks(board: RunningBoard): PageLinks {
  const { call, screen } = board;
  let expiry: NodeJS.Timeout | undefined;
  return {
    async open() {
      const page = board.source?.page ?? runningPage(call.home.path);
      const to = shownPath(board);
      // A link works once, so the browser gets one and the user another.
      const [ours, theirs] = [await page.signInUrl(to), await page.signInUrl()];
      if (ours === undefined || theirs === undefined)
        return `The page is not being served. Run \`${shellCommand(call.env)} serve\`, or start the board with --page.`;
      openBrowser(ours);
      const isOffered = offersClipboard(call.env);
      // The link on the screen is short, so that it fits; the copied one opens the same view as the browser.
      const copied =
        to !== undefined && isOffered ? ((await page.signInUrl(to)) ?? theirs) : theirs;
      if (isOffered) screen.write(clipboardSequence(copied));
      // The link comes first: a small screen truncates the end of the message.
      const asked = isOffered ? " and the terminal to copy the link" : "";
      const message = `One-time link, valid for one minute: ${theirs} Asked your browser to open the page${asked}.`;
      clearTimeout(expiry);
      expiry = setTimeout(() => {
        if (board.state.message === message)
          board.showMessage("That link has expired. Press w for a new one.");
      }, CODE_LIFE);
      return message;
    },
    stop: () => clearTimeout(expiry),
  };
}

/** The path of the page that shows what the board shows; undefined for the overview. */
function shownPath({ state, data }: RunningBoard): string | undefined {
  const screen = ["help", "search"].includes(state.screen) ? state.from : state.screen;
  if (screen === "tasks")
    return state.taskIsOpen && state.task !== undefined ? taskPath(state.task) : "/tasks";
  if (screen === "tracks") return undefined;
  const shown = data.tracks().find(({ track }) => trackKey(track) === state.selected);
  return shown && pagePath(shown.track);
}
