import {
  type Call,
  DETECTOR_POLICY,
  type DetectorPolicy,
  detectLoop,
  type Finding,
  findingKey,
} from "./detect.ts";
import type { Check } from "./model.ts";
import { type CallRef, labelOf, type Observation, observationOf } from "./observation.ts";
import type { CheckResult } from "./result.ts";
import type { SessionState } from "./state.ts";
import type { StreamEvent } from "./stream.ts";
import { noteRequest, type OpenRequest } from "./waiting.ts";

/** A tool call as it is shown. */
export interface ToolActivity {
  readonly callId?: string;
  readonly name: string;
  readonly label: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly ok?: boolean;
  readonly exitCode?: number;
}

/** A call without an answer. */
export interface OpenCall extends ToolActivity {
  readonly signature: string;
  readonly edits?: true;
  /** The command, where its success would prove something. */
  readonly check?: string;
}

export interface Activity {
  turn: "none" | "running" | "completed" | "failed" | "cancelled";
  turnStartedAt: number;
  lastAt: number;
  /** Calls without an answer, oldest first. */
  open: OpenCall[];
  /** Calls that ended, oldest first. */
  recent: ToolActivity[];
  /** How many edits there were, and when the last one ended. */
  edits?: { readonly count: number; readonly at: number };
  /** What the agent asked its user and got no answer to yet. */
  waiting?: OpenRequest;
  /** When a request was last reported as answered. */
  answeredAt?: number;
  /** The last check that succeeded and was not followed by an edit. */
  check?: Check;
  /** What the detectors look at. */
  calls: Call[];
  loop?: Finding;
  /** Which loop was told of already. */
  toldLoop?: string;
  /** Since when a stall was seen that has not ended. */
  stalledAt?: number;
  counts: Record<"turns" | "tools" | "failed" | "writes" | "rejected" | "skipped", number>;
}

export interface ActivityPolicy extends DetectorPolicy {
  /** Milliseconds without output, while a turn runs, that make a stall. */
  readonly stallAfter: number;
  /** Milliseconds of silence after which nobody is taken to be working any more. */
  readonly goneAfter: number;
}

export const ACTIVITY_POLICY: ActivityPolicy = {
  ...DETECTOR_POLICY,
  stallAfter: 60_000,
  goneAfter: 30 * 60_000,
};

const MAX_OPEN = 64;
const MAX_RECENT = 20;

export function emptyActivity(): Activity {
  return {
    turn: "none",
    turnStartedAt: 0,
    lastAt: 0,
    open: [],
    recent: [],
    calls: [],
    counts: { turns: 0, tools: 0, failed: 0, writes: 0, rejected: 0, skipped: 0 },
  };
}

const POLLS =
  /(?:^|[_-])(?:poll|status|output|logs?|wait|tail)(?:$|[_-])|^(?:BashOutput|TaskOutput|AgentOutput)/i;

/** Folds one event of a transcript in. Constant work, bounded memory. */
export function noteActivity(
  activity: Activity,
  event: StreamEvent,
  policy: ActivityPolicy = ACTIVITY_POLICY,
): void {
  if (event.type === "warning" && event.code === "list_unknown") return;
  const isCheck = (call: CallRef) => endsCheck(activity, call);
  noteObservation(activity, observationOf(event, event.timestamp, { isCheck }), policy);
}

/** Whether the open call that an end is about is a check. */
export function endsCheck(activity: Activity | undefined, call: CallRef): boolean {
  return activity?.open[openIndex(activity, call)]?.check !== undefined;
}

/** Without an id the oldest open call of the name is meant; an id that is used again means the last. */
function openIndex({ open }: Activity, { callId, name }: CallRef): number {
  return callId === undefined
    ? open.findIndex((call) => call.name === name)
    : open.findLastIndex((call) => call.callId === callId);
}

/**
 * Folds in an event of a part that is not read line by line. How its calls ended is not known, nor
 * what lay between its writes: neither says what the agent does.
 */
export function noteInPassing(activity: Activity, event: StreamEvent): void {
  switch (event.type) {
    case "todo_list":
      activity.counts.writes++;
      break;
    case "tool.started":
      activity.counts.tools++;
      break;
    case "tool.updated":
    case "tool.completed":
    case "tool.failed":
      break;
    default:
      noteActivity(activity, event);
      return;
  }
  activity.lastAt = Math.max(activity.lastAt, event.timestamp);
}

/** Folds in what was observed, by a host or in a transcript. */
export function noteObservation(
  activity: Activity,
  event: Observation,
  policy: ActivityPolicy = ACTIVITY_POLICY,
): void {
  const { counts } = activity;
  if (event.type !== "skipped" && event.type !== "list.refused" && event.type !== "turn.idle")
    activity.lastAt = Math.max(activity.lastAt, event.at);
  noteRequest(activity, event);
  switch (event.type) {
    case "turn.started":
      counts.turns++;
      activity.turn = "running";
      activity.turnStartedAt = event.at;
      break;
    case "turn.completed":
      endTurn(activity, "completed");
      break;
    case "turn.failed":
      endTurn(activity, "failed");
      break;
    case "turn.cancelled":
      endTurn(activity, "cancelled");
      break;
    case "session.ended":
    case "turn.idle":
      if (activity.turn === "running") endTurn(activity, "completed");
      break;
    case "list.written":
      counts.writes++;
      watch(activity, policy, {
        name: "list",
        signature: `list:${event.pattern}`,
        outcome: "written",
        label: "writing the list",
      });
      break;
    case "tool.started":
      start(activity, event);
      break;
    case "tool.completed":
    case "tool.failed":
      end(activity, event, policy);
      break;
    case "list.refused":
      counts.rejected++;
      break;
    case "skipped":
      counts.skipped++;
      break;
    default:
      break;
  }
}

