import { stallPolicyFromEnv } from "../../core/activity/stall.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { listEvents } from "../../core/stream/from-track.ts";
import { forJson } from "../../core/text/escape.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import { busyTracks, followSessions, type LiveSessions } from "../../sessions/live.ts";
import { filterByName } from "../../sessions/resolve.ts";
import type { SessionUpdate } from "../../sessions/source.ts";
import type { ExternalTrack } from "../../sessions/transcripts/catalog.ts";
import { type LogEntry, renderLogEntry } from "../../surfaces/text/log.ts";
import { type Call, defineCommand, HOME_OPTION, type Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { isDisconnected, writeText } from "../io/write-bytes.ts";
import { NOTIFY_OPTION, openStalls } from "../options/notifications.ts";
import { STORE_OPTION } from "../options/shared-store.ts";
import { findingReporter, requestReporter, updateEntries } from "../print/log-entries.ts";
import { openVerifyDone, VERIFY_OPTION } from "../verify/when-done.ts";

const options = {
  home: HOME_OPTION,
  ...STORE_OPTION,
  json: {
    type: "boolean",
    summary: "Print events as JSON lines, as `waymark pipe` does",
    perCall: true,
  },
  notify: NOTIFY_OPTION,
  verify: VERIFY_OPTION,
} as const satisfies Options;

type WatchCall = Call<typeof options>;

export const watch = defineCommand({
  arguments: [
    {
      name: "SESSION",
      summary: "Session, or at least 4 characters of a generated id",
      default: "all sessions",
      optional: true,
      completions: "sessions",
    },
  ],
  options,
  notes: [
    "On a terminal, the table or the list of the session updates in place; otherwise each change is one line. Press Ctrl+C to stop.",
    "With a shared store, sessions that other machines relay are included.",
  ],
  hints: {
    "--since": "`waymark watch` always starts now; for the past, use `waymark history`.",
  },
  examples: [
    { command: "waymark watch", comment: "Watch all agents on this machine" },
    { command: "waymark watch demo", comment: "Watch one session" },
    {
      command: "waymark watch --verify done",
      comment: "Run the approved check of a repository whenever a todo is completed in it",
    },
    {
      command: "waymark watch --notify bell",
      comment: "Ring the bell when an agent needs you, finishes, stalls or loops",
    },
  ],
  seeAlso: ["ls", "show", "serve", "task watch"],
  run,
});

/** Milliseconds between checks for findings. */
const CHECK_EVERY = 1_000;
/** Milliseconds between two redraws while reading. */
const REDRAW = 100;
/** More rows than any screen has; the newest come first. */
const MAX_SHOWN = 300;

async function run(call: WatchCall): Promise<Exit> {
  return watchUntil(call);
}

export interface Watching {
  /** Resolves when nothing more will happen. */
  readonly over?: Promise<void>;
  /** Print one line per change even on a terminal. */
  readonly plain?: boolean;
  /** Called at the end. */
  readonly closing?: () => Promise<void> | void;
}

/** Watches until the user stops it, or until `over` resolves. */
export async function watchUntil(
  call: WatchCall,
  { over, plain = false, closing }: Watching = {},
): Promise<Exit> {
  const { args, values, terminal } = call;
  const [wanted = ""] = args;
  const stalls = await openStalls(call, { notify: values.notify, store: values.store });
  const { has, isKnown } = filterByName(wanted);
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
  const verifier = await openVerifyDone(call, {
    verify: values.verify,
    onLine: (text, ok) => log([{ at: Date.now(), mark: ok ? "verified" : "watch", text }]),
  });
  const printEvents = (events: readonly StreamEvent[]): void =>
    out(events.map((event) => `${forJson(event)}\n`).join(""));
  const onUpdates = (updates: readonly SessionUpdate[]): void => {
    const ours = updates.filter((each) => has(each.id.session) && !live?.isReported(each));
    if (values.json) printEvents(ours.flatMap(streamEvents));
    else log(ours.flatMap(updateEntries));
  };
  // The newest sessions are read first, so there is something to draw before everything is read.
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
  const findings = findingReporter();
  const requests = requestReporter();
  const policy = stallPolicyFromEnv(call.env);
  const look = ({ tracks, poll }: LiveSessions): void => {
    const now = Date.now();
    poll();
    drawnAt = now;
    // A session that was named is shown, archived or not.
    const isShown = ({ archived }: AnyTrack) => !archived || wanted !== "";
    const busy = (all: readonly ExternalTrack[]) => busyTracks(all, now, policy);
    stalls.check(tracks(now, { session: has, ...(!stalls.notifies && { external: busy }) }));
    verifier?.check(tracks(now, { session: has }));
    if (screen) {
      const newest = tracks(now, { session: has, external: (all) => all.slice(0, MAX_SHOWN) });
      if (isKnown()) screen.draw(newest.filter(isShown), now);
      return;
    }
    const active = tracks(now, {
      session: has,
      external: busy,
    }).filter(isShown);
    log(requests(active, now));
    log(findings(active, now));
  };
  const timer = setInterval(() => look(sessions), CHECK_EVERY);
  await Promise.race([sessions.ready, finished]);
  look(sessions);
  if (!isKnown() && interrupts.signal === undefined)
    terminal.printError(`No session matches "${wanted}" yet; waiting for it to start.`);
  over?.then(() => {
    // Reads what was written last.
    sessions.refresh();
    setTimeout(finish, CHECK_EVERY);
  }, finish);
  await finished;
  clearInterval(timer);
  sessions.stop();
  await closing?.();
  await stalls.close();
  await verifier?.close();
  interrupts.release();
  return EXIT.success;
}

/** Transcripts have stream events already; changes of our own and relayed lists are converted. */
function streamEvents({ change, before, after, written }: SessionUpdate): readonly StreamEvent[] {
  if (written) return [written.event];
  return change ? listEvents(change, before, after) : [];
}

/** Writes to stdout and ends the watch if the reader has closed it. */
function outputTo(finish: () => void): (text: string) => void {
  let isClosed = false;
  return (text) => {
    if (isClosed || text === "") return;
    try {
      writeText(1, text);
    } catch (error) {
      if (!isDisconnected(error)) throw error;
      isClosed = true;
      finish();
    }
  };
}
