import { CommandError, UsageError } from "../../core/error.ts";
import { pagePath } from "../../core/wire.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { findRunning, type RunningServer } from "../../servers/http/access/running.ts";
import { openBoardServer } from "../../servers/http/board-server.ts";
import { offeredTools } from "../../servers/mcp/offered-tools.ts";
import { followNotifications } from "../../servers/notify/follow.ts";
import { followStalls } from "../../servers/stalls/follow.ts";
import { version } from "../../setup/version.ts";
import { type Call, defineCommand, HOME_OPTION, type Options } from "../args/command.ts";
import { openBrowser } from "../io/browser.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { NOTIFY_OPTION, openStalls } from "../options/notifications.ts";
import { TOOLS_OPTION } from "../options/offered-tools.ts";
import { STORE_OPTION } from "../options/shared-store.ts";
import { DAILY_OPTIONS, dailyReportOf, startDailyReport } from "../serve/daily-report.ts";
import { OTLP_OPTIONS, otlpOf, startOtlp } from "../serve/otlp.ts";
import { openVerifyDone, VERIFY_OPTION } from "../verify/when-done.ts";

const options = {
  port: {
    type: "string",
    value: "NUMBER",
    summary: "Port; 0 for any free one",
    default: "4747, or the next free one",
  },
  "no-open": { type: "boolean", summary: "Do not open a browser" },
  json: {
    type: "boolean",
    summary: "Print url, token and pid as a JSON line when ready",
    perCall: true,
  },
  home: HOME_OPTION,
  notify: NOTIFY_OPTION,
  verify: VERIFY_OPTION,
  tools: {
    ...TOOLS_OPTION,
    summary:
      "Tools for agents at /mcp, comma-separated; all is every list tool, tasks the task tool",
  },
  ...DAILY_OPTIONS,
  ...OTLP_OPTIONS,
  ...STORE_OPTION,
} as const satisfies Options;

type ServeCall = Call<typeof options>;

export const serve = defineCommand({
  arguments: [
    {
      name: "SESSION",
      summary: "Session to open",
      default: "the overview",
      optional: true,
      completions: "sessions",
    },
  ],
  options,
  notes: [
    "The printed URL is a one-time link, valid for one minute. For another browser, run the command again: it finds the running server and prints a new link.",
    "Programs send the token as `Authorization: Bearer TOKEN`. Agents can use the list over MCP at /mcp, Prometheus reads /metrics. Press Ctrl+C to stop the server.",
  ],
  examples: [
    { command: "waymark serve", comment: "Open the board in the browser" },
    { command: "waymark serve demo", comment: "Open one session" },
    {
      command: "waymark serve --port 0 --no-open --json",
      comment: "Start the server from a script",
    },
    {
      command: "waymark serve --report 08:00",
      comment: "Write a report of the night every morning",
    },
    {
      command: "waymark serve --otlp http://localhost:4318",
      comment: "Send traces and metrics to an OpenTelemetry collector",
    },
    {
      command: "waymark serve --notify desktop,bell",
      comment: "Notify when an agent needs you, finishes, stalls or loops",
    },
  ],
  seeAlso: ["watch", "report", "relay"],
  run,
});

async function run(call: ServeCall): Promise<Exit> {
  const { values, terminal, home } = call;
  const port = portOf(values.port);
  // Fails now if a tool is unknown, not when the first agent connects.
  offeredTools(call.env, values.tools);
  const daily = dailyReportOf(call);
  const collector = await otlpOf(call);
  const mayReuse = port === undefined && values.home === undefined && values.store === undefined;
  const to = await sessionPath(call);
  const running = mayReuse ? await findRunning(home.path, to) : undefined;
  if (running) {
    announce(call, running);
    if (values.notify !== undefined)
      terminal.printError(
        "The server is already running, so --notify has no effect. Stop it first, or use `waymark watch --notify`.",
      );
    for (const option of ["report", "otlp"] as const)
      if (values[option] !== undefined)
        terminal.printError(
          `The server is already running, so --${option} has no effect. Stop it first.`,
        );
    return EXIT.success;
  }
  const verifier = await openVerifyDone(call, {
    verify: values.verify,
    onLine: (line) => terminal.printError(line),
  });
  const stalls = await openStalls(call, { notify: values.notify, store: values.store });
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const interrupts = catchInterrupts(finish);
  try {
    const serving = await openBoardServer(call, {
      port,
      userHome: values.home,
      store: values.store,
      tools: values.tools,
      version: version(),
    });
    const { url, token } = serving;
    const stopStalls = followStalls(serving.feed, stalls);
    const stopVerifier = verifier && followNotifications(serving.feed, verifier);
    const reports = daily && startDailyReport(call, daily, serving.feed);
    let otlp: Awaited<ReturnType<typeof startOtlp>> | undefined;
    try {
      otlp = collector && (await startOtlp(call, collector, serving));
      announce(call, { url, token, pid: process.pid, signInUrl: serving.signInUrl(to) });
      if (!values.json) terminal.printError("Press Ctrl+C to stop.");
      await finished;
    } finally {
      // Also if the URL could not be printed: the user could not find the server to stop it.
      await stopStalls();
      await stopVerifier?.();
      await reports?.stop();
      await otlp?.close();
      await serving.close();
    }
  } finally {
    interrupts.release();
  }
  return EXIT.success;
}

function announce(
  { values, terminal }: ServeCall,
  { signInUrl: opening, ...address }: RunningServer,
): void {
  if (values.json) terminal.print(JSON.stringify(address));
  else terminal.print(opening);
  if (!values["no-open"]) openBrowser(opening);
}

function portOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const port = Number(given);
  if (!/^\d{1,5}$/.test(given) || port > 65_535)
    throw new UsageError(
      `Invalid port "${given.slice(0, 20)}". Use a number from 1 to 65535, or 0 for any free port.`,
    );
  return port;
}

/** The path of the named session on the page. */
async function sessionPath(call: ServeCall): Promise<string | undefined> {
  const [session] = call.args;
  if (session === undefined) return undefined;
  const { home } = call.values;
  const { trackToRead } = await import("../options/track-selection.ts");
  const values = { session, ...(home !== undefined && { home }) };
  const { found } = await trackToRead({ ...call, values });
  if (!found)
    throw new CommandError(`No session matches "${session}". \`waymark ls --all\` lists them.`);
  return pagePath(found.track);
}
