import { trackCosts } from "../../core/cost/track-costs.ts";
import { readPrices } from "../../home/prices.ts";
import { listSessions } from "../../sessions/listing/list.ts";
import { type Call, defineCommand, JSON_OPTION, type Options } from "../args/command.ts";
import { NO_MOUSE_OPTION } from "../board/mouse.ts";
import { canShowBoard } from "../can-show-board.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { NOTIFY_OPTION } from "../options/notifications.ts";
import { trackForm } from "../print/track-form.ts";
import { hiddenLine, tableOf } from "../print/tracks-table.ts";
import { VERIFY_OPTION } from "../verify/when-done.ts";

const WELCOME = `No sessions yet. Start an agent and it appears here; no setup is needed.

Without an agent:
  waymark demo
      plays a recorded team of agents
  waymark todo add "Write the first test" --start
      starts a todo list for this directory
  waymark todos
      shows it
  echo '{"add":["Run it"]}' | waymark tool todos
      adds to it as an agent would

Run \`waymark --help\` for all commands.`;

const NEXT = `
waymark show SESSION                 Show one session in full
waymark history --session SESSION    Show every change to its todos
waymark watch                        Stream changes as they happen
waymark --help                       List all commands`;

const options = {
  all: { type: "boolean", summary: "Print a table of all sessions, not only the 20 newest" },
  json: JSON_OPTION,
  plain: { type: "boolean", summary: "Print a table instead of opening the board" },
  page: {
    type: "boolean",
    summary: "Also serve the board in the browser; without a terminal, then print each change",
  },
  "no-mouse": NO_MOUSE_OPTION,
  notify: NOTIFY_OPTION,
  verify: VERIFY_OPTION,
} as const satisfies Options;

type HomeCall = Call<typeof options>;

/** `waymark` without a command: the board, or a table if there is no terminal. */
export const defaultCommand = defineCommand({
  arguments: [],
  options,
  examples: [
    { command: "waymark", comment: "See what your agents are doing" },
    { command: "waymark demo", comment: "Try it without an agent" },
    { command: "waymark setup", comment: "See which agents are installed and connected" },
  ],
  run,
});

async function run(call: HomeCall): Promise<Exit> {
  const { all = false, json, plain, page } = call.values;
  if (!all && !json && !plain && canShowBoard(call)) return showBoard(call);
  await printTracks(call);
  if (!page || json) return EXIT.success;
  call.terminal.print("");
  const { openPageAndPrint: openPageAndSay } = await import("../board/page.ts");
  const { watchUntil } = await import("./watch.ts");
  const { close } = await openPageAndSay(call);
  const { verify } = call.values;
  const values = verify === undefined ? {} : { verify };
  return watchUntil({ ...call, args: [], values }, { plain: true, closing: close });
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
  const exit = await runBoard(call, {
    open,
    onDemo,
    noMouse: call.values["no-mouse"],
    notify: call.values.notify,
    verify: call.values.verify,
  });
  if (!wantsDemo) return exit;
  const { runDemo } = await import("./demo.ts");
  const noMouse = call.values["no-mouse"];
  return runDemo({ ...call, values: noMouse ? { "no-mouse": true } : {} });
}

async function printTracks(call: HomeCall): Promise<void> {
  const { terminal } = call;
  const { all = false, json } = call.values;
  const now = Date.now();
  const found = await listSessions(call, { all }, now);
  const costs = trackCosts(found.tracks, readPrices(call.env));
  if (json) {
    terminal.printJson(found.tracks.map((each) => trackForm(each, costs)));
    return;
  }
  if (found.tracks.length === 0) {
    terminal.print(WELCOME);
    return;
  }
  terminal.print(await tableOf(found, terminal, all, now, costs));
  const hidden = hiddenLine(found, all);
  const lines = [...(hidden === undefined ? [] : ["", hidden]), ...NEXT.split("\n")];
  const { wrapLines: fitting } = await import("../io/wrap-lines.ts");
  terminal.print(fitting(lines, terminal).join("\n"));
}
