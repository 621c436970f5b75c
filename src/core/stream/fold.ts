import {
  type Activity,
  emptyActivity,
  noteActivity,
  noteInPassing,
  stallsAt,
} from "../activity/activity.ts";
import { provenBy } from "../activity/observe.ts";
import type { StallPolicy } from "../activity/stall.ts";
import { emptyTrack, evolve } from "../evolve.ts";
import { refusalWhy } from "../guidance/refusal.ts";
import type { Event, Track } from "../model.ts";
import { type Plan, planAfter, planChangeOf } from "../plan/plan.ts";
import { oneLine } from "../text/escape.ts";
import { MAX_PROMPT } from "../views/title.ts";
import type { StreamEvent, WarningCode } from "./events.ts";
import { foreignWrite } from "./to-write.ts";

/**
 * One agent as its own records tell of it, folded in memory. Plain data: it can be kept and read
 * back. Changed in place, for a transcript has millions of records.
 */
export interface Live {
  readonly session: string;
  readonly agent: string;
  readonly agentType: string;
  track: Track;
  activity: Activity;
  plan?: Plan;
  name?: string;
  /** What was asked for first: what a session without a title is known by. */
  prompt?: string;
  /** The first prompt was passed over: a later one does not name the session. */
  promptMissed?: true;
  model?: string;
  version?: string;
  ended: boolean;
  /** The list was put together from single steps: others may have taken some that are not known. */
  stepwise?: true;
  compactions: number;
  /** Nothing happened since the last compaction. */
  compacted?: true;
  /** What could not be read, by reason. */
  skipped: Partial<Record<WarningCode, number>>;
  /** When the newest warning was recorded; warnings do not count as activity. */
  warnedAt?: number;
}

export function emptyLive({ sessionId, agentId, agentType }: StreamEvent): Live {
  return {
    session: sessionId,
    agent: agentId,
    agentType,
    track: { ...emptyTrack({ session: sessionId, agent: agentId }), agentType },
    activity: emptyActivity(),
    ended: false,
    compactions: 0,
    skipped: {},
  };
}

/** Folds one event in; returns what happened to the list, if anything did. */
export function foldStream(live: Live, event: StreamEvent): Event | undefined {
  const { check } = live.activity;
  noteActivity(live.activity, event);
  if (live.activity.check && live.activity.check !== check) return prove(live, event);
  return foldBody(live, event);
}

/** The same for an event of a part that is not read line by line: only lists, plans and the like. */
export function foldInPassing(live: Live, event: StreamEvent): Event | undefined {
  noteInPassing(live.activity, event);
  return foldBody(live, event);
}

function foldBody(live: Live, event: StreamEvent): Event | undefined {
  switch (event.type) {
    case "todo_list":
      return writeList(live, event);
    case "session.started":
      started(live, event);
      return undefined;
    case "session.ended":
      live.ended = true;
      return undefined;
    case "session.compacted":
      // Some programs record one compaction twice: that the history was replaced, and that it ended.
      if (!live.compacted) live.compactions++;
      live.compacted = true;
      return undefined;
    case "tool.started":
    case "message":
      delete live.compacted;
      return undefined;
    case "turn.started":
      delete live.compacted;
      live.ended = false;
      if (live.prompt === undefined && !live.promptMissed && event.prompt !== undefined)
        live.prompt = oneLine(event.prompt.slice(0, MAX_PROMPT));
      return undefined;
    case "plan.delta":
    case "plan.proposed":
    case "plan.decided":
      live.plan = planAfter(live.plan, planChangeOf(event), { at: event.timestamp, by: "system" });
      return undefined;
    case "mode.changed":
      live.track = { ...live.track, mode: event.mode };
      return undefined;
    case "warning":
      live.skipped[event.code] = (live.skipped[event.code] ?? 0) + 1;
      live.warnedAt = Math.max(live.warnedAt ?? 0, event.timestamp);
      if (event.code === "list_rejected") {
        const refused = {
          at: event.timestamp,
          why: refusalWhy(event.message),
          ...(event.partial && { partial: true as const }),
        };
        live.track = { ...live.track, refused };
      }
      return undefined;
    default:
      return undefined;
  }
}

/** A check that succeeded backs what was completed before it, too. */
function prove(live: Live, { eventId, timestamp, agentType }: StreamEvent): Event | undefined {
  const { activity, track } = live;
  const changes = provenBy({ todos: track.todos, activity }, "all");
  if (changes.length === 0) return undefined;
  const event: Event = {
    seq: track.version + 1,
    key: eventId,
    at: timestamp,
    by: "system",
    via: agentType,
    changes,
  };
  live.track = evolve(track, event);
  return event;
}

function started(live: Live, event: StreamEvent & { type: "session.started" }): void {
  const { cwd, title, parentId, model, version, name, timestamp } = event;
  const { track } = live;
  live.ended = false;
  if (model !== undefined) live.model = model;
  if (version !== undefined) live.version = version;
  if (name !== undefined) live.name = name;
  live.track = {
    ...track,
    openedAt: track.openedAt || timestamp,
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { title }),
    ...(parentId !== undefined && { parentAgent: parentId }),
  };
}

function writeList(live: Live, event: StreamEvent & { type: "todo_list" }): Event | undefined {
  const { mode, openedAt } = live.track;
  const { decision, left } = foreignWrite(live.track, live.activity, event, {
    key: event.eventId,
    at: event.timestamp,
    via: event.agentType,
  });
  if (left > 0) live.skipped.bad_item = (live.skipped.bad_item ?? 0) + left;
  if (!decision.ok) {
    live.skipped.bad_item = (live.skipped.bad_item ?? 0) + 1;
    return undefined;
  }
  if (event.stepwise) live.stepwise = true;
  else delete live.stepwise;
  const track = evolve(live.track, decision.event);
  // A session is older than its first list.
  const begun = openedAt || track.openedAt;
  const isSo = track.mode === mode && track.openedAt === begun;
  live.track = isSo ? track : { ...track, mode, openedAt: begun };
  return decision.event;
}

/** An agent of a session and what it does. */
export interface Member {
  readonly session: string;
  readonly agent: string;
  readonly track: Pick<Track, "parentAgent">;
  readonly activity: Activity;
}

/** When the agent counts as stalled: not while a subagent below it works. */
export function familyStallsAt(live: Member, all: Iterable<Member>, policy: StallPolicy): number {
  const children = [...all].filter((other) => other !== live && other.session === live.session);
  const latest = (agent: string, seen: ReadonlySet<string>): number =>
    children
      .filter((child) => child.track.parentAgent === agent && !seen.has(child.agent))
      .reduce(
        (most, child) =>
          Math.max(
            most,
            stallsAt(child.activity, policy),
            latest(child.agent, new Set([...seen, child.agent])),
          ),
        0,
      );
  return Math.max(stallsAt(live.activity, policy), latest(live.agent, new Set([live.agent])));
}
