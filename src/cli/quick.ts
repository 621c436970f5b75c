import { homePath } from "../home/path.ts";
import { recordQuietly } from "../servers/hooks/quick.ts";
import type { HookArguments } from "../servers/hooks/run.ts";
import { readEvent } from "./io/event-input.ts";
import { MAX_HOOK_INPUT } from "./io/input.ts";
import { isTty } from "./io/terminal.ts";
import { drawStatusLine, statusLineArguments } from "./print/status-line.ts";

/** What is left to do: a hook to answer, anything else, or nothing at all. */
export type Rest = { readonly hook?: HookArguments } | undefined;

/**
 * Commands that agents call many times a minute, carried out without loading the program where that
 * is possible.
 */
export async function quick(argv: readonly string[]): Promise<Rest> {
  const [command, ...args] = argv;
  if (command === "hook") return quickHook(args);
  const line = command === "statusline" ? statusLineArguments(args) : undefined;
  if (!line) return {};
  await drawStatusLine(line).catch(() => {
    // A status line has nobody to complain to.
  });
  return undefined;
}

/** The list tool of the agent itself is in use, not ours. */
const NATIVE = "--native";
/** Operations during which that tool is refused. */
const OFF_IN = "--off-in=";

async function quickHook(args: readonly string[]): Promise<Rest> {
  // A person: whatever is wrong is explained.
  if (args.includes("--help") || args.includes("-h") || isTty(0)) return {};
  const [agent = "", event = ""] = args.filter((word) => !word.startsWith("--"));
  const offIn = args.find((word) => word.startsWith(OFF_IN))?.slice(OFF_IN.length);
  let input = "";
  try {
    const read = await readEvent(MAX_HOOK_INPUT);
    if (read.ok) input = read.text;
  } catch {
    // An agent that closes the stream in the middle has nothing to tell.
  }
  const { env, platform } = process;
  // Where there is no HOME, asking the system for it costs more than all the rest.
  const known = env.WAYMARK_HOME || env.HOME || platform === "win32";
  const home = known ? homePath(env, platform) : undefined;
  const gates = (offIn ?? env.WAYMARK_OFF_IN ?? "") !== "";
  return home !== undefined && recordQuietly(home, agent, event, input, gates)
    ? undefined
    : { hook: { agent, event, json: input, native: args.includes(NATIVE), offIn } };
}
