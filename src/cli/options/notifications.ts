import { UsageError, WaymarkError } from "../../core/error.ts";
import type { Notifier } from "../../servers/notify/index.ts";
import type { Call } from "../args/command.ts";
import { isTty } from "../io/terminal.ts";
import { writeText } from "../io/write-bytes.ts";

/** Of every command that stays and looks. */
export const NOTIFY_OPTION = {
  type: "string",
  value: "WHERE",
  summary:
    "Tell me when an agent needs me, finished, stalled or loops: desktop, bell, webhook=URL, with commas between; else WAYMARK_NOTIFY",
} as const;

interface NotificationsOptions {
  /** What was given on the command line; `none` for nothing, whatever the environment says. */
  readonly notify: string | undefined;
  /** Rings the bell where somebody else draws on the terminal. */
  readonly ring?: (bytes: string) => void;
}

/** Nothing where nobody asked for it. */
export async function openNotifications(
  { env, home, terminal }: Pick<Call, "env" | "home" | "terminal">,
  { notify, ring }: NotificationsOptions,
): Promise<Notifier | undefined> {
  const given = notify ?? env.WAYMARK_NOTIFY ?? "";
  if (given.trim() === "") return undefined;
  const [{ openNotifier }, { readSinks }] = await Promise.all([
    import("../../servers/notify/index.ts"),
    import("../../servers/notify/sinks.ts"),
  ]);
  const sinks = readSinks(given, (message) => {
    throw notify === undefined
      ? new WaymarkError("unknown_sink", `WAYMARK_NOTIFY: ${message}`)
      : new UsageError(`--notify: ${message}`);
  });
  if (sinks.length === 0) return undefined;
  return openNotifier({
    sinks,
    home: home.path,
    env,
    platform: process.platform,
    now: Date.now(),
    ring: ring ?? (isTty(ERROR) ? (bytes) => writeText(ERROR, bytes) : undefined),
    onProblem: (message) => terminal.say(`waymark: ${message}`),
  });
}

const ERROR = 2;
