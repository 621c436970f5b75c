import {
  type Activity,
  applyObservation,
  applyScanned,
  emptyActivity,
  stallsAt,
} from "../activity/activity.ts";
import { promptAfter, sessionAfter, verifiedByCheck } from "../activity/apply-observations.ts";
import type { Observation } from "../activity/observation.ts";
import type { StallPolicy } from "../activity/stall.ts";
import { type TrackUsage, withFocus, withUsage } from "../activity/usage.ts";
import { emptyTrack, evolve } from "../evolve.ts";
import type { Event, Track } from "../model.ts";
import { type Plan, planAfter } from "../plan/plan.ts";
import type { StreamEvent, WarningCode } from "./events.ts";
import { type Interpretation, interpret } from "./interpret.ts";
import type { ExternalWrite } from "./to-write.ts";

/**
 * The track of one agent, folded from its own records, with its activity and plan. Plain data that can
 * be serialized. Changed in place, because a transcript has millions of records.
 */
export interface LiveTrack {
  readonly session: string;
  readonly agent: string;
  readonly agentType: string;
  track: Track;
  activity: Activity;
  plan?: Plan;
  name?: string;
  /** The first user prompt, which names a session without a title. */
  prompt?: string;
  /** The first prompt was not read, so a later one must not name the session. */
  promptMissed?: true;
  model?: string;
  version?: string;
  ended: boolean;
  /** The list was assembled from incremental changes, of which other processes may have made more. */
  stepwise?: true;
  compactions: number;
  /** Nothing happened since the last compaction. */
  compacted?: true;
  /** How many records could not be read, by reason. */
  skipped: Partial<Record<WarningCode, number>>;
  /** Tokens that the agent used; absent if its records do not say. */
  usage?: TrackUsage;
  /** When the newest warning was recorded; warnings do not count as activity. */
  warnedAt?: number;
}

export function emptyLiveTrack({ sessionId, agentId, agentType }: StreamEvent): LiveTrack {
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

/** Applies one event. Returns the list event, if the list changed. */
export function foldStream(live: LiveTrack, event: StreamEvent): Event | undefined {
  if (event.type === "usage") return addUsage(live, event);
  const { check } = live.activity;
  const interpretation = interpretFor(live, event);
  if (interpretation.observation) {
    applyObservation(live.activity, interpretation.observation);
    noteSession(live, interpretation.observation);
  }
  if (live.activity.check && live.activity.check !== check) return prove(live, event);
  return apply(live, event, interpretation);
}

/** The same for an event from a part that is only scanned: it verifies nothing and starts no call. */
export function foldScanned(live: LiveTrack, event: StreamEvent): Event | undefined {
  switch (event.type) {
    case "usage":
      return addUsage(live, event);
    case "tool.started":
    case "tool.updated":
    case "tool.completed":
    case "tool.failed":
      applyScanned(live.activity, { type: event.type, at: event.timestamp });
      return apply(live, event, {});
  }
  const interpretation = interpretFor(live, event);
  const { observation } = interpretation;
  if (observation?.type === "list.written") applyScanned(live.activity, observation);
  else if (observation) applyObservation(live.activity, observation);
  if (observation) noteSession(live, observation);
  return apply(live, event, interpretation);
}

/** Usage changes neither the list nor the activity. */
function addUsage(live: LiveTrack, event: StreamEvent & { type: "usage" }): undefined {
  const { timestamp: at, model, usage } = event;
  const used = model === undefined ? { at, usage } : { at, model, usage };
  live.usage = withUsage(live.usage, used, live.track.todos);
}

function interpretFor({ track, activity }: LiveTrack, event: StreamEvent): Interpretation {
  const { eventId: key, timestamp: at, agentType: via } = event;
  return interpret(track, activity, event, { key, at, via });
}

function noteSession(live: LiveTrack, observation: Observation): void {
  live.track = sessionAfter(live.track, observation);
  if (live.promptMissed) return;
  const prompt = promptAfter(live.prompt, observation);
  if (prompt !== undefined) live.prompt = prompt;
}

/** Applies the list, plan, mode and session data of an event. */
function apply(
  live: LiveTrack,
  event: StreamEvent,
  { write, plan, mode }: Interpretation,
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
      // Some programs record a compaction twice: when the history is replaced and when it ends.
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

/** Verifies completions with a check that just passed, including earlier ones. */
function prove(live: LiveTrack, { eventId, timestamp, agentType }: StreamEvent): Event | undefined {
  const { activity, track } = live;
  const changes = verifiedByCheck({ todos: track.todos, activity }, "all");
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

function started(live: LiveTrack, event: StreamEvent & { type: "session.started" }): void {
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
  live: LiveTrack,
  { stepwise }: Extract<StreamEvent, { type: "todo_list" }>,
  { decision, left }: ExternalWrite,
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
  const firstOpenedAt = openedAt || track.openedAt;
  const isUnchanged = track.mode === mode && track.openedAt === firstOpenedAt;
  live.track = isUnchanged ? track : { ...track, mode, openedAt: firstOpenedAt };
  if (live.usage) live.usage = withFocus(live.usage, decision.event.at, track.todos);
  return decision.event;
}

/** An agent of a session, and its activity. */
export interface AgentActivity {
  readonly session: string;
  readonly agent: string;
  readonly track: Pick<Track, "parentAgent">;
  readonly activity: Activity;
}

/** When the agent counts as stalled: not before any subagent below it does. */
export function familyStallsAt(
  live: AgentActivity,
  all: Iterable<AgentActivity>,
  policy: StallPolicy,
): number {
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
