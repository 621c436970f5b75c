/**
 * core/activity: the current activity of an agent. Events of hosts, hooks and transcripts become bounded
 * observations (`observation`), which update an `Activity`: open calls, checks, edits, requests, loops.
 * `record` applies them to a hosted list, `core/stream/fold` to a transcript; both use the same
 * interpretation. `session-state` derives working, stalled, waiting or ended from it.
 */
import type { Check } from "../model.ts";
import type { StreamBody } from "../stream/events.ts";
import { duration } from "../text/duration.ts";
import {
  type Call,
  DETECTOR_POLICY,
  type DetectorPolicy,
  detectLoop,
  type Finding,
  findingKey,
} from "./detect.ts";
import type { EvidenceTable } from "./evidence/effect.ts";
import type { CheckResult } from "./evidence/result.ts";
import { type CallRef, labelOf, type Observation, observationOf } from "./observation.ts";
import type { SessionState } from "./session-state.ts";
import { GONE_AFTER, goneAt, STALL_POLICY, type StallPolicy, stallLimit } from "./stall.ts";
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
  /** A call that began later has ended. */
  readonly overtaken?: true;
}

/** How long a command took, at most. */
export interface SlowRun {
  readonly label: string;
  readonly longest: number;
}

export interface Activity {
  turn: "none" | "running" | "completed" | "failed" | "cancelled";
  turnStartedAt: number;
  lastAt: number;
  /** The program reported the end of the session and nothing since. */
  ended?: true;
  /** Calls without an answer, oldest first. */
  open: OpenCall[];
  /** Calls whose end was never reported, though the agent went on; it may still come. */
  left?: readonly OpenCall[];
  /** The longest run of commands that take long, the latest last. */
  slow?: readonly SlowRun[];
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

export interface ActivityPolicy extends DetectorPolicy, StallPolicy {
  /** Milliseconds of silence between calls after which the agent is not taken to be working. */
  readonly goneAfter: number;
}

export const ACTIVITY_POLICY: ActivityPolicy = {
  ...DETECTOR_POLICY,
  ...STALL_POLICY,
  goneAfter: GONE_AFTER,
};

const MAX_OPEN = 64;
const MAX_LEFT = 16;
const MAX_RECENT = 20;
const MAX_SLOW = 16;
/** Shorter runs never decide when a command stalls. */
const SLOW = 20_000;

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

/** What is kept of an event; nothing of a list that could not be read. */
export function observed(
  activity: Activity | undefined,
  event: StreamBody,
  at: number,
  table?: Partial<EvidenceTable>,
): Observation | undefined {
  if (event.type === "warning" && event.code === "list_unknown") return undefined;
  return observationOf(event, at, { table, isCheck: (call) => endsCheck(activity, call) });
}

/** Whether the call that an end is about is a check. */
function endsCheck(activity: Activity | undefined, call: CallRef): boolean {
  return activity !== undefined && begunCall(activity, call)?.check !== undefined;
}

/** The start of the call that an end is about, if it was reported. */
export function begunCall({ open, left = [] }: Activity, call: CallRef): OpenCall | undefined {
  return open[placeOf(open, call)] ?? left[placeOf(left, call)];
}

/** Without an id the oldest call of the name is meant; an id that is used again means the last. */
function placeOf(calls: readonly OpenCall[], { callId, name }: CallRef): number {
  return callId === undefined
    ? calls.findIndex((call) => call.name === name)
    : calls.findLastIndex((call) => call.callId === callId);
}

/**
 * Applies an event of a part that is not read line by line. How its calls ended is not known, nor
 * what lay between its writes: neither says what the agent does.
 */
export function noteInPassing(activity: Activity, { type, at }: PassedOver): void {
  if (type === "list.written") activity.counts.writes++;
  if (type === "tool.started") activity.counts.tools++;
  activity.lastAt = Math.max(activity.lastAt, at);
}

type PassedOver = Pick<Observation, "at"> & {
  readonly type:
    | "list.written"
    | "tool.started"
    | "tool.updated"
    | "tool.completed"
    | "tool.failed";
};

/** What only happens in a session that is open. */
const RESUMES: ReadonlySet<Observation["type"]> = new Set([
  "session.started",
  "turn.started",
  "tool.started",
  "message",
]);

/** Applies one observation. Constant work, bounded memory. */
export function noteObservation(
  activity: Activity,
  event: Observation,
  policy: ActivityPolicy = ACTIVITY_POLICY,
): void {
  const { counts } = activity;
  if (event.type !== "skipped" && event.type !== "list.refused" && event.type !== "turn.idle")
    activity.lastAt = Math.max(activity.lastAt, event.at);
  noteRequest(activity, event);
  if (RESUMES.has(event.type)) delete activity.ended;
  switch (event.type) {
    case "turn.started":
      counts.turns++;
      activity.turn = "running";
      activity.turnStartedAt = event.at;
      // A person asked: calls that an interrupted turn left open are over, and asking for the same
      // thing again is no loop.
      leave(activity, () => true);
      activity.calls = [];
      delete activity.loop;
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
      if (activity.turn === "running") endTurn(activity, "completed");
      activity.ended = true;
      break;
    case "turn.idle":
      if (activity.turn === "running") endTurn(activity, "completed");
      break;
    case "list.written":
      counts.writes++;
      watch(activity, policy, {
        name: "list",
        signature: `list:${event.pattern}`,
        outcome: "written",
        progress: "list",
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
  leave(activity, () => true);
}

/** Takes calls out of the open ones; their ends may still be reported. */
function leave(activity: Activity, which: (call: OpenCall) => boolean): void {
  const left = activity.open.filter(which);
  if (left.length === 0) return;
  activity.open = activity.open.filter((call) => !which(call));
  activity.left = [...(activity.left ?? []), ...left].slice(-MAX_LEFT);
}

/** Tools that run another agent: its calls may be reported as calls of this one. */
const RUNS_AGENTS = /^(?:task|agent|invoke_agent|spawn_agent|delegate(?:_.*)?|subagent)$/i;

function start(activity: Activity, event: Observation & { type: "tool.started" }): void {
  const { type: _, at, ...call } = event;
  // An agent that begins a call after a later one has ended does not wait for the earlier one: some
  // programs never report how a call ended that was refused.
  leave(activity, ({ overtaken, name }) => overtaken === true && !RUNS_AGENTS.test(name));
  begin(activity, at);
  activity.open.push({ ...call, startedAt: at });
  if (activity.open.length > MAX_OPEN) activity.open.shift();
}

/** Counts a call. Also after a turn that seemed to have ended: an agent goes on without a prompt. */
function begin(activity: Activity, at: number): void {
  activity.counts.tools++;
  if (activity.turn === "running") return;
  activity.turn = "running";
  activity.turnStartedAt = at;
}

type Ended = Observation & { type: "tool.completed" | "tool.failed" };

/** Takes the start of a call that ended out of the calls that are known to run. */
function takeBegun(activity: Activity, event: Ended): OpenCall | undefined {
  const place = placeOf(activity.open, event);
  if (place !== -1) {
    const [begun] = activity.open.splice(place, 1);
    for (let earlier = 0; earlier < place; earlier++) {
      const call = activity.open[earlier];
      if (call && !call.overtaken) activity.open[earlier] = { ...call, overtaken: true };
    }
    return begun;
  }
  const { left = [] } = activity;
  const late = placeOf(left, event);
  if (late !== -1) activity.left = left.toSpliced(late, 1);
  return left[late];
}

function end(activity: Activity, event: Ended, policy: ActivityPolicy): void {
  const { name = "tool", outcome, exitCode, unknown, at } = event;
  const begun = takeBegun(activity, event);
  if (!begun && event.call) begin(activity, at);
  const result = checkResult(event);
  const ok = event.type === "tool.completed" && (exitCode ?? 0) === 0 && event.result !== "failed";
  if (!ok) activity.counts.failed++;
  const {
    signature,
    edits,
    check,
    overtaken: _,
    ...call
  }: OpenCall = begun ?? {
    name,
    label: labelOf(name, undefined),
    startedAt: at,
    signature: "",
    ...event.call,
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
  noteRun(activity, call.label, at - call.startedAt);
  // A call of which only the name is known may be any call of that tool.
  if (signature === "" && !unknown) return;
  watch(activity, policy, {
    name: call.name,
    signature,
    outcome,
    ...(unknown && { unknown }),
    ...(POLLS.test(call.name) && { poll: true }),
    ...(edits && ok && { progress: "edit" as const }),
    label: call.label,
  });
}

/** Events of older versions have no result: there, a call without an error counted as passed. */
function checkResult(event: Ended): CheckResult {
  if (event.result !== undefined) return event.result;
  if (event.type === "tool.failed" || (event.exitCode ?? 0) !== 0) return "failed";
  return event.unsure ? "unknown" : "passed";
}

/** Remembers how long a command takes, for the next time that it runs. */
function noteRun(activity: Activity, label: string, took: number): void {
  if (took < SLOW) return;
  const { slow = [] } = activity;
  const longest = Math.max(took, slow.find((run) => run.label === label)?.longest ?? 0);
  const others = slow.filter((run) => run.label !== label);
  activity.slow = [...others, { label, longest }].slice(-MAX_SLOW);
}

function watch(activity: Activity, policy: ActivityPolicy, seen: Call): void {
  const { calls } = activity;
  // The same edit or the same list again is no progress.
  const again = seen.progress && calls.some(({ signature }) => signature === seen.signature);
  const { progress: _, ...repeated } = seen;
  calls.push(again ? repeated : seen);
  if (calls.length > policy.window) calls.shift();
  const found = detectLoop(calls, policy, activity.loop);
  if (found) activity.loop = found;
  else delete activity.loop;
}

export type TrackState = "working" | "idle" | "stalled" | "ended";

/** The longest earlier run of the commands that run now, in milliseconds. */
export function longestRun({ open, slow = [] }: Activity): number {
  const labels = new Set(open.map(({ label }) => label));
  return Math.max(0, ...slow.map((run) => (labels.has(run.label) ? run.longest : 0)));
}

/** When the agent counts as stalled if it stays silent. */
export function stallsAt(activity: Activity, policy: StallPolicy = STALL_POLICY): number {
  const running = activity.open.length > 0;
  return activity.lastAt + stallLimit({ running, longest: longestRun(activity) }, policy);
}

/**
 * What the track is doing at a time. `stalls` is when it counts as stalled, which is later where a
 * subagent of it works.
 */
export function stateAt(
  activity: Activity,
  ended: boolean,
  now: number,
  policy: ActivityPolicy = ACTIVITY_POLICY,
  stalls: number = stallsAt(activity, policy),
): TrackState {
  if (ended || activity.ended) return "ended";
  if (activity.turn !== "running" || now >= goneAt(stalls, policy.goneAfter)) return "idle";
  return now >= stalls ? "stalled" : "working";
}

/** What a person should know of it at a time. */
export function findingsAt(activity: Activity, state: TrackState, now: number): readonly Finding[] {
  const found: Finding[] = [];
  if (activity.loop && (state === "working" || state === "stalled")) found.push(activity.loop);
  if (state === "stalled") {
    const inside = activity.open.at(-1)?.label;
    const silence = now - activity.lastAt;
    found.push({
      kind: "stalled",
      level: "warning",
      label: inside ?? "the agent",
      count: Math.floor(silence / 1000),
      message: `no output for ${duration(silence)}${inside === undefined ? "" : `, in ${inside}`}`,
    });
  }
  return found;
}

/** The loop that the agent is in, once until it is another one or a graver one. */
export function newLoopFinding(activity: Activity): Finding | undefined {
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

export type StallFinding = "stalled" | "resumed";

/** Says once that a stall began, and once that it ended. */
export function newStallFinding(
  activity: Activity,
  state: SessionState,
  now: number,
): StallFinding | undefined {
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