function endTurn(activity: Activity, how: Activity["turn"]): void {
  activity.turn = how;
  activity.open = [];
}

function start(activity: Activity, event: Observation & { type: "tool.started" }): void {
  const { type: _, at, ...call } = event;
  activity.counts.tools++;
  // Also after a turn that seemed to have ended: whoever was asked to go on does so without a prompt.
  if (activity.turn !== "running") {
    activity.turn = "running";
    activity.turnStartedAt = at;
  }
  activity.open.push({ ...call, startedAt: at });
  if (activity.open.length > MAX_OPEN) activity.open.shift();
}

function end(
  activity: Activity,
  event: Observation & { type: "tool.completed" | "tool.failed" },
  policy: ActivityPolicy,
): void {
  const { name, outcome, exitCode, unknown, at } = event;
  const index = openIndex(activity, event);
  const [begun] = index === -1 ? [] : activity.open.splice(index, 1);
  const result = checkResult(event);
  const ok = event.type === "tool.completed" && (exitCode ?? 0) === 0 && event.result !== "failed";
  if (!ok) activity.counts.failed++;
  const { signature, edits, check, ...call }: OpenCall = begun ?? {
    name: name ?? "tool",
    label: labelOf(name ?? "tool", undefined),
    startedAt: at,
    signature: name ?? "tool",
  };
  activity.recent.push({
    ...call,
    endedAt: at,
    ok,
    ...(exitCode !== undefined && { exitCode }),
  });
  if (activity.recent.length > MAX_RECENT) activity.recent.shift();
  if (edits) {
    activity.edits = { count: (activity.edits?.count ?? 0) + 1, at };
    delete activity.check;
  }
  // What was changed while it ran, it did not look at.
  const whole = edits || call.startedAt >= (activity.edits?.at ?? 0);
  if (check !== undefined && result === "passed" && whole)
    activity.check = { command: check, ...(exitCode !== undefined && { exitCode }), at };
  // The same check that now fails takes back what it proved.
  if (result === "failed" && check !== undefined && activity.check?.command === check)
    delete activity.check;
  watch(activity, policy, {
    name: call.name,
    signature,
    outcome,
    ...(unknown && { unknown }),
    ...(POLLS.test(call.name) && { poll: true }),
    label: call.label,
  });
}

/** Events of older versions have no result: there, a call without an error counted as passed. */
function checkResult(event: Observation & { type: "tool.completed" | "tool.failed" }): CheckResult {
  if (event.result !== undefined) return event.result;
  if (event.type === "tool.failed" || (event.exitCode ?? 0) !== 0) return "failed";
  return event.unsure ? "unknown" : "passed";
}

function watch(activity: Activity, policy: ActivityPolicy, call: Call): void {
  activity.calls.push(call);
  if (activity.calls.length > policy.window) activity.calls.shift();
  const found = detectLoop(activity.calls, policy);
  if (found) activity.loop = found;
  else delete activity.loop;
}

export type TrackState = "working" | "idle" | "stalled" | "ended";

/**
 * What the track is doing at a time. `heardAt` is when it or one of its subagents last said
 * something: whoever waits for a subagent that works does not stall.
 */
export function stateAt(
  activity: Activity,
  ended: boolean,
  now: number,
  policy: ActivityPolicy = ACTIVITY_POLICY,
  heardAt: number = activity.lastAt,
): TrackState {
  if (ended) return "ended";
  const silence = now - Math.max(heardAt, activity.lastAt);
  if (activity.turn !== "running" || silence >= policy.goneAfter) return "idle";
  return silence >= policy.stallAfter ? "stalled" : "working";
}

/** What a person should know of it at a time. */
export function findingsAt(activity: Activity, state: TrackState, now: number): readonly Finding[] {
  const found: Finding[] = [];
  if (activity.loop && (state === "working" || state === "stalled")) found.push(activity.loop);
  if (state === "stalled") {
    const inside = activity.open.at(-1)?.label;
    const seconds = Math.floor((now - activity.lastAt) / 1000);
    found.push({
      kind: "stalled",
      level: "warning",
      label: inside ?? "the agent",
      count: seconds,
      message: `no output for ${durationWords(seconds)}${inside === undefined ? "" : `, in ${inside}`}`,
    });
  }
  return found;
}

/** The loop that the agent is in, once until it is another one or a graver one. */
export function loopNotice(activity: Activity): Finding | undefined {
  const { loop } = activity;
  if (!loop) {
    delete activity.toldLoop;
    return undefined;
  }
  const key = findingKey(loop);
  if (activity.toldLoop === key) return undefined;
  activity.toldLoop = key;
  return loop;
}

export type StallNotice = "stalled" | "resumed";

/** Says once that a stall began, and once that it ended. */
export function stallNotice(
  activity: Activity,
  state: SessionState,
  now: number,
): StallNotice | undefined {
  if (state === "stalled" && activity.stalledAt === undefined) {
    activity.stalledAt = now;
    return "stalled";
  }
  if (state !== "stalled" && activity.stalledAt !== undefined) {
    delete activity.stalledAt;
    return state === "working" || state === "looping" ? "resumed" : undefined;
  }
  return undefined;
}

function durationWords(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m ${seconds % 60}s`
    : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
