import { ACTIVITY_POLICY, newLoopFinding, newStallFinding } from "../../core/activity/activity.ts";
import { findingsOf, stateOf } from "../../core/activity/session-state.ts";
import { STALL_POLICY, type StallPolicy } from "../../core/activity/stall.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import {
  emptyLiveTrack,
  familyStallsAt,
  foldStream,
  type LiveTrack,
} from "../../core/stream/fold.ts";
import { MAIN_AGENT, trackKey } from "../../core/text/ids.ts";
import {
  type Display,
  type DisplayedList,
  displayAfter,
  type Lifecycle,
  shownTrack,
} from "../../core/views/lifecycle.ts";
import { isOpen, type View, viewOf } from "../../core/views/view.ts";
import type { Members } from "../../surfaces/text/draw/page.ts";
import type { LogEntry } from "../../surfaces/text/log.ts";
import { alertEntry, entriesOfEvent, entriesOfList, plainEntry } from "./log-entries.ts";

/** A list on the display, with a note below it. */
export interface DrawnList {
  readonly view: View;
  readonly note: string;
}

/** The agents of one stream, and which of their lists are on display. */
export interface PipeScreen {
  /** The stream's time: the time of the last event plus the time since it arrived. */
  now(): number;
  readonly lives: readonly LiveTrack[];
  readonly lists: readonly DrawnList[];
  /** Applies an event. Returns its log entries, and the lists that left the display. */
  apply(event: StreamEvent): {
    readonly entries: readonly LogEntry[];
    readonly removed: readonly DrawnList[];
  };
  /** Agents that stalled or resumed since the last call. */
  newFindings(): readonly LogEntry[];
}

const MAX_LIVES = 1_000;

/** Why a list left the display. */
const STOPS: Readonly<Partial<Record<StreamEvent["type"], string>>> = {
  "turn.failed": "turn failed",
  "turn.cancelled": "turn cancelled",
  "session.ended": "session ended",
};

export function openPipeScreen(
  lifecycle: Lifecycle,
  now: () => number,
  stall: StallPolicy = STALL_POLICY,
  {
    members,
    clearDelay = -1,
  }: { readonly members?: Members | undefined; readonly clearDelay?: number | undefined } = {},
): PipeScreen {
  const lives = new Map<string, LiveTrack>();
  let display: Display = [];
  let sessions = 0;
  let lastAt: number | undefined;
  let arrived = 0;

  const streamNow = () => (lastAt === undefined ? now() : lastAt + Math.max(0, now() - arrived));

  const liveOf = (event: StreamEvent): LiveTrack | undefined => {
    const key = trackKey({ session: event.sessionId, agent: event.agentId });
    const known = lives.get(key);
    // An unreadable line belongs to no agent.
    if (known || event.type === "warning") return known;
    const live = emptyLiveTrack(event);
    if (![...lives.values()].some(({ session }) => session === live.session)) sessions++;
    lives.set(key, live);
    const [oldest] = lives.size > MAX_LIVES ? lives.keys() : [];
    if (oldest !== undefined) lives.delete(oldest);
    return live;
  };

  /** The agent's name in the log; empty while the stream has a single agent. */
  const nameOf = ({ agent, name, session, track }: LiveTrack): string => {
    const member = members?.get(agent);
    if (member) return member.name;
    if (agent !== MAIN_AGENT) return name ?? agent;
    return sessions > 1 ? (track.title ?? session.slice(0, 8)) : "";
  };

  const entry = (
    body: Omit<LogEntry, "at" | "agentType">,
    at: number,
    live: LiveTrack | undefined,
  ) => {
    const name = live ? nameOf(live) : "";
    return {
      ...body,
      at,
      ...(name && { meta: [name, ...(body.meta ?? [])] }),
      ...(live && { agentType: live.agentType }),
    };
  };

  const stateNow = (live: LiveTrack) => {
    const { activity, ended, plan, track } = live;
    const { todos, updatedAt } = track;
    const facts = { todos, updatedAt, activity, ended, plan };
    const policy = { ...ACTIVITY_POLICY, ...stall };
    const alone = stateOf(facts, streamNow(), policy);
    if (alone !== "stalled") return alone;
    const stallsAt = familyStallsAt(live, lives.values(), policy);
    return stateOf({ ...facts, stallsAt }, streamNow(), policy);
  };

  const drawn = (shown: DisplayedList): DrawnList[] => {
    const live = lives.get(trackKey(shown));
    if (!live) return [];
    const at = streamNow();
    const track = shownTrack(live.track, shown);
    const open = track.todos.filter(isOpen).length;
    const [finding] = findingsOf(live.activity, stateNow(live), at);
    const ended = open > 0 ? `turn ended with ${open} open` : "turn ended";
    const note = finding?.message ?? (shown.turnEnded ? ended : "");
    // A team member has no session whose title could name its list.
    const title =
      live.agent === MAIN_AGENT || track.parentAgent !== undefined ? undefined : nameOf(live);
    const view = viewOf(track, at, clearDelay);
    return [{ view: title === undefined ? view : { title, ...view }, note }];
  };

  const newFindings = (): readonly LogEntry[] => {
    const at = streamNow();
    return [...lives.values()].flatMap((live) => {
      const { activity } = live;
      const state = stateNow(live);
      const finding = newStallFinding(activity, state, at);
      if (finding === "resumed") return [entry(plainEntry("resumed"), at, live)];
      const found = findingsOf(activity, state, at).find(({ kind }) => kind === "stalled");
      return finding && found ? [entry(alertEntry(`stalled: ${found.message}`), at, live)] : [];
    });
  };

  return {
    get lives() {
      return [...lives.values()];
    },
    get lists() {
      return display.flatMap(drawn);
    },
    now: streamNow,
    newFindings,
    apply(event) {
      const live = liveOf(event);
      if (event.type !== "warning") {
        lastAt = event.timestamp;
        arrived = now();
      }
      const before = live?.track;
      const written = live && foldStream(live, event);
      const next = displayAfter(display, event, lifecycle);
      const stopped = event.type !== "todo_list" && next.length < display.length;
      const hidden = stopped ? display.filter((shown) => !next.includes(shown)) : [];
      const removed = hidden
        .flatMap(drawn)
        .map(({ view }) => ({ view, note: STOPS[event.type] ?? "" }));
      display = next;
      const entries =
        live && before && written
          ? entriesOfList(written, before, live.track)
          : entriesOfEvent(event, live);
      const loop = live && newLoopFinding(live.activity);
      const all = loop ? [...entries, alertEntry(`looping: ${loop.message}`, loop.level)] : entries;
      return { entries: all.map((each) => entry(each, event.timestamp, live)), removed };
    },
  };
}
