import { listSessions } from "../../sessions/listing/list.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { NOTIFY_OPTION } from "../options/notifications.ts";
import { trackForm } from "../print/track-form.ts";
import { hiddenLine, tableOf } from "../print/tracks-table.ts";
import { showsBoards } from "../shows-boards.ts";

const WELCOME = `No agent has run here yet. Start any agent and it appears here by itself.
A list of your own, without one:

  waymark todo add "Write the first test" --start
      begins a list for this directory
  waymark todos
      shows it
  echo '{"add":["Run it"]}' | waymark tool todos
      adds to it as an agent does

waymark --help shows everything else.`;

const NEXT = `
One track:  waymark show SESSION
Its past:   waymark history --session SESSION
Live:       waymark watch
All else:   waymark --help`;

const options = {
  all: { type: "boolean", summary: "Every track, not only the 20 newest" },
  json: { type: "boolean", summary: "Print JSON" },
  plain: { type: "boolean", summary: "A table, also on a terminal" },
  page: {
    type: "boolean",
    summary: "Also serve the page for a browser; without a terminal, go on with each change",
  },
  notify: NOTIFY_OPTION,
} as const satisfies Options;

type HomeCall = Call<typeof options>;

/** What the program shows when it is called by its name alone: the board, or a table without a terminal. */
export const home = defineCommand({ arguments: [], options, examples: [], run });

async function run(call: HomeCall): Promise<Exit> {
  const { all = false, json, plain, page } = call.values;
  if (!all && !json && !plain && showsBoards(call)) return showBoard(call);
  await printTracks(call);
  if (!page || json) return EXIT.fine;
  call.terminal.print("");
  const { openPageAndSay } = await import("../board/page.ts");
  const { watchUntil } = await import("./watch.ts");
  const { close } = await openPageAndSay(call);
  return watchUntil({ ...call, args: [], values: {} }, { plain: true, closing: close });
}

async function showBoard(call: HomeCall): Promise<Exit> {
  const { runBoard } = await import("../board/run.ts");
  const { openMachine } = await import("../../servers/board/source.ts");
  let wantsDemo = false;
  const onDemo = () => {
    wantsDemo = true;
  };
  const open = call.values.page
    ? await (await import("../board/page.ts")).openPageFirst(call)
    : openMachine;
  const exit = await runBoard(call, { open, onDemo, notify: call.values.notify });
  if (!wantsDemo) return exit;
  const { runDemo } = await import("./demo.ts");
  return runDemo({ ...call, values: {} });
}

async function printTracks(call: HomeCall): Promise<void> {
  const { terminal } = call;
  const { all = false, json } = call.values;
  const now = Date.now();
  const found = await listSessions(call, { all }, now);
  if (json) {
    terminal.printJson(found.tracks.map(trackForm));
    return;
  }
  if (found.tracks.length === 0) {
    terminal.print(WELCOME);
    return;
  }
  terminal.print(await tableOf(found, terminal, all, now));
  const hidden = hiddenLine(found, all);
  const lines = [...(hidden === undefined ? [] : ["", hidden]), ...NEXT.split("\n")];
  const { fitting } = await import("../io/fitting.ts");
  terminal.print(fitting(lines, terminal).join("\n"));
}
