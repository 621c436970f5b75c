import { DIALECTS } from "../../agents/index.ts";
import { type Activity, stallsAt } from "../../core/activity/activity.ts";
import { goneAt, type StallPolicy, stallPolicyFromEnv } from "../../core/activity/stall.ts";
import type { Track } from "../../core/model.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { toldList } from "../../core/stream/from-track.ts";
import { forJson } from "../../core/text/escape.ts";
import { trackKey } from "../../core/text/ids.ts";
import { joinTracks } from "../../core/views/merged.ts";
import { loadDriver } from "../../engines/sqlite/driver.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { sharedStore } from "../../home/shared-store.ts";
import { followed } from "../../sessions/find.ts";
import { followHosted, type HostedLists } from "../../sessions/hosted.ts";
import { witnessing } from "../../sessions/lease-renewal.ts";
import { followOthers } from "../../sessions/remote/machines.ts";
import { indexOf, keepIndex, machineOf } from "../../sessions/transcripts/agents.ts";
import { type Follower, follow, type News } from "../../sessions/transcripts/follow.ts";
import type { ForeignTrack } from "../../sessions/transcripts/roster.ts";
import { type LogEntry, renderLogEntry } from "../../surfaces/text/log.ts";
import { type Call, defineCommand, HOME_OPTION, type Options } from "../io/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { textOptions } from "../io/text-options.ts";
import { isGone, writeText } from "../io/write-bytes.ts";
import { NOTIFY_OPTION, openNotifications } from "../options/notifications.ts";
import { STORE_OPTION } from "../options/shared-store.ts";
import {
  type ListNews,
  newFindings,
  newNewsOfOthers,
  newRequests,
  tellHosted,
  tellNews,
} from "../print/watching.ts";

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
const MOMENT = 5_000;
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
  const isWanted = ({ session }: Pick<Track, "session">) => has(session);
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
  const onProblem = (error: unknown) => terminal.say(`waymark: ${redactedMessage(error)}`);
  const witness = values.home === undefined ? witnessing(call.home, onProblem) : undefined;
  const onNews = (news: readonly News[], kept: readonly Track[]): void => {
    witness?.news(news);
    const ours = news.filter((each) => isWanted(each.live) && !isKeptByUs(each, kept));
    if (values.json) say(ours.map(({ event }) => event));
    else log(ours.flatMap(tellNews));
  };

  const onList = (...news: ListNews): void => {
    if (!isWanted(news[2])) return;
    if (values.json) say(toldList(...news));
    else log(tellHosted(...news));
  };
  // The newest are read first: there is something to see long before everything is read.
  let drawnAt = Date.now();
  const onProgress = (): void => {
    if (screen && Date.now() - drawnAt > REDRAW) look();
  };
  const { follower, hosted, keep } = await open(call, onNews, onProgress, onList);
  const store = values.home === undefined ? sharedStore(values.store, call.env) : undefined;
  const others = store === undefined ? undefined : followOthers(call, store, () => tellOthers());
  const newsOf = newNewsOfOthers();
  const tellOthers = (): void => {
    for (const news of newsOf(others?.tracks(Date.now()) ?? [])) onList(...news);
    if (screen) look();
  };
  const elsewhere = (now: number) =>
    (others?.tracks(now) ?? []).filter(({ track }) => isWanted(track));
  const findings = newFindings();
  const requests = newRequests();
  const policy = stallPolicyFromEnv(call.env);
  const look = (): void => {
    const now = Date.now();
    hosted?.look();
    drawnAt = Date.now();
    const foreign = follower.tracks().filter(({ live }) => isWanted(live));
    const ours = (hosted?.tracks() ?? []).filter(isWanted);
    notifications?.look(joinTracks(ours, foreign, now, policy));
    if (screen) {
      const theirs = elsewhere(now);
      const all = [...joinTracks(ours, foreign.slice(0, MAX_SHOWN), now, policy), ...theirs];
      const newest = all.sort((a, b) => b.updatedAt - a.updatedAt);
      if (isKnown()) screen.draw(newest, now);
      return;
    }
    const active = busy(foreign, now, policy);
    log(requests(joinTracks(ours, active, now, policy), now));
    log(findings(joinTracks([], active, now, policy), now));
  };
  const timer = setInterval(look, LOOK);
  await Promise.race([Promise.all([follower.ready, others?.ready]), finished]);
  look();
  if (!isKnown() && elsewhere(Date.now()).length === 0 && interrupts.signal === undefined)
    terminal.say(`waymark: no session ${wanted} is known yet; it is followed as soon as it begins`);
  over?.then(() => {
    // What was written last is read before the end.
    follower.sweep();
    setTimeout(finish, LOOK);
  }, finish);
  await finished;
  clearInterval(timer);
  witness?.stop();
  follower.stop();
  others?.stop();
  hosted?.stop();
  keep();
  await closing?.();
  await notifications?.close();
  interrupts.release();
  return EXIT.fine;
}

/** An agent's writing on a list that Waymark keeps is told where the list is, a moment before the transcript has it. */
function isKeptByUs({ event, live }: News, kept: readonly Track[]): boolean {
  if (event.type !== "todo_list") return false;
  const track = kept.find((each) => trackKey(each) === trackKey(live));
  return track !== undefined && track.updatedAt > event.timestamp - MOMENT;
}

/** Sessions in which somebody works: only of them the passing of time tells anything. */
function busy(
  tracks: readonly ForeignTrack[],
  now: number,
  policy: StallPolicy,
): readonly ForeignTrack[] {
  const working = (activity: Activity) =>
    activity.turn === "running" && now < goneAt(stallsAt(activity, policy));
  const sessions = new Set(
    tracks.flatMap(({ live }) => (working(live.activity) ? [live.session] : [])),
  );
  return tracks.filter(({ live }) => sessions.has(live.session));
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

interface Opened {
  readonly follower: Follower;
  readonly hosted: HostedLists | undefined;
  keep(): void;
}

async function open(
  { values, terminal, home, env }: WatchCall,
  onNews: (news: readonly News[], kept: readonly Track[]) => void,
  onProgress: () => void,
  onList: (...news: ListNews) => void,
): Promise<Opened> {
  const machine = machineOf(env, values.home);
  const own = values.home === undefined;
  const index = indexOf({ home }, values.home);
  const hosted = own
    ? await followHosted(home, {
        onNews: onList,
        onProblem: (error) =>
          terminal.say(`waymark: Waymark's own lists are left out: ${redactedMessage(error)}`),
      })
    : undefined;
  const driver = await loadDriver().catch((error: unknown) => {
    terminal.say(`waymark: databases are left out: ${redactedMessage(error)}`);
    return undefined;
  });
  const follower = follow(DIALECTS, machine, {
    index,
    driver,
    onNews: (news) => onNews(news, hosted?.tracks() ?? []),
    onProgress,
    onWarning: (message) => terminal.say(`waymark: ${message}`),
  });
  return {
    follower,
    hosted,
    keep() {
      if (own && index.size > 0) keepIndex({ home, terminal }, index);
    },
  };
}
