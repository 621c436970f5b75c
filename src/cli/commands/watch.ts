import { stallPolicyFromEnv } from "../../core/activity/stall.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { listEvents } from "../../core/stream/from-track.ts";
import { forJson } from "../../core/text/escape.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { busyTracks, followSessions, type LiveSessions } from "../../sessions/live.ts";
import { followed } from "../../sessions/resolve.ts";
import type { SessionUpdate } from "../../sessions/source.ts";
import { type LogEntry, renderLogEntry } from "../../surfaces/text/log.ts";
import { type Call, defineCommand, HOME_OPTION, type Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { isGone, writeText } from "../io/write-bytes.ts";
import { NOTIFY_OPTION, openNotifications } from "../options/notifications.ts";
import { STORE_OPTION } from "../options/shared-store.ts";
import { newFindings, newRequests, updateLines } from "../print/watching.ts";

const options = {
  home: HOME_OPTION,
  ...STORE_OPTION,
  json: { type: "boolean", summary: "Print every event as one line of JSON, as pipe does" },
  notify: NOTIFY_OPTION,
} as const satisfies Options;

type WatchCall = Call<typeof options>;

export const watch = defineCommand({
  arguments: [
    {
      name: "SESSION",
      summary: "only this session: its name, or the first 4 signs or more of a generated id",
      optional: true,
      words: "sessions",
    },
  ],
  options,
  notes: [
    "On a terminal the table, or the list of the one session, stays in place and is kept true. Anywhere else each change is one line. Ctrl+C ends it.",
    "With a shared store, the lists that other machines relay are followed too.",
  ],
  examples: [
    { command: "waymark watch", says: "Every agent on this machine" },
    { command: "waymark watch demo", says: "One session" },
    {
      command: "waymark watch --notify bell",
      says: "Be told when an agent needs you, finished, stalled or loops",
    },
  ],
  run,
});

const LOOK = 1_000;
const REDRAW = 100;
/** More than fit on any screen; the newest come first. */
const MAX_SHOWN = 300;

async function run(call: WatchCall): Promise<Exit> {
  return watchUntil(call);
}

export interface Watching {
  /** Says when there is nothing more to come. */
  readonly over?: Promise<void>;
  /** One line per change, also on a terminal. */
  readonly plain?: boolean;
  /** What else is open while this is. */
  readonly closing?: () => Promise<void> | void;
}

/** Watches until the person ends it, or until there is nothing more to come. */
export async function watchUntil(
  call: WatchCall,
  { over, plain = false, closing }: Watching = {},
): Promise<Exit> {
  const { args, values, terminal } = call;
  const [wanted = ""] = args;
  const notifications = await openNotifications(call, { notify: values.notify });
  const { has, isKnown } = followed(wanted);
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const interrupts = catchInterrupts(finish);
  const out = outputTo(finish);
  const inPlace = !plain && terminal.isTty && !values.json && call.env.TERM !== "dumb";
  const screen = inPlace
    ? (await import("../print/watch-screen.ts")).openScreen(
        terminal,
        wanted,
        out,
        clearDelayOf(call.env),
      )
    : undefined;

  const log = (entries: readonly LogEntry[]): void => {
    if (screen || values.json) return;
    const look = { ...textOptions(terminal, Date.now()), edge: false };
    for (const entry of entries) out(`${renderLogEntry(entry, look)}\n`);
  };
  const say = (events: readonly StreamEvent[]): void =>
    out(events.map((event) => `${forJson(event)}\n`).join(""));
  const onUpdates = (updates: readonly SessionUpdate[]): void => {
    const ours = updates.filter((each) => has(each.id.session) && !live?.isReported(each));
    if (values.json) say(ours.flatMap(streamEvents));
    else log(ours.flatMap(updateLines));
  };
  // The newest are read first: there is something to see long before everything is read.
  let drawnAt = Date.now();
  const onChange = (): void => {
    if (screen && live && Date.now() - drawnAt > REDRAW) look(live);
  };
  let live: LiveSessions | undefined;
  const sessions = await followSessions(
    call,
    { userHome: values.home, store: values.store },
    { onUpdates, onChange },
  );
  live = sessions;
  const findings = newFindings();
  const requests = newRequests();
  const policy = stallPolicyFromEnv(call.env);
  const look = ({ tracks, look: lookAgain }: LiveSessions): void => {
    const now = Date.now();
    lookAgain();
    drawnAt = now;
    if (notifications) notifications.look(tracks(now, { session: has }));
    if (screen) {
      const newest = tracks(now, { session: has, external: (all) => all.slice(0, MAX_SHOWN) });
      if (isKnown()) screen.draw(newest, now);
      return;
    }
    const active = tracks(now, { session: has, external: (all) => busyTracks(all, now, policy) });
    log(requests(active, now));
    log(findings(active, now));
  };
  const timer = setInterval(() => look(sessions), LOOK);
  await Promise.race([sessions.ready, finished]);
  look(sessions);
  if (!isKnown() && interrupts.signal === undefined)
    terminal.say(`waymark: no session ${wanted} is known yet; it is followed as soon as it begins`);
  over?.then(() => {
    // What was written last is read before the end.
    sessions.refresh();
    setTimeout(finish, LOOK);
  }, finish);
  await finished;
  clearInterval(timer);
  sessions.stop();
  await closing?.();
  await notifications?.close();
  interrupts.release();
  return EXIT.fine;
}

/** Our own lists and those of other machines are converted; transcripts have events of their own. */
function streamEvents({ change, before, after, written }: SessionUpdate): readonly StreamEvent[] {
  if (written) return [written.event];
  return change ? listEvents(change, before, after) : [];
}

/** Whoever read our output may have seen enough. */
function outputTo(finish: () => void): (text: string) => void {
  let isClosed = false;
  return (text) => {
    if (isClosed || text === "") return;
    try {
      writeText(1, text);
    } catch (error) {
      if (!isGone(error)) throw error;
      isClosed = true;
      finish();
    }
  };
}
