import { NoAnswer, UsageError } from "../../core/error.ts";
import { pagePath } from "../../core/wire.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { findRunning, type RunningServer } from "../../servers/http/access/running.ts";
import { openServing } from "../../servers/http/serving.ts";
import { offeredTools } from "../../servers/mcp/offered-tools.ts";
import { followNotifications } from "../../servers/notify/follow.ts";
import { version } from "../../setup/version.ts";
import { type Call, defineCommand, HOME_OPTION, type Options } from "../args/command.ts";
import { openBrowser } from "../io/browser.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { NOTIFY_OPTION, openNotifications } from "../options/notifications.ts";
import { TOOLS_OPTION } from "../options/offered-tools.ts";
import { STORE_OPTION } from "../options/shared-store.ts";

const options = {
  port: {
    type: "string",
    value: "NUMBER",
    summary: "The port; 0 for any that is free. Else 4747, or the next that is free",
  },
  "no-open": { type: "boolean", summary: "Do not open a browser" },
  json: { type: "boolean", summary: "Print url, token and pid as one line of JSON when ready" },
  home: HOME_OPTION,
  notify: NOTIFY_OPTION,
  tools: { ...TOOLS_OPTION, summary: `For agents at /mcp. ${TOOLS_OPTION.summary}` },
  ...STORE_OPTION,
} as const satisfies Options;

type ServeCall = Call<typeof options>;

export const serve = defineCommand({
  arguments: [
    {
      name: "SESSION",
      summary: "Open the page at this session",
      optional: true,
      words: "sessions",
    },
  ],
  options,
  notes: [
    "The page is for whoever started it: the address that is printed lets one browser in, once, within a minute. Run the command again for another; it finds the server that runs.",
    "Programs send the token as `Authorization: Bearer TOKEN`. Agents reach the list over the Model Context Protocol at /mcp. Ctrl+C ends it.",
  ],
  examples: [
    { command: "waymark serve", says: "Open the board in the browser" },
    { command: "waymark serve demo", says: "Open it at one session" },
    { command: "waymark serve --port 0 --no-open --json", says: "For a program that starts it" },
    {
      command: "waymark serve --notify desktop,bell",
      says: "Be told when an agent needs you, finished, stalled or loops",
    },
  ],
  run,
});

async function run(call: ServeCall): Promise<Exit> {
  const { values, terminal, home } = call;
  const port = portOf(values.port);
  // A name that is none is said now, not when the first agent comes.
  offeredTools(call.env, values.tools);
  const isUsual = port === undefined && values.home === undefined && values.store === undefined;
  const to = await placeOf(call);
  const running = isUsual ? await findRunning(home.path, to) : undefined;
  if (running) {
    announce(call, running);
    if (values.notify !== undefined)
      terminal.say(
        "That server runs already and notifies as it was told when it began. End it first, or use waymark watch --notify.",
      );
    return EXIT.fine;
  }
  const notifications = await openNotifications(call, { notify: values.notify });
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const interrupts = catchInterrupts(finish);
  const serving = await openServing(call, {
    port,
    userHome: values.home,
    store: values.store,
    tools: values.tools,
    version: version(),
  });
  const { url, token } = serving;
  const stopNotifications = notifications && followNotifications(serving.feed, notifications);
  try {
    announce(call, { url, token, pid: process.pid, opening: serving.openingUrl(to) });
    if (!values.json) terminal.say("Ctrl+C ends it.");
    await finished;
  } finally {
    // Also where nobody is left to be told the address: nobody would know what to end.
    await stopNotifications?.();
    await serving.close();
  }
  interrupts.release();
  return EXIT.fine;
}

function announce({ values, terminal }: ServeCall, { opening, ...address }: RunningServer): void {
  if (values.json) terminal.print(JSON.stringify(address));
  else terminal.print(opening);
  if (!values["no-open"]) openBrowser(opening);
}

function portOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const port = Number(given);
  if (!/^\d{1,5}$/.test(given) || port > 65_535)
    throw new UsageError(`--port is "${given.slice(0, 20)}"; it must be a number up to 65535.`);
  return port;
}

/** The address of the session that is named, on the page. */
async function placeOf(call: ServeCall): Promise<string | undefined> {
  const [session] = call.args;
  if (session === undefined) return undefined;
  const { home } = call.values;
  const { trackToRead } = await import("../options/which-track.ts");
  const values = { session, ...(home !== undefined && { home }) };
  const { found } = await trackToRead({ ...call, values });
  if (!found)
    throw new NoAnswer(`Nothing is known of session ${session}. waymark ls shows what is.`);
  return pagePath(found.track);
}
