import { ACTIVITY_POLICY, newLoopFinding, newStallFinding } from "../../core/activity/activity.ts";
import { findingsOf, stateOf } from "../../core/activity/session-state.ts";
import { STALL_POLICY, type StallPolicy } from "../../core/activity/stall.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { emptyLive, familyStallsAt, foldStream, type Live } from "../../core/stream/fold.ts";
import { MAIN_AGENT, trackKey } from "../../core/text/ids.ts";
import {
  type Lifecycle,
  type Shown,
  type Stage,
  shownTrack,
  stageAfter,
} from "../../core/views/lifecycle.ts";
import { isOpen, type View, viewOf } from "../../core/views/view.ts";
import type { Members } from "../../surfaces/text/draw/page.ts";
import type { LogEntry } from "../../surfaces/text/log.ts";
import { plain, tellEvent, tellList, watch } from "./tell.ts";

/** A list as it is to be drawn, with a word about it. */
export interface Picture {
  readonly view: View;
  readonly note: string;
}

/** What is known of the agents of one stream, and which of their lists are on display. */
export interface PipeScreen {
  /** The stream's own time: a recording that is read later stands still where it stopped. */
  now(): number;
  readonly lives: readonly Live[];
  readonly pictures: readonly Picture[];
  /** Folds an event in; says what happened, and which lists have left the display for good. */
  take(event: StreamEvent): {
    readonly said: readonly LogEntry[];
    readonly left: readonly Picture[];
  };
  /** What only the passing of time tells. */
  look(): readonly LogEntry[];
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
  const lives = new Map<string, Live>();
  let stage: Stage = [];
  let sessions = 0;
  let lastAt: number | undefined;
  let arrived = 0;

  const streamNow = () => (lastAt === undefined ? now() : lastAt + Math.max(0, now() - arrived));

  const liveOf = (event: StreamEvent): Live | undefined => {
    const key = trackKey({ session: event.sessionId, agent: event.agentId });
    const known = lives.get(key);
    // A line that cannot be read is nobody's.
    if (known || event.type === "warning") return known;
    const live = emptyLive(event);
    if (![...lives.values()].some(({ session }) => session === live.session)) sessions++;
    lives.set(key, live);
    const [oldest] = lives.size > MAX_LIVES ? lives.keys() : [];
    if (oldest !== undefined) lives.delete(oldest);
    return live;
  };

  /** Empty while only one agent has ever spoken. */
  const whoIs = ({ agent, name, session, track }: Live): string => {
    const member = members?.get(agent);
    if (member) return member.name;
    if (agent !== MAIN_AGENT) return name ?? agent;
    return sessions > 1 ? (track.title ?? session.slice(0, 8)) : "";
  };

  const entry = (said: Omit<LogEntry, "at" | "agentType">, at: number, live: Live | undefined) => {
    const who = live ? whoIs(live) : "";
    return {
      ...said,
      at,
      ...(who && { meta: [who, ...(said.meta ?? [])] }),
      ...(live && { agentType: live.agentType }),
    };
  };

  const stateNow = (live: Live) => {
    const { activity, ended, plan, track } = live;
    const { todos, updatedAt } = track;
    const facts = { todos, updatedAt, activity, ended, plan };
    const policy = { ...ACTIVITY_POLICY, ...stall };
    const alone = stateOf(facts, streamNow(), policy);
    if (alone !== "stalled") return alone;
    const stallsAt = familyStallsAt(live, lives.values(), policy);
    return stateOf({ ...facts, stallsAt }, streamNow(), policy);
  };

  const pictureOf = (shown: Shown): Picture[] => {
    const live = lives.get(trackKey(shown));
    if (!live) return [];
    const at = streamNow();
    const track = shownTrack(live.track, shown);
    const open = track.todos.filter(isOpen).length;
    const [finding] = findingsOf(live.activity, stateNow(live), at);
    const ended = open > 0 ? `turn ended with ${open} open` : "turn ended";
    const note = finding?.message ?? (shown.turnEnded ? ended : "");
    // A member of a team has no session of its own that could name its list.
    const title =
      live.agent === MAIN_AGENT || track.parentAgent !== undefined ? undefined : whoIs(live);
    const view = viewOf(track, at, clearDelay);
    return [{ view: title === undefined ? view : { title, ...view }, note }];
  };

  const look = (): readonly LogEntry[] => {
    const at = streamNow();
    return [...lives.values()].flatMap((live) => {
      const { activity } = live;
      const state = stateNow(live);
      const finding = newStallFinding(activity, state, at);
      if (finding === "resumed") return [entry(plain("resumed"), at, live)];
      const found = findingsOf(activity, state, at).find(({ kind }) => kind === "stalled");
      return finding && found ? [entry(watch(`stalled: ${found.message}`), at, live)] : [];
    });
  };

  return {
    get lives() {
      return [...lives.values()];
    },
    get pictures() {
      return stage.flatMap(pictureOf);
    },
    now: streamNow,
    look,
    take(event) {
      const live = liveOf(event);
      if (event.type !== "warning") {
        lastAt = event.timestamp;
        arrived = now();
      }
      const before = live?.track;
      const written = live && foldStream(live, event);
      const next = stageAfter(stage, event, lifecycle);
      const stopped = event.type !== "todo_list" && next.length < stage.length;
      const gone = stopped ? stage.filter((shown) => !next.includes(shown)) : [];
      const left = gone
        .flatMap(pictureOf)
        .map(({ view }) => ({ view, note: STOPS[event.type] ?? "" }));
      stage = next;
      const said =
        live && before && written ? tellList(written, before, live.track) : tellEvent(event, live);
      const loop = live && newLoopFinding(live.activity);
      const all = loop ? [...said, watch(`looping: ${loop.message}`, loop.level)] : said;
      return { said: all.map((each) => entry(each, event.timestamp, live)), left };
    },
  };
}
