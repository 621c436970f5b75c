/**
 * core/activity: the current activity of an agent. Events of hosts, hooks and transcripts become bounded
 * observations (`observation`), which update an `Activity`: open calls, checks, edits, requests, loops.
 * `record` applies them to a hosted list, `core/stream/fold` to a transcript; both use the same
 * interpretation. `session-state` derives working, stalled, waiting or ended from it.
 */
import type { EditSigns } from "../checks/tamper/edits.ts";
import { type FileUse, type KnownFile, knownAfter } from "../checks/tamper/live/known-files.ts";
import type { Check } from "../model.ts";
import type { StreamBody } from "../stream/events.ts";
import { formatDuration } from "../text/duration.ts";
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
import { type CheckScope, covers, editedAfter } from "./evidence/scope.ts";
import { type CallRef, labelOf, type Observation, observationOf } from "./observation.ts";
import type { SessionState } from "./session-state.ts";
import { type Signs, signsAfter } from "./signs.ts";
import { INACTIVE_AFTER, inactiveAt, STALL_POLICY, type StallPolicy, stallLimit } from "./stall.ts";
import { type TouchedFile, touchedAfter } from "./touched.ts";
import { type OpenRequest, updateRequest } from "./waiting.ts";

/** A tool call, as surfaces show it. */
export interface ToolActivity {
  readonly callId?: string;
  readonly name: string;
  readonly label: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly ok?: boolean;
  readonly exitCode?: number;
}

/** A call without a result yet. */
export interface OpenCall extends ToolActivity {
  readonly signature: string;
  readonly edits?: true;
  /** The command, if it is a check: its success can verify completions. */
  readonly check?: string;
  /** The part of the project that the check covers, if the command limits it. */
  readonly scope?: CheckScope;
  /** The edited files, if the input names them. */
  readonly paths?: readonly string[];
  /** Signs in an edit that checks were made weaker. */
  readonly tampering?: EditSigns;
  /** The test files that the call reads, or writes as a whole. */
  readonly tests?: FileUse;
  /** A call that started later has ended. */
  readonly overtaken?: true;
}

/** The longest run of a command. */
export interface SlowRun {
  readonly label: string;
  readonly longest: number;
}

/** The current activity of an agent, folded from observations. Changed in place. */
export interface Activity {
  turn: "none" | "running" | "completed" | "failed" | "cancelled";
  turnStartedAt: number;
  lastAt: number;
  /** The session ended, and nothing was reported since. */
  ended?: true;
  /** Calls without a result, oldest first. */
  open: OpenCall[];
  /** Calls that the agent moved on from without a reported end; it may still arrive. */
  left?: readonly OpenCall[];
  /** Slow commands with their longest run, the most recent last. */
  slow?: readonly SlowRun[];
  /** Calls that ended, oldest first. */
  recent: ToolActivity[];
  /** Number of edits, and when the last one ended. */
  edits?: { readonly count: number; readonly at: number };
  /** Edits before this time may be unknown: part of the transcript was only scanned. */
  unreadUntil?: number;
  /** The request that waits for the user's answer. */
  waiting?: OpenRequest;
  /** When a request was last reported as answered. */
  answeredAt?: number;
  /** The last check that passed with no edit after it. */
  check?: Check;
  /** The working directory, if the host reported it. */
  cwd?: string;
  /** The files that were edited, the most recent last; `*` for unknown ones. */
  edited?: readonly string[];
  /** The files that successful calls edited, with the time of the last edit, the most recent last. */
  touched?: readonly TouchedFile[];
  /** The last test run, if it failed and nothing was edited since. */
  failedTest?: string;
  /** Signs in edits that checks were made weaker. */
  signs?: Signs;
  /** Test files that the agent read or wrote, the most recent last. */
  tests?: readonly KnownFile[];
  /** The window of calls that the loop detectors work on. */
  calls: Call[];
  loop?: Finding;
  /** When the calls counted as a loop for the first time. */
  loopSince?: number;
  /** Key of the loop that was reported already. */
  toldLoop?: string;
  /** When the current stall was detected. */
  stalledAt?: number;
  counts: Record<"turns" | "tools" | "failed" | "writes" | "rejected" | "skipped", number>;
}

