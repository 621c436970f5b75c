import { UsageError, WaymarkError } from "../../core/error.ts";
import { stallStepsFromEnv } from "../../core/stalls/steps.ts";
import type { Notifier, NotifierOptions } from "../../servers/notify/index.ts";
import type { StallWatch } from "../../servers/stalls/index.ts";
import type { Call } from "../args/command.ts";
import { isTty } from "../io/terminal.ts";
import { writeText } from "../io/write-bytes.ts";

/** For commands that keep running. */
export const NOTIFY_OPTION = {
  type: "string",
  value: "SINKS",
  summary:
    "Notify when an agent needs you, finishes, stalls or loops; comma-separated: desktop, bell, webhook=URL, or none",
  default: "WAYMARK_NOTIFY",
} as const;

interface NotificationsOptions {
  /** Value of the option; `none` overrides the environment. */
  readonly notify: string | undefined;
  /** Writes the bell to a terminal that the board draws on. */
  readonly ring?: (bytes: string) => void;
  /** Called after each delivery. */
  readonly onDelivered?: NotifierOptions["onDelivered"];
}

/** Returns undefined if no sink is configured. */
async function openNotifications(
  { env, home, terminal }: Pick<Call, "env" | "home" | "terminal">,
  { notify, ring, onDelivered }: NotificationsOptions,
): Promise<Notifier | undefined> {
  const given = notify ?? env.WAYMARK_NOTIFY ?? "";
  if (given.trim() === "") return undefined;
  const [{ openNotifier }, { parseSinks: readSinks }] = await Promise.all([
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
    onProblem: (message) => terminal.printError(`waymark: ${message}`),
    ...(onDelivered && { onDelivered }),
  });
}

const ERROR = 2;

interface StallOptions extends NotificationsOptions {
  /** Value of --store. */
  readonly store?: string | undefined;
}

/** Opens the notifications, and the steps that are taken when an agent stalls or loops. */
export async function openStalls(
  call: Pick<Call, "env" | "home" | "terminal">,
  { store, ...options }: StallOptions,
): Promise<StallWatch> {
  const { env, home, terminal } = call;
  const plan = stallStepsFromEnv(env);
  let stalls: StallWatch | undefined;
  const notifier = await openNotifications(call, {
    ...options,
    onDelivered: (...delivered) => stalls?.notified(...delivered),
  });
  const { openStallWatch } = await import("../../servers/stalls/index.ts");
  stalls = openStallWatch({
    context: { home, env },
    plan,
    command: env.WAYMARK_ON_STALLED?.trim() || undefined,
    server: store,
    notifier,
    onProblem: (message) => terminal.printError(`waymark: ${message}`),
  });
  return stalls;
}
