import { projectConfigPath, userConfigPath } from "../config/paths.ts";
import { isThere, mentions } from "../config/quick.ts";
import { currentDirectory } from "../home/current-directory.ts";
import { homePath } from "../home/path.ts";
import { spoolIfNothingDue } from "../servers/hooks/quick.ts";
import type { HookArguments } from "../servers/hooks/run.ts";
import { readEvent } from "./io/event-input.ts";
import { MAX_HOOK_INPUT } from "./io/input.ts";
import { isTty } from "./io/terminal.ts";
import { drawStatusLine, statusLineArguments } from "./print/status-line.ts";

/** The remaining work: answer a hook, run the program, or nothing (undefined). */
export type Remaining = { readonly hook?: HookArguments } | undefined;

/** Runs `hook` and `statusline`, which agents call many times a minute, without loading the program if possible. */
export async function quick(argv: readonly string[]): Promise<Remaining> {
  const [command, ...args] = argv;
  if (command === "hook") return quickHook(args);
  const line = command === "statusline" ? statusLineArguments(args) : undefined;
  if (!line || mentions(userConfigPath(process.env, process.platform), LINE_SETTINGS)) return {};
  await drawStatusLine(line).catch(() => {
    // A status line has no place for errors.
  });
  return undefined;
}

/** Settings of the line: the program reads them. */
const LINE_SETTINGS = ["ascii", "stall-after", "archive-after", "clear-delay", "statusline"];

/** The agent uses its own list tool, not Waymark's. */
const NATIVE = "--native";
/** Operations during which list writes are refused. */
const OFF_IN = "--off-in=";

async function quickHook(args: readonly string[]): Promise<Remaining> {
  // Typed by a user: the program explains what is wrong.
  if (args.includes("--help") || args.includes("-h") || isTty(0)) return {};
  const [agent = "", event = ""] = args.filter((word) => !word.startsWith("--"));
  const offIn = args.find((word) => word.startsWith(OFF_IN))?.slice(OFF_IN.length);
  let input = "";
  try {
    const read = await readEvent(MAX_HOOK_INPUT);
    if (read.ok) input = read.text;
  } catch {
    // The agent closed the stream: treat it as an empty event.
  }
  const { env, platform } = process;
  // Without HOME, looking it up costs more than everything else here.
  const known = env.WAYMARK_HOME || env.HOME || platform === "win32";
  const home = known ? homePath(env, platform) : undefined;
  const userFile = userConfigPath(env, platform);
  const cwd = currentDirectory();
  const files = [userFile, cwd === undefined ? undefined : projectConfigPath(cwd)];
  const off = offIn ?? env.WAYMARK_OFF_IN;
  const gates = off === undefined ? files.some(isThere) : off !== "";
  const stopCheck = env.WAYMARK_STOP_CHECK;
  const checksStops =
    stopCheck === undefined ? mentions(userFile, ["stop-check"]) : stopCheck !== "";
  const watchesFiles = env.WAYMARK_COLLISIONS !== "off";
  const isSpooled =
    home !== undefined &&
    spoolIfNothingDue(home, agent, event, input, gates, checksStops, watchesFiles, files);
  return isSpooled
    ? undefined
    : { hook: { agent, event, json: input, native: args.includes(NATIVE), offIn } };
}