export interface ActivityPolicy extends DetectorPolicy, StallPolicy {
  /** Milliseconds of silence after which the agent counts as idle, even in a running turn. */
  readonly inactiveAfter: number;
}

export const ACTIVITY_POLICY: ActivityPolicy = {
  ...DETECTOR_POLICY,
  ...STALL_POLICY,
  inactiveAfter: INACTIVE_AFTER,
};

const MAX_OPEN = 64;
const MAX_LEFT = 16;
const MAX_RECENT = 20;
const MAX_SLOW = 16;
/** Runs shorter than this (ms) are not remembered: they cannot raise a stall limit. */
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

/** Reduces an event to an observation. Undefined for a list whose content is unknown. */
export function observeEvent(
  activity: Activity | undefined,
  event: StreamBody,
  at: number,
  table?: Partial<EvidenceTable>,
): Observation | undefined {
  if (event.type === "warning" && event.code === "list_unknown") return undefined;
  return observationOf(event, at, {
    table,
    isCheck: (call) => endsCheck(activity, call),
    testsOf: (call) => (activity ? startOfCall(activity, call)?.tests : undefined),
    before: { open: activity?.signs?.open, known: activity?.tests, cwd: activity?.cwd },
  });
}

/** Whether the call that ended is a check. */
function endsCheck(activity: Activity | undefined, call: CallRef): boolean {
  return activity !== undefined && startOfCall(activity, call)?.check !== undefined;
}

/** The start of a call, if it was reported. */
export function startOfCall({ open, left = [] }: Activity, call: CallRef): OpenCall | undefined {
  return open[indexOfCall(open, call)] ?? left[indexOfCall(left, call)];
}

/** Finds a call by id, the last one if an id was reused; without an id, the oldest call of that name. */
function indexOfCall(calls: readonly OpenCall[], { callId, name }: CallRef): number {
  return callId === undefined
    ? calls.findIndex((call) => call.name === name)
    : calls.findLastIndex((call) => call.callId === callId);
}

/**
 * Applies an event from a part of a transcript that is only scanned. Results of its calls and the lines
 * between its writes are unknown, so it only updates counts and the time of the last activity.
 */
