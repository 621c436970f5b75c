import { type Activity, emptyActivity, noteActivity } from "./activity.ts";
import { decide } from "./decide.ts";
import { emptyTrack, evolve } from "./evolve.ts";
import type { Draft, Event, Track } from "./model.ts";
import { PRESETS, policyFor } from "./policy.ts";
import { oneLine } from "./safe-text.ts";
import type { StreamEvent, StreamItem, WarningCode } from "./stream.ts";

export interface Plan {
  readonly id: string;
  readonly text: string;
  readonly state: "streaming" | "proposed" | "approved" | "rejected";
  readonly at: number;
  readonly path?: string;
  readonly comment?: string;
}

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
  model?: string;
  version?: string;
  ended: boolean;
  compactions: number;
  /** What could not be read, by reason. */
  skipped: Partial<Record<WarningCode, number>>;
}

const FOREIGN = policyFor("agent", PRESETS.foreign);
const MAX_PLAN = 200_000;
const MAX_PROMPT = 200;
// In UTF-16 units, of which no text has fewer than characters.
const MAX_TEXT = Math.min(FOREIGN.maxText, FOREIGN.maxNote);

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
  noteActivity(live.activity, event);
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
      live.compactions++;
      return undefined;
    case "turn.started":
      live.ended = false;
      if (live.prompt === undefined && event.prompt !== undefined)
        live.prompt = oneLine(event.prompt.slice(0, MAX_PROMPT));
      return undefined;
    case "plan.delta":
    case "plan.proposed":
    case "plan.decided":
      notePlan(live, event);
      return undefined;
    case "mode.changed":
      live.track = { ...live.track, mode: event.mode };
      return undefined;
    case "warning":
      live.skipped[event.code] = (live.skipped[event.code] ?? 0) + 1;
      return undefined;
    default:
      return undefined;
  }
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
  const drafts = event.items.slice(0, FOREIGN.maxTodos).flatMap((item) => draftOf(item) ?? []);
  const left = event.items.length - drafts.length;
  if (left > 0) live.skipped.bad_item = (live.skipped.bad_item ?? 0) + left;
  const submission = {
    key: event.eventId,
    at: event.timestamp,
    by: "agent" as const,
    via: event.agentType,
    ops: [{ op: "replace" as const, todos: drafts }],
    ...(event.explanation !== undefined && { comment: event.explanation.slice(0, MAX_TEXT) }),
  };
  // What an agent wrote in its own plan mode, it wrote.
  const decision = decide({ ...live.track, mode: "work" }, submission, FOREIGN);
  if (!decision.ok) {
    live.skipped.bad_item = (live.skipped.bad_item ?? 0) + 1;
    return undefined;
  }
  const track = evolve(live.track, decision.event);
  // A session is older than its first list.
  live.track = { ...track, mode, openedAt: openedAt || track.openedAt };
  return decision.event;
}

/**
 * The event has the whole todo, so what it does not say is not so any more. Text that cannot be
 * kept as it is must not cost the rest of the list: blank is absent, endless is cut.
 */
function draftOf({ status, ...item }: StreamItem): Draft | undefined {
  const text = lineOf(item.text);
  if (text === undefined) return undefined;
  const ref = lineOf(item.id);
  return {
    text,
    status,
    activeText: lineOf(item.activeText) ?? null,
    rawStatus: lineOf(item.raw) ?? null,
    phase: lineOf(item.phase) ?? null,
    notes: linesOf(item.notes),
    priority: lineOf(item.priority) ?? null,
    parent: lineOf(item.parent) ?? null,
    blockedBy: linesOf(item.blockedBy),
    blocker: lineOf(item.blocker) ?? null,
    owner: lineOf(item.owner) ?? null,
    ...(ref !== undefined && { ref }),
  };
}

function lineOf(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.slice(0, MAX_TEXT);
}

function linesOf(texts: readonly string[] | undefined): readonly string[] | null {
  const lines = (texts ?? []).flatMap((text) => lineOf(text) ?? []).slice(0, FOREIGN.maxNotes);
  return lines.length > 0 ? lines : null;
}

/** When the agent, or one of the subagents below it, last said something. */
export function heardAt(live: Live, all: Iterable<Live>): number {
  const children = [...all].filter((other) => other !== live && other.session === live.session);
  const heard = (agent: string, seen: ReadonlySet<string>): number =>
    children
      .filter((child) => child.track.parentAgent === agent && !seen.has(child.agent))
      .reduce(
        (latest, child) =>
          Math.max(
            latest,
            child.activity.lastAt,
            heard(child.agent, new Set([...seen, child.agent])),
          ),
        0,
      );
  return Math.max(live.activity.lastAt, heard(live.agent, new Set([live.agent])));
}

function notePlan(
  live: Live,
  event: StreamEvent & { type: "plan.delta" | "plan.proposed" | "plan.decided" },
): void {
  const known = live.plan?.id === event.planId ? live.plan : undefined;
  const plan: Plan = known ?? {
    id: event.planId,
    text: "",
    state: "streaming",
    at: event.timestamp,
  };
  if (event.type === "plan.delta") {
    const text =
      plan.text.length < MAX_PLAN ? (plan.text + event.delta).slice(0, MAX_PLAN) : plan.text;
    live.plan = { ...plan, text, state: "streaming" };
  } else if (event.type === "plan.proposed") {
    const path = event.path === undefined ? {} : { path: event.path };
    live.plan = { ...plan, text: event.text.slice(0, MAX_PLAN), state: "proposed", ...path };
  } else {
    const comment = event.comment === undefined ? {} : { comment: event.comment };
    live.plan = { ...plan, state: event.decision, ...comment };
  }
}
