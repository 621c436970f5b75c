import {
  type Activity,
  emptyActivity,
  noteInPassing,
  noteObservation,
  stallsAt,
} from "../activity/activity.ts";
import type { Observation } from "../activity/observation.ts";
import { promptAfter, provenBy, sessionAfter } from "../activity/observe.ts";
import type { StallPolicy } from "../activity/stall.ts";
import { emptyTrack, evolve } from "../evolve.ts";
import type { Event, Track } from "../model.ts";
import { type Plan, planAfter } from "../plan/plan.ts";
import type { StreamEvent, WarningCode } from "./events.ts";
import { type Interpreted, interpret } from "./interpret.ts";
import type { ForeignWrite } from "./to-write.ts";

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

/** Applies one event; returns the event of the list if it changed. */
export function foldStream(live: Live, event: StreamEvent): Event | undefined {
  const { check } = live.activity;
  const said = interpretFor(live, event);
  if (said.observation) {
    noteObservation(live.activity, said.observation);
    noteSession(live, said.observation);
  }
  if (live.activity.check && live.activity.check !== check) return prove(live, event);
  return apply(live, event, said);
}

/** The same for an event of a part that is not read line by line: only lists, plans and the like. */
export function foldInPassing(live: Live, event: StreamEvent): Event | undefined {
  switch (event.type) {
    case "tool.started":
    case "tool.updated":
    case "tool.completed":
    case "tool.failed":
      noteInPassing(live.activity, { type: event.type, at: event.timestamp });
      return apply(live, event, {});
  }
  const said = interpretFor(live, event);
  const { observation } = said;
  if (observation?.type === "list.written") noteInPassing(live.activity, observation);
  else if (observation) noteObservation(live.activity, observation);
  if (observation) noteSession(live, observation);
  return apply(live, event, said);
}

function interpretFor({ track, activity }: Live, event: StreamEvent): Interpreted {
  const { eventId: key, timestamp: at, agentType: via } = event;
  return interpret(track, activity, event, { key, at, via });
}

function noteSession(live: Live, observation: Observation): void {
  live.track = sessionAfter(live.track, observation);
  if (live.promptMissed) return;
  const prompt = promptAfter(live.prompt, observation);
  if (prompt !== undefined) live.prompt = prompt;
}

/** Applies the parts of an event that are not observations. */
function apply(
  live: Live,
  event: StreamEvent,
  { write, plan, mode }: Interpreted,
): Event | undefined {
  if (write && event.type === "todo_list") return writeList(live, event, write);
  if (plan) live.plan = planAfter(live.plan, plan, { at: event.timestamp, by: "system" });
  if (mode !== undefined) live.track = { ...live.track, mode };
  switch (event.type) {
    case "session.started":
      started(live, event);
      break;
    case "session.ended":
      live.ended = true;
      break;
    case "session.compacted":
      // Some programs record one compaction twice: that the history was replaced, and that it ended.
      if (!live.compacted) live.compactions++;
      live.compacted = true;
      break;
    case "tool.started":
    case "message":
      delete live.compacted;
      break;
    case "turn.started":
      delete live.compacted;
      live.ended = false;
      break;
    case "warning":
      live.skipped[event.code] = (live.skipped[event.code] ?? 0) + 1;
      live.warnedAt = Math.max(live.warnedAt ?? 0, event.timestamp);
      break;
  }
  return undefined;
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
  const { parentId, model, version, name, timestamp } = event;
  const { track } = live;
  live.ended = false;
  if (model !== undefined) live.model = model;
  if (version !== undefined) live.version = version;
  if (name !== undefined) live.name = name;
  live.track = {
    ...track,
    openedAt: track.openedAt || timestamp,
    ...(parentId !== undefined && { parentAgent: parentId }),
  };
}

function writeList(
  live: Live,
  { stepwise }: Extract<StreamEvent, { type: "todo_list" }>,
  { decision, left }: ForeignWrite,
): Event | undefined {
  const { mode, openedAt } = live.track;
  if (left > 0) live.skipped.bad_item = (live.skipped.bad_item ?? 0) + left;
  if (!decision.ok) {
    live.skipped.bad_item = (live.skipped.bad_item ?? 0) + 1;
    return undefined;
  }
  if (stepwise) live.stepwise = true;
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