export function applyScanned(activity: Activity, { type, at }: PassedOver): void {
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

const UNREAD = Number.MAX_SAFE_INTEGER;

/** Notes that part of a transcript was only scanned: until the next event, nothing is known about edits and checks. */
export function applyUnread(activity: Activity): void {
  delete activity.check;
  activity.unreadUntil = UNREAD;
}

/** Observations that show that an ended session was resumed. */
const RESUMES: ReadonlySet<Observation["type"]> = new Set([
  "session.started",
  "turn.started",
  "tool.started",
  "message",
]);

/** Applies one observation in place. Constant time, bounded memory. */
export function applyObservation(
  activity: Activity,
  event: Observation,
  policy: ActivityPolicy = ACTIVITY_POLICY,
): void {
  if (event.type === "usage") return;
  const { counts } = activity;
  if (activity.unreadUntil === UNREAD) activity.unreadUntil = event.at;
  if (event.type !== "skipped" && event.type !== "list.refused" && event.type !== "turn.idle")
    activity.lastAt = Math.max(activity.lastAt, event.at);
  updateRequest(activity, event);
  if (RESUMES.has(event.type)) delete activity.ended;
  switch (event.type) {
    case "session.started":
      if (event.cwd !== undefined) activity.cwd = event.cwd;
      break;
    case "turn.started":
      counts.turns++;
      activity.turn = "running";
      activity.turnStartedAt = event.at;
      // A new prompt: calls that an interrupted turn left open are over, and repeating earlier calls is
      // not a loop.
      leave(activity, () => true);
      activity.calls = [];
      delete activity.loop;
      delete activity.loopSince;
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
      watch(activity, policy, event.at, {
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

/** Removes a call that a host denied: it never runs. */
export function denyCall(activity: Activity, call: CallRef): void {
  const index = indexOfCall(activity.open, call);
  if (index !== -1) activity.open = activity.open.toSpliced(index, 1);
}

function endTurn(activity: Activity, how: Activity["turn"]): void {
  activity.turn = how;
  leave(activity, () => true);
}

/** Moves calls from `open` to `left`: their ends may still be reported. */
function leave(activity: Activity, which: (call: OpenCall) => boolean): void {
  const left = activity.open.filter(which);
  if (left.length === 0) return;
  activity.open = activity.open.filter((call) => !which(call));
  activity.left = [...(activity.left ?? []), ...left].slice(-MAX_LEFT);
}

/** Tools that run a subagent, whose calls may be reported as calls of this agent. */
const RUNS_AGENTS = /^(?:task|agent|invoke_agent|spawn_agent|delegate(?:_.*)?|subagent)$/i;

function start(activity: Activity, event: Observation & { type: "tool.started" }): void {
  const { type: _, at, ...call } = event;
  // An agent that starts a call after a later one ended no longer waits for the earlier one: some
  // programs never report the end of a refused call.
  leave(activity, ({ overtaken, name }) => overtaken === true && !RUNS_AGENTS.test(name));
  countCall(activity, at);
  activity.open.push({ ...call, startedAt: at });
  if (activity.open.length > MAX_OPEN) activity.open.shift();
}

/** Counts a call and starts a turn if none runs: agents may continue without a prompt. */
function countCall(activity: Activity, at: number): void {
  activity.counts.tools++;
  if (activity.turn === "running") return;
  activity.turn = "running";
  activity.turnStartedAt = at;
}

type Ended = Observation & { type: "tool.completed" | "tool.failed" };

/** Removes the call that ended from the open calls and returns its start. */
function takeOpenCall(activity: Activity, event: Ended): OpenCall | undefined {
  const index = indexOfCall(activity.open, event);
  if (index !== -1) {
    const [openCall] = activity.open.splice(index, 1);
    for (let earlier = 0; earlier < index; earlier++) {
      const call = activity.open[earlier];
      if (call && !call.overtaken) activity.open[earlier] = { ...call, overtaken: true };
    }
    return openCall;
  }
  const { left = [] } = activity;
  const late = indexOfCall(left, event);
  if (late !== -1) activity.left = left.toSpliced(late, 1);
  return left[late];
}

function end(activity: Activity, event: Ended, policy: ActivityPolicy): void {
  const { name = "tool", outcome, exitCode, unknown, at } = event;
  const openCall = takeOpenCall(activity, event);
  if (!openCall && event.call) countCall(activity, at);
  const result = checkResult(event);
  const ok = event.type === "tool.completed" && (exitCode ?? 0) === 0 && event.result !== "failed";
  if (!ok) activity.counts.failed++;
  const {
    signature,
    edits,
    check,
    tampering,
    tests,
    scope,
    paths,
    overtaken: _,
    ...call
  }: OpenCall = openCall ?? {
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
    activity.edited = editedAfter(activity.edited, paths, activity.cwd);
    delete activity.check;
    delete activity.failedTest;
  }
  if (ok && edits && paths)
    activity.touched = touchedAfter(activity.touched, paths, activity.cwd, at);
  if (ok) applyEdit(activity, event, { tampering, tests, paths });
  if (check !== undefined) endCheck(activity, { check, scope, result, exitCode, at, edits, call });
  noteRun(activity, call.label, at - call.startedAt);
  // With only a name known, two calls of a tool cannot be compared.
  if (signature === "" && !unknown) return;
  watch(activity, policy, at, {
    name: call.name,
    signature,
    outcome,
    ...(unknown && { unknown }),
    ...(POLLS.test(call.name) && { poll: true }),
    ...(edits && ok && { progress: "edit" as const }),
    label: call.label,
  });
}

interface EditFacts {
  readonly tampering: EditSigns | undefined;
  readonly tests: FileUse | undefined;
  readonly paths: readonly string[] | undefined;
}

/** Updates the signs and the known test files after a call that succeeded. */
function applyEdit(
  activity: Activity,
  { at, lines, overwritten, missing }: Ended,
  { tampering, tests, paths = [] }: EditFacts,
): void {
  if (tampering) activity.signs = signsAfter(activity.signs, tampering, at, overwritten);
  if (missing || (!tests && paths.length === 0)) return;
  const known = knownAfter(activity.tests, {
    ...tests,
    lines,
    isOverwritten: overwritten === true,
    edited: paths,
  });
  if (known) activity.tests = known;
}

interface EndedCheck {
  readonly check: string;
  readonly scope: CheckScope | undefined;
  readonly result: CheckResult;
  readonly exitCode: number | undefined;
  readonly at: number;
  readonly edits: true | undefined;
  readonly call: Pick<OpenCall, "startedAt">;
}

/** A program that was not found or could not be started says nothing about the code. */
const NOT_STARTED = new Set([126, 127]);
const RUNS_TESTS = /test|spec|jest|mocha|tox|nox|\brake\b|\bava\b/i;

function endCheck(activity: Activity, ended: EndedCheck): void {
  const { check, scope = {}, result, exitCode, at, edits, call } = ended;
  const isTest = RUNS_TESTS.test(check);
  if (result === "failed") {
    // If the same check fails now, its earlier success no longer counts.
    if (activity.check?.command === check) delete activity.check;
    if (isTest && !NOT_STARTED.has(exitCode ?? 1)) activity.failedTest = check;
    return;
  }
  if (result !== "passed") return;
  // A check does not cover files that were edited while it ran.
  const isWhole = edits || call.startedAt >= (activity.edits?.at ?? 0);
  // Other tests do not outweigh tests that fail on the same files.
  const { failedTest } = activity;
  const isRefuted = isTest && failedTest !== undefined && failedTest !== check;
  if (!isWhole || isRefuted || !covers(scope, activity.edited ?? [])) return;
  delete activity.failedTest;
  activity.check = { command: check, ...(exitCode !== undefined && { exitCode }), at };
}

/** Events of older versions have no `result`; they counted a call without an error as passed. */
function checkResult(event: Ended): CheckResult {
  if (event.result !== undefined) return event.result;
  if (event.type === "tool.failed" || (event.exitCode ?? 0) !== 0) return "failed";
  return event.unsure ? "unknown" : "passed";
}

/** Remembers the longest run of a command, for the stall limit of its next run. */
function noteRun(activity: Activity, label: string, took: number): void {
  if (took < SLOW) return;
  const { slow = [] } = activity;
  const longest = Math.max(took, slow.find((run) => run.label === label)?.longest ?? 0);
  const others = slow.filter((run) => run.label !== label);
  activity.slow = [...others, { label, longest }].slice(-MAX_SLOW);
}

function watch(activity: Activity, policy: ActivityPolicy, at: number, seen: Call): void {
  const { calls } = activity;
  // Repeating an edit or a list is not progress.
  const again = seen.progress && calls.some(({ signature }) => signature === seen.signature);
  const { progress: _, ...repeated } = seen;
  calls.push(again ? repeated : seen);
  if (calls.length > policy.window) calls.shift();
  const found = detectLoop(calls, policy, activity.loop);
  const { loop } = activity;
  if (!found) {
    delete activity.loop;
    delete activity.loopSince;
    return;
  }
  // The kind changes when a repeated call becomes critical.
  if (loop?.label !== found.label) activity.loopSince = at;
  activity.loop = found;
}

export type TrackState = "working" | "idle" | "stalled" | "ended";

/** The longest earlier run, in milliseconds, of any command that is running. */
export function longestRun({ open, slow = [] }: Activity): number {
  const labels = new Set(open.map(({ label }) => label));
  return Math.max(0, ...slow.map((run) => (labels.has(run.label) ? run.longest : 0)));
}

/** When the agent counts as stalled unless it reports activity before. */
export function stallsAt(activity: Activity, policy: StallPolicy = STALL_POLICY): number {
  const running = activity.open.length > 0;
  return activity.lastAt + stallLimit({ running, longest: longestRun(activity) }, policy);
}

/**
 * The state of a track at a time. `stalls` is when it counts as stalled: later than its own limit while
 * one of its subagents works.
 */
export function stateAt(
  activity: Activity,
  ended: boolean,
  now: number,
  policy: ActivityPolicy = ACTIVITY_POLICY,
  stalls: number = stallsAt(activity, policy),
): TrackState {
  if (ended || activity.ended) return "ended";
  if (activity.turn !== "running" || now >= inactiveAt(stalls, policy.inactiveAfter)) return "idle";
  return now >= stalls ? "stalled" : "working";
}

/** The loop and the stall of an agent at a time. */
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
      message: `no output for ${formatDuration(silence)}${inside === undefined ? "" : `, in ${inside}`}`,
    });
  }
  return found;
}

/** Returns a loop once: again only when it changes or becomes more severe. */
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

/** Reports the start and the end of a stall, once each. */
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
